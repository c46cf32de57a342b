#include "command_lines.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <unistd.h>

namespace kubecoro::bench {

namespace asio = boost::asio;

command_lines::command_lines(asio::any_io_executor executor) : input_(executor, ::dup(STDIN_FILENO)) {}

asio::awaitable<std::optional<std::string>> command_lines::next()
{
    auto buffer = asio::dynamic_buffer(received_, 4096);
    auto [failed, length] = co_await asio::async_read_until(input_, buffer, '\n', asio::as_tuple(asio::use_awaitable));
    if (failed) co_return std::nullopt;
    auto line = received_.substr(0, length - 1);
    received_.erase(0, length);
    if (line == "quit") co_return std::nullopt;
    co_return line;
}

} // namespace kubecoro::bench
