#include "auth/child_process.hpp"

#include <kubecoro/base/try.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

constexpr auto as_values = asio::as_tuple(asio::use_awaitable);

failure cannot_start(const std::string& command, int error)
{
    const bool is_missing = error == ENOENT || error == ENOTDIR;
    return failure(is_missing ? cond::not_found : cond::misconfigured,
                   "cannot run " + command + ": " + std::generic_category().message(error));
}

/// A file that is closed unless it is handed over.
class open_file
{
public:
    explicit open_file(int descriptor) noexcept : descriptor_(descriptor) {}
    open_file(const open_file&) = delete;
    open_file& operator=(const open_file&) = delete;
    ~open_file() { close(); }
    [[nodiscard]] int get() const noexcept { return descriptor_; }
    void close() noexcept
    {
        if (descriptor_ >= 0) ::close(descriptor_);
        descriptor_ = -1;
    }
    /// Hands the file to Asio, whose own constructor throws instead, and leaves the file open. @return 0, or an error.
    [[nodiscard]] int hand_to(asio::posix::stream_descriptor& owner)
    {
        boost::system::error_code why;
        owner.assign(descriptor_, why);
        if (!why) descriptor_ = -1;
        return why.value();
    }

private:
    int descriptor_;
};

/// A child that has not been waited for; its destruction kills it.
class child
{
public:
    // Signals go to the descriptor: the number may belong to another process once an application that waits for all
    // children has collected this one.
    child(pid_t pid, int descriptor) noexcept : pid_(pid), descriptor_(descriptor) {}
    child(child&& other) noexcept
        : pid_(std::exchange(other.pid_, 0)), descriptor_(std::exchange(other.descriptor_, -1))
    {
    }
    child& operator=(child&&) = delete;
    ~child()
    {
        if (descriptor_ < 0) return;
        if (pid_ != 0) {
            (void)::syscall(SYS_pidfd_send_signal, descriptor_, SIGKILL, nullptr, 0);
            (void)wait();
        }
        ::close(descriptor_);
    }

    /// True if the child had ended, and others had collected it, before there was a descriptor.
    [[nodiscard]] bool is_gone() const noexcept { return descriptor_ < 0; }
    /// A new descriptor that becomes readable when the child has ended; -1: see errno.
    [[nodiscard]] int end() const noexcept { return ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0); }
    /// Call after the end. @return the status of waitpid(); none if others have collected the child.
    [[nodiscard]] std::optional<int> collect() noexcept
    {
        const auto status = wait();
        pid_ = 0;
        return status;
    }

private:
    [[nodiscard]] std::optional<int> wait() const noexcept
    {
        int status = 0;
        pid_t got = 0;
        do got = ::waitpid(pid_, &status, 0);
        while (got < 0 && errno == EINTR);
        if (got != pid_) return std::nullopt;
        return status;
    }

    pid_t pid_;
    int descriptor_;
};

/// The files of the child: its output goes to `output`.
class child_files
{
public:
    child_files(int output, bool interactive)
    {
        ::posix_spawn_file_actions_init(&actions_);
        if (!interactive) ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
        // Asio's sockets are inherited unless they are closed: a plugin has no business with them.
        ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    }
    child_files(const child_files&) = delete;
    child_files& operator=(const child_files&) = delete;
    ~child_files() { ::posix_spawn_file_actions_destroy(&actions_); }
    [[nodiscard]] const posix_spawn_file_actions_t* get() const noexcept { return &actions_; }

private:
    posix_spawn_file_actions_t actions_;
};

