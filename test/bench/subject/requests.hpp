#pragma once

#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace kubecoro::bench {

/// Some requests of a kind: their time from the first to the last answer, and what the program allocated meanwhile.
struct request_figures
{
    double wall_s = 0;
    std::uint64_t allocations = 0;
    std::uint64_t allocated_bytes = 0;
};

/** Requests for small config maps, as a program makes them that has no informer: gets, creates, updates and watches.

    The objects "bench-0" and so on exist before; gets, updates and watches name them in turn. Everything runs on
    `executor`, which has one thread. */
class requests
{
public:
    /// Makes a number of requests of one kind, `in_flight` of them at once.
    using request_kind = boost::asio::awaitable<result<>> (requests::*)(std::size_t number);

    requests(boost::asio::any_io_executor executor, client to);

    [[nodiscard]] boost::asio::awaitable<result<request_figures>> many(request_kind kind, std::size_t in_flight,
                                                                       std::size_t count);
    [[nodiscard]] boost::asio::awaitable<result<>> get(std::size_t number);
    /// A new object, whose name no other run has.
    [[nodiscard]] boost::asio::awaitable<result<>> create(std::size_t number);
    /// Changes one of the objects that exist before.
    [[nodiscard]] boost::asio::awaitable<result<>> update(std::size_t number);

    /// Opens that many watches of one object each, one after the other, from the present version on.
    [[nodiscard]] boost::asio::awaitable<result<>> watch(std::size_t count);
    /// Completes when the watches have had that many events since they were opened. Once in a program's life.
    [[nodiscard]] boost::asio::awaitable<result<>> events(std::uint64_t count);
    /// Ends the watches.
    [[nodiscard]] boost::asio::awaitable<result<>> stop();

    /// Creates the objects that gets, updates and watches name, where they are missing.
    [[nodiscard]] boost::asio::awaitable<result<>> prepare();
    /// Deletes what create() has made, in this run and earlier ones.
    [[nodiscard]] boost::asio::awaitable<result<>> clear();

private:
    [[nodiscard]] boost::asio::awaitable<result<>> line(request_kind kind, std::shared_ptr<std::size_t> next,
                                                        std::size_t count);
    [[nodiscard]] boost::asio::awaitable<result<>> read(std::unique_ptr<watch_stream> open);
    /// Whether the events of events() are there.
    void look();

    boost::asio::any_io_executor executor_;
    resource_client<object> objects_;
    std::string run_;
    std::uint64_t changes_ = 0;
    std::uint64_t seen_ = 0;
    std::uint64_t goal_ = 0;
    latch reached_;
    task_group watches_;
};

} // namespace kubecoro::bench
