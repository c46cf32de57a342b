#include <kubecoro/client/kubeconfig.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace kubecoro {

namespace {

std::optional<std::string> variable(const std::string& name)
{
    const char* value = std::getenv(name.c_str());
    if (!value) return std::nullopt;
    return std::string(value);
}

/// For a pipe, such as /dev/fd/63 of a shell: a network volume that hangs is for the caller.
constexpr std::chrono::seconds longest_silence{5};

struct open_file
{
    int fd;
    ~open_file() { ::close(fd); }
};

failure unreadable(const std::string& path, int why)
{
    return failure(why == ENOENT || why == ENOTDIR ? cond::not_found : cond::misconfigured,
                   path + ": " + std::generic_category().message(why));
}

/// Whether a pipe has more to read, or its end. Nobody may ever write to it.
bool await_writer(int fd)
{
    pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};
    int ready = 0;
    do ready = ::poll(&wanted, 1, static_cast<int>(std::chrono::milliseconds(longest_silence).count()));
    while (ready < 0 && errno == EINTR);
    return ready > 0;
}

/// At most one byte more than the limit. Files are read again for each connection, and few are as long as the limit.
result<std::string> beginning_of(int fd, const std::string& path, std::size_t limit)
{
    constexpr std::size_t first = 16 * 1024;
    std::string content;
    std::size_t read = 0;
    while (read <= limit) {
        if (read == content.size()) content.resize(std::min(read + std::max(read, first), limit + 1));
        const auto n = ::read(fd, content.data() + read, content.size() - read);
        if (n == 0) break;
        if (n > 0)
            read += static_cast<std::size_t>(n);
        else if (errno == EAGAIN && !await_writer(fd))
            return failure(cond::misconfigured, path + ": nothing is written to it");
        else if (errno != EAGAIN && errno != EINTR)
            return unreadable(path, errno);
    }
    content.resize(read);
    return content;
}

result<std::string> read_file(const std::string& path, std::size_t limit)
{
    // To open a pipe would wait for its writer.
    const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return unreadable(path, errno);
    const open_file open{fd};
    auto content = beginning_of(fd, path, limit);
    if (content && content->size() > limit)
        return failure(cond::misconfigured, path + ": longer than " + std::to_string(limit) + " bytes");
    if (content) content->shrink_to_fit();
    return content;
}

} // namespace

environment system_environment()
{
    environment e;
    e.variable = variable;
    e.read_file = read_file;
    return e;
}

} // namespace kubecoro
