#include "connect/name_resolver.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

/// Owns a file descriptor and closes it on destruction.
class descriptor
{
public:
    explicit descriptor(int fd = -1) noexcept : fd_(fd) {}
    descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept
    {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~descriptor()
    {
        if (fd_ >= 0) ::close(fd_);
    }
    [[nodiscard]] int get() const noexcept { return fd_; }
    [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }

private:
    int fd_;
};

failure system_failure(const std::string& doing)
{
    return {boost::system::error_code(errno, boost::system::system_category()), doing};
}

} // namespace

/** One look-up in progress, owned by its thread and by the waiters.

    The thread signals its end by closing a pipe. A wake-up through an execution context would be shorter, but the
    context may be destroyed by then; the pipe is independent of it. */
class name_resolver::running
{
public:
    struct outcome
    {
        lookup_result found;
        time_point when;
    };

    /// Errors: the system has no pipe or thread left.
    static result<std::shared_ptr<running>> start(const std::string& name, blocking_lookup lookup,
                                                  std::shared_ptr<time_source> time)
    {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) return system_failure("look up " + name);
        auto self = std::make_shared<running>(descriptor(ends[0]));
        auto work = [self, name, lookup = std::move(lookup), time = std::move(time),
                     open = descriptor(ends[1])]() mutable {
            auto found = call(lookup, name);
            const std::lock_guard lock(self->mutex_);
            self->outcome_.emplace(outcome{std::move(found), time->now()});
            descriptor closing = std::move(open);
        };
        try {
            std::thread(std::move(work)).detach();
        } catch (const std::system_error& e) {
            return failure(cond::internal, "look up " + name + ": " + e.what());
        }
        return self;
    }

    explicit running(descriptor ended) : ended_(std::move(ended)) {}

    [[nodiscard]] std::optional<outcome> ended() const
    {
        const std::lock_guard lock(mutex_);
        return outcome_;
    }

    static asio::awaitable<result<>> wait(std::shared_ptr<running> self)
    {
        const auto executor = co_await asio::this_coro::executor;
        descriptor own(::fcntl(self->ended_.get(), F_DUPFD_CLOEXEC, 0));
        if (own.get() < 0) co_return system_failure("wait for a look-up");
        asio::posix::stream_descriptor end(executor, own.release());
        auto [code] =
            co_await end.async_wait(asio::posix::stream_descriptor::wait_read, asio::as_tuple(asio::use_awaitable));
        if (code) co_return failure(code, "wait for a look-up");
        co_return result<>{};
    }

private:
    static lookup_result call(const blocking_lookup& lookup, const std::string& name)
    {
        try {
            return lookup(name);
        } catch (const std::exception& e) {
            return failure(cond::internal, "look up " + name + ": " + e.what());
        }
    }

    descriptor ended_;
    mutable std::mutex mutex_;
    std::optional<outcome> outcome_;
};

name_resolver::name_resolver(std::shared_ptr<time_source> time, blocking_lookup lookup)
    : time_(std::move(time)), lookup_(std::move(lookup))
{
}

asio::awaitable<lookup_result> name_resolver::resolve(std::string name)
{
    auto claimed = claim_result(name);
    if (claimed.known) co_return std::move(*claimed.known);
    auto waiting = running::wait(claimed.wait_for);
    auto waited = co_await std::move(waiting);
    if (!waited) co_return waited.error();
    settle(name, claimed.wait_for);
    co_return claimed.wait_for->ended()->found;
}

name_resolver::claim name_resolver::claim_result(const std::string& name)
{
    // The waiters that began it may have left: its result is then recorded here.
    std::shared_ptr<running> before;
    {
        const std::lock_guard lock(mutex_);
        if (const auto at = running_.find(name); at != running_.end()) before = at->second;
    }
    if (before) settle(name, before);
    const std::lock_guard lock(mutex_);
    auto next = core_.ask(name, time_->now());
    if (auto* known = std::get_if<lookup_result>(&next)) return {std::move(*known), nullptr};
    if (std::holds_alternative<lookup_core::join>(next)) return {std::nullopt, running_.at(name)};
    auto begun = running::start(name, lookup_, time_);
    if (begun) return {std::nullopt, running_[name] = *begun};
    core_.on_result(name, begun.error(), time_->now());
    return {begun.error(), nullptr};
}

void name_resolver::settle(const std::string& name, const std::shared_ptr<running>& ended)
{
    const std::lock_guard lock(mutex_);
    const auto at = running_.find(name);
    const auto outcome = ended->ended();
    if (!outcome || at == running_.end() || at->second != ended) return;
    core_.on_result(name, outcome->found, outcome->when);
    running_.erase(at);
}

} // namespace kubecoro::detail
