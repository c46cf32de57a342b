#include "connect/socket_stream.hpp"

#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/timeout.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

constexpr auto read_values = asio::as_tuple(asio::use_awaitable);

} // namespace

bool socket_reader::set_low_water(std::size_t bytes) noexcept
{
    const int value = static_cast<int>(bytes);
    return ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVLOWAT, &value, sizeof value) == 0;
}

void socket_reader::set_bulk(bool on) noexcept
{
    if (on == bulk_) return;
    const bool is_set = set_low_water(on ? batch : 1);
    bulk_ = on && is_set;
}

asio::awaitable<result<>> socket_reader::readable()
{
    auto [ec] = co_await socket_.async_wait(asio::socket_base::wait_read, read_values);
    if (ec) co_return failure(ec, {});
    co_return result<>{};
}

asio::awaitable<bool> socket_reader::gather()
{
    boost::system::error_code unknown;
    if (socket_.available(unknown) >= batch) co_return true;
    // The race's outcome proves nothing: a report of bytes that have been read since may complete the wait.
    (void)co_await race(readable(), sleep_for(*time_, patience));
    co_return socket_.available(unknown) != 0;
}

asio::awaitable<socket_reader::received> socket_reader::receive(char* data, std::size_t size)
{
    bool is_available = true;
    if (bulk_) is_available = co_await gather();
    // The first bytes after a pause are not kept waiting, nor is the end of the stream.
    if (!is_available) (void)set_low_water(1);
    auto [ec, n] = co_await socket_.async_read_some(asio::buffer(data, size), read_values);
    if (!is_available && bulk_) (void)set_low_water(batch);
    co_return received{ec, n};
}

using asio::ip::tcp;

namespace {

constexpr auto stream_values = asio::as_tuple(asio::use_awaitable);

class tcp_stream final : public byte_stream
{
public:
    tcp_stream(tcp::socket s, std::shared_ptr<time_source> time, std::string peer)
        : kept_(s.get_executor(), std::move(s)),
          socket_(*kept_.get()),
          reader_(socket_, std::move(time)),
          peer_(std::move(peer))
    {
    }

    asio::awaitable<result<std::size_t>> read_some(char* data, std::size_t size) override
    {
        const auto got = co_await reader_.receive(data, size);
        if (got.error == asio::error::eof) co_return std::size_t{0};
        if (got.error) co_return failure(got.error, "read from " + peer_);
        co_return got.size;
    }

    std::optional<asio::awaitable<result<>>> pause() override
    {
        if (reader_.is_bulk()) return {};
        return readable();
    }

    asio::awaitable<result<>> write(std::string_view bytes) override
    {
        auto [ec, n] = co_await asio::async_write(socket_, asio::buffer(bytes.data(), bytes.size()), stream_values);
        if (ec) co_return failure(ec, "write to " + peer_);
        co_return result<>{};
    }

    void set_patience(duration unacknowledged) noexcept override
    {
        if (kept_.get()) detail::set_patience(socket_, unacknowledged);
    }
    void set_bulk(bool on) noexcept override
    {
        if (kept_.get()) reader_.set_bulk(on);
    }
    // Only the system's socket is touched: the coroutine that reads may run in another thread.
    void end_reads() noexcept override
    {
        if (const auto socket = kept_.get()) (void)::shutdown(socket->native_handle(), SHUT_RD);
    }
    bool quiet() noexcept override { return kept_.get() && is_quiet(socket_); }

private:
    asio::awaitable<result<>> readable()
    {
        auto [ec] = co_await socket_.async_wait(asio::socket_base::wait_read, stream_values);
        if (ec) co_return failure(ec, "read from " + peer_);
        co_return result<>{};
    }

    /// Owns the socket: an idle connection may outlive its context.
    context_bound<tcp::socket> kept_;
    /// For operations, which do not outlive the context.
    tcp::socket& socket_;
    socket_reader reader_;
    std::string peer_;
};

} // namespace

void set_patience([[maybe_unused]] tcp::socket& socket, [[maybe_unused]] duration unacknowledged) noexcept
{
#ifdef TCP_USER_TIMEOUT
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(unacknowledged).count();
    const auto value = static_cast<unsigned>(ms);
    // Best effort: otherwise the deadlines of the requests apply.
    (void)::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &value, sizeof value);
#endif
}

bool is_quiet(tcp::socket& socket) noexcept
{
    char byte;
    const auto got = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

std::unique_ptr<byte_stream> make_tcp_stream(tcp::socket socket, std::shared_ptr<time_source> time, std::string peer)
{
    return std::make_unique<tcp_stream>(std::move(socket), std::move(time), std::move(peer));
}

} // namespace kubecoro::detail
