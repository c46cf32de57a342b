#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <optional>
#include <string>

namespace kubecoro::bench {

/// The driver's commands: the lines of standard input.
class command_lines
{
public:
    explicit command_lines(boost::asio::any_io_executor executor);
    /// The next line; nothing after `quit` or the end of the input.
    [[nodiscard]] boost::asio::awaitable<std::optional<std::string>> next();

private:
    boost::asio::posix::stream_descriptor input_;
    std::string received_;
};

} // namespace kubecoro::bench
