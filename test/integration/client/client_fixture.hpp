#pragma once

#include "byte_server.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <list>
#include <optional>

namespace kubecoro::test {

inline const auto pods = untyped::pod::resource();

/// Cancels all operations. Each has a signal of its own: a slot serves one operation at a time.
class cancellation
{
public:
    [[nodiscard]] boost::asio::cancellation_slot slot_of_one() { return signals_.emplace_back().slot(); }
    void emit(boost::asio::cancellation_type type)
    {
        for (auto& signal : signals_) signal.emit(type);
    }

private:
    std::list<boost::asio::cancellation_signal> signals_;
};

/// Runs clients on real sockets in real time on the calling thread.
class client_fixture
{
public:
    client make(const std::string& url, cluster_config config = {}, client_options options = {})
    {
        config.server = url;
        auto made = client::create(io.get_executor(), std::move(config), std::move(options));
        REQUIRE(made);
        return *made;
    }

    template<class T>
    result<T> run(boost::asio::awaitable<result<T>> task)
    {
        auto out = start(std::move(task));
        io.restart();
        // Runs until this operation has ended; others, and their waits, may continue.
        while (!*out) io.run_one();
        return std::move(**out);
    }

    template<class T>
    std::shared_ptr<std::optional<result<T>>> start(boost::asio::awaitable<result<T>> task)
    {
        auto out = std::make_shared<std::optional<result<T>>>();
        boost::asio::co_spawn(
            io, std::move(task),
            boost::asio::bind_cancellation_slot(stop.slot_of_one(), [out](std::exception_ptr e, result<T> r) {
                if (e)
                    *out = result<T>(failure(cond::internal, "threw"));
                else
                    *out = std::move(r);
            }));
        return out;
    }

    // Outlives the operations that the context destroys.
    cancellation stop;
    boost::asio::io_context io{1};
};

} // namespace kubecoro::test
