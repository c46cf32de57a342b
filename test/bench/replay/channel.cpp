#include "channel.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace kubecoro::bench {
namespace {

constexpr int write_timeout_s = 60;
/// The maximum of one system call (IOV_MAX).
constexpr std::size_t parts_per_call = 1024;

} // namespace

channel::channel(int descriptor) : descriptor_(descriptor)
{
    const int on = 1;
    ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const timeval limit{write_timeout_s, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

channel::~channel() { ::close(descriptor_); }

std::size_t channel::read_some(std::span<char> to)
{
    while (true) {
        const ssize_t n = ::recv(descriptor_, to.data(), to.size(), 0);
        if (n >= 0) return static_cast<std::size_t>(n);
        if (errno != EINTR) return 0;
    }
}

bool channel::write(std::span<const std::string_view> parts)
{
    std::array<iovec, parts_per_call> vectors;
    std::size_t done = 0; // written bytes of parts.front()
    while (!parts.empty()) {
        const std::size_t count = std::min(parts.size(), vectors.size());
        for (std::size_t i = 0; i < count; ++i) vectors[i] = {const_cast<char*>(parts[i].data()), parts[i].size()};
        vectors[0] = {const_cast<char*>(parts[0].data()) + done, parts[0].size() - done};
        msghdr message{};
        message.msg_iov = vectors.data();
        message.msg_iovlen = count;
        const ssize_t n = ::sendmsg(descriptor_, &message, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        done += static_cast<std::size_t>(n);
        while (!parts.empty() && done >= parts.front().size()) {
            done -= parts.front().size();
            parts = parts.subspan(1);
        }
    }
    return true;
}

bool channel::wait_readable(std::chrono::milliseconds limit)
{
    pollfd p{descriptor_, POLLIN | POLLRDHUP, 0};
    constexpr std::int64_t longest = 1'000'000'000;
    return ::poll(&p, 1, static_cast<int>(std::clamp<std::int64_t>(limit.count(), 0, longest))) > 0;
}

void channel::shut_down() { ::shutdown(descriptor_, SHUT_RDWR); }

result<std::unique_ptr<acceptor>> acceptor::listen(const std::string& address, std::uint16_t port)
{
    const auto refused = [&](const char* what) {
        return failure{cond::misconfigured, "cannot " + std::string(what) + " " + address + ":" + std::to_string(port)};
    };
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    if (::inet_pton(AF_INET, address.c_str(), &at.sin_addr) != 1) return refused("parse");
    std::unique_ptr<acceptor> made(new acceptor);
    made->descriptor_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(made->descriptor_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(made->descriptor_, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) return refused("bind");
    if (::listen(made->descriptor_, 64) != 0) return refused("listen on");
    socklen_t size = sizeof at;
    ::getsockname(made->descriptor_, reinterpret_cast<sockaddr*>(&at), &size);
    made->port_ = ntohs(at.sin_port);
    return made;
}

acceptor::~acceptor() { ::close(descriptor_); }

int acceptor::accept()
{
    while (true) {
        const int descriptor = ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC);
        if (descriptor >= 0 || (errno != EINTR && errno != ECONNABORTED)) return descriptor;
    }
}

void acceptor::close() { ::shutdown(descriptor_, SHUT_RDWR); }

} // namespace kubecoro::bench