/// Signals that this process ignores or blocks are as usual in the child.
class child_signals
{
public:
    child_signals()
    {
        ::posix_spawnattr_init(&attributes_);
        sigset_t none;
        sigset_t usual;
        ::sigemptyset(&none);
        ::sigemptyset(&usual);
        for (const int s : {SIGPIPE, SIGINT, SIGTERM, SIGCHLD}) ::sigaddset(&usual, s);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setsigdefault(&attributes_, &usual);
        ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    child_signals(const child_signals&) = delete;
    child_signals& operator=(const child_signals&) = delete;
    ~child_signals() { ::posix_spawnattr_destroy(&attributes_); }
    [[nodiscard]] const posix_spawnattr_t* get() const noexcept { return &attributes_; }

private:
    posix_spawnattr_t attributes_;
};

/// Pointers to texts, as exec() takes them.
class text_pointers
{
public:
    void add(std::string text) { texts_.push_back(std::move(text)); }
    [[nodiscard]] char** get()
    {
        pointers_.clear();
        for (auto& t : texts_) pointers_.push_back(t.data());
        pointers_.push_back(nullptr);
        return pointers_.data();
    }

private:
    std::vector<std::string> texts_;
    std::vector<char*> pointers_;
};

text_pointers environment_with(const std::vector<std::pair<std::string, std::string>>& variables)
{
    text_pointers all;
    for (char** v = environ; v != nullptr && *v != nullptr; ++v) {
        const std::string_view text(*v);
        const auto is_same = [&](const auto& added) { return text.substr(0, text.find('=')) == added.first; };
        if (std::none_of(variables.begin(), variables.end(), is_same)) all.add(std::string(text));
    }
    for (const auto& [name, value] : variables) all.add(name + "=" + value);
    return all;
}

result<child> start(const program& p, int output)
{
    text_pointers arguments;
    arguments.add(p.command);
    for (const auto& a : p.arguments) arguments.add(a);
    auto variables = environment_with(p.variables);
    const child_files files(output, p.interactive);
    const child_signals signals;
    pid_t pid = 0;
    const int error =
        ::posix_spawnp(&pid, p.command.c_str(), files.get(), signals.get(), arguments.get(), variables.get());
    if (error != 0) return cannot_start(p.command, error);
    const int descriptor = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    if (descriptor >= 0) return child(pid, descriptor);
    const int why = errno;
    if (why == ESRCH) return child(0, -1);
    (void)::kill(pid, SIGKILL);
    (void)::waitpid(pid, nullptr, 0);
    return cannot_start(p.command, why);
}

/// Reads until the end of the stream.
asio::awaitable<result<std::string>> read_all(asio::posix::stream_descriptor& from, std::size_t most)
{
    std::string all;
    std::array<char, 4096> part{};
    for (;;) {
        auto [ec, n] = co_await from.async_read_some(asio::buffer(part), as_values);
        if (ec == asio::error::eof) co_return all;
        if (ec) co_return failure(ec, "the output of a program");
        if (n > most - all.size())
            co_return failure(cond::corrupt, "its output is longer than " + std::to_string(most) + " bytes");
        all.append(part.data(), n);
    }
}

} // namespace

asio::awaitable<result<program_end>> run_program(program p, std::size_t max_output)
{
    const auto executor = co_await asio::this_coro::executor;
    asio::posix::stream_descriptor output(executor);
    asio::posix::stream_descriptor ended(executor);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) co_return cannot_start(p.command, errno);
    open_file ours(ends[0]);
    open_file theirs(ends[1]);
    if (const int error = ours.hand_to(output)) co_return cannot_start(p.command, error);
    auto started = start(p, theirs.get());
    theirs.close();
    if (!started) co_return started.error();
    KUBECORO_TRY(auto text, co_await read_all(output, max_output));
    program_end out;
    out.output = std::move(text);
    if (started->is_gone()) co_return out;
    open_file end(started->end());
    if (end.get() < 0) co_return cannot_start(p.command, errno);
    if (const int error = end.hand_to(ended)) co_return cannot_start(p.command, error);
    auto [ec] = co_await ended.async_wait(asio::posix::stream_descriptor::wait_read, as_values);
    if (ec) co_return failure(ec, "the end of a program");
    if (const auto status = started->collect()) {
        if (WIFEXITED(*status)) out.exit_code = WEXITSTATUS(*status);
        if (WIFSIGNALED(*status)) out.signal = WTERMSIG(*status);
    }
    co_return out;
}

} // namespace kubecoro::detail
