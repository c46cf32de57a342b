#include "replay_server.hpp"

#include <boost/json.hpp>

#include <arpa/inet.h>
#include <chrono>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace kubecoro::bench {

using std::chrono::seconds;

namespace {

/// A file descriptor that closes itself.
struct descriptor
{
    int number = -1;
    ~descriptor()
    {
        if (number >= 0) close(number);
    }
};

/// Sends one request on a new connection and reads until the server closes it. Errors: unreachable, timed_out.
result<std::string> exchange(std::uint16_t port, const std::string& request, duration patience)
{
    descriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    timeval limit{.tv_sec = std::chrono::duration_cast<seconds>(patience).count(), .tv_usec = 0};
    setsockopt(socket.number, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    const auto* to = reinterpret_cast<const sockaddr*>(&address);
    if (connect(socket.number, to, sizeof address) != 0 ||
        send(socket.number, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size()))
        return failure(cond::unreachable, "the replay server accepts no commands");

    std::string answer;
    char bytes[4096];
    for (;;) {
        const auto n = recv(socket.number, bytes, sizeof bytes, 0);
        if (n < 0) return failure(cond::timed_out, "the replay server does not answer a command");
        if (n == 0) return answer;
        answer.append(bytes, static_cast<std::size_t>(n));
    }
}

std::uint16_t port_in(const boost::json::object& answer, std::string_view name)
{
    const auto* port = answer.if_contains(name);
    return port && port->is_int64() ? static_cast<std::uint16_t>(port->as_int64()) : 0;
}

} // namespace

result<replay_server> replay_server::start(const std::string& program, const data_set& data,
                                           const std::string& protobuf, std::vector<int> cores,
                                           const std::string& log_file)
{
    command_line command{.words = {program, "--listen", "127.0.0.1:0"}, .cores = std::move(cores)};
    const auto options = data.options();
    command.words.insert(command.words.end(), options.begin(), options.end());
    if (!protobuf.empty()) command.words.insert(command.words.end(), {"--protobuf", protobuf});
    auto process = child_process::start(command, log_file);
    if (!process) return process.error();
    auto ready = process->read_answer(seconds(120));
    if (!ready) return ready.error();
    const auto port = port_in(*ready, "port");
    const auto control = port_in(*ready, "control");
    if (!port || !control) return failure(cond::corrupt, "the replay server did not print its ports");
    return replay_server(std::move(*process), port, control);
}

result<boost::json::object> replay_server::order(const std::string& method, const std::string& path, duration patience)
{
    auto text = exchange(
        control_, method + " " + path + " HTTP/1.1\r\nHost: replay\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        patience);
    if (!text) return text.error();
    const auto body = text->find("\r\n\r\n");
    if (!text->starts_with("HTTP/1.1 200") || body == std::string::npos)
        return failure(cond::corrupt, "the replay server refuses " + path + ": " + text->substr(0, 200));
    boost::system::error_code bad;
    auto value = boost::json::parse(std::string_view(*text).substr(body + 4), bad);
    if (bad || !value.is_object())
        return failure(cond::corrupt, "the replay server answers " + path + " without an object");
    return std::move(value.as_object());
}

result<> replay_server::events(std::uint64_t count, std::uint64_t rate, duration patience)
{
    auto sent = order("POST", "/events?count=" + std::to_string(count) + "&rate=" + std::to_string(rate), patience);
    if (!sent) return sent.error();
    return {};
}

result<> replay_server::expire(unsigned percent)
{
    auto done = order("POST", "/expire?changed=" + std::to_string(percent), seconds(120));
    if (!done) return done.error();
    return {};
}

} // namespace kubecoro::bench
