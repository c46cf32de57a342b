#include "http/socket_stream.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

constexpr auto as_value = asio::as_tuple(asio::use_awaitable);
using tcp_socket = asio::ip::tcp::socket;

template<class Stream>
asio::awaitable<result<std::size_t>> read_from(Stream& stream, char* data, std::size_t size)
{
    const auto [error, n] = co_await stream.async_read_some(asio::buffer(data, size), as_value);
    if (error == asio::error::eof) co_return std::size_t{0};
    if (error) co_return failure{error, "read from the client"};
    co_return n;
}

template<class Stream>
asio::awaitable<result<>> write_to(Stream& stream, std::string_view bytes)
{
    while (!bytes.empty()) {
        const auto [error, n] = co_await stream.async_write_some(asio::buffer(bytes.data(), bytes.size()), as_value);
        if (error) co_return failure{error, "write to the client"};
        bytes.remove_prefix(n);
    }
    co_return result<>{};
}

class plain_stream final : public socket_stream
{
public:
    explicit plain_stream(tcp_socket socket) : socket_(std::move(socket)) {}

    asio::awaitable<result<>> handshake() override { co_return result<>{}; }
    asio::awaitable<result<std::size_t>> read_some(char* data, std::size_t size) override
    {
        return read_from(socket_, data, size);
    }
    asio::awaitable<result<>> write(std::string_view bytes) override { return write_to(socket_, bytes); }
    asio::awaitable<void> shutdown() override
    {
        boost::system::error_code ignored;
        socket_.shutdown(asio::socket_base::shutdown_send, ignored);
        co_return;
    }
    void close() noexcept override
    {
        boost::system::error_code ignored;
        socket_.close(ignored);
    }

private:
    tcp_socket socket_;
};

} // namespace

std::unique_ptr<socket_stream> make_plain_stream(tcp_socket socket)
{
    return std::make_unique<plain_stream>(std::move(socket));
}

} // namespace kubecoro::detail
