#include "connect/socket_reader.hpp"

#include <kubecoro/base/timeout.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sys/socket.h>

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

} // namespace kubecoro::detail
