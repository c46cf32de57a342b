#pragma once
// Reads from a socket: at once, or in bulk. Streams of sockets, with and without TLS.

#include "http/byte_stream.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro::detail {

/** Receives bytes as they come, or lets them gather first.

    A server sends a list in pieces of a few KB, and a client that is faster than the server would wake for each of them.
    In bulk, the socket counts as readable only when `batch` bytes have gathered (SO_RCVLOWAT) or `patience` has passed.
    Where the system has no such mark, bytes are read as they come. */
class socket_reader
{
public:
    static constexpr std::size_t batch = std::size_t{64} * 1024;
    /// The most that the last bytes of a list wait.
    static constexpr duration patience = std::chrono::milliseconds{1};

    /// @param socket  Outlives the reader.
    socket_reader(boost::asio::ip::tcp::socket& socket, std::shared_ptr<time_source> time) noexcept
        : socket_(socket), time_(std::move(time))
    {
    }

    /// See byte_stream::set_bulk().
    void set_bulk(bool on) noexcept;
    [[nodiscard]] bool is_bulk() const noexcept { return bulk_; }

    struct received
    {
        /// asio::error::eof at the end of the stream.
        boost::system::error_code error = {};
        std::size_t size = 0;
    };
    [[nodiscard]] boost::asio::awaitable<received> receive(char* data, std::size_t size);

private:
    /// Returns true if bytes are available.
    [[nodiscard]] boost::asio::awaitable<bool> gather();
    [[nodiscard]] boost::asio::awaitable<result<>> readable();
    bool set_low_water(std::size_t bytes) noexcept;

    boost::asio::ip::tcp::socket& socket_;
    std::shared_ptr<time_source> time_;
    bool bulk_ = false;
};

class tls_generation;

/// A plain TCP stream. @param peer  For messages.
[[nodiscard]] std::unique_ptr<byte_stream> make_tcp_stream(boost::asio::ip::tcp::socket socket,
                                                           std::shared_ptr<time_source> time, std::string peer);

/// A TLS stream inside another stream; completes after the handshake. Errors: unreachable, misconfigured, cancelled.
[[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<byte_stream>>>
make_tls_stream(std::unique_ptr<byte_stream> under, std::shared_ptr<tls_generation> generation, std::string server_name,
                std::string peer);

/// See byte_stream::set_patience.
void set_patience(boost::asio::ip::tcp::socket& socket, duration unacknowledged) noexcept;

/// True when there is nothing to read and the socket is not closed.
[[nodiscard]] bool is_quiet(boost::asio::ip::tcp::socket& socket) noexcept;

/** Decides whether the bytes of a watch gather before they are read: see answer::read_in_bulk().

    Those of existing objects do, and those of events that come fast and are partly of others: objects that
    selecting_objects passes over, such as those of another shard. Their latency does not matter, and a wake-up for each costs
    more than its decoding. An event of its own among them waits for a millisecond at most. */
class watch_pace
{
public:
    /// @param begins_with_list  The existing objects come first.
    explicit watch_pace(bool begins_with_list) noexcept : lists_(begins_with_list), gathers_(begins_with_list) {}

    [[nodiscard]] bool gathers() const noexcept { return gathers_; }

    /// Reports a batch, and how long its read took.
    void after(const std::vector<watch_event>& batch, duration waited) noexcept
    {
        const auto is_live = [](const watch_event& e) { return e.ends_initial_events(); };
        const auto is_of_others = [](const watch_event& e) { return e.passed_over.has_value(); };
        lists_ = lists_ && std::ranges::none_of(batch, is_live);
        const duration soon = gathers_ ? 2 * gathering : gathering;
        gathers_ = lists_ || (waited < soon && std::ranges::any_of(batch, is_of_others));
    }

private:
    static constexpr duration gathering = socket_reader::patience;

    bool lists_;
    bool gathers_;
};

} // namespace kubecoro::detail
