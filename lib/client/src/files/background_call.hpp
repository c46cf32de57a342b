#pragma once
// A blocking call on a thread of its own, which coroutines of any context can await, and the read of a file by it.

#include <kubecoro/base/result.hpp>
#include <kubecoro/client/kubeconfig.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace kubecoro::detail {

/** The end of a blocking call.

    The thread signals it by closing a pipe. A wake-up through an execution context would be shorter, but the context may be
    destroyed by then; the pipe is independent of it. */
class background_end
{
public:
    background_end(const background_end&) = delete;
    background_end& operator=(const background_end&) = delete;

    /// Errors: the system has no pipe left.
    [[nodiscard]] static result<std::shared_ptr<background_end>> make(const std::string& doing);
    ~background_end();

    /** Runs the work on a thread that is not joined: it owns everything it uses, so it may outlive the caller and its
        execution context, and no shutdown waits for it. Errors: the system has no thread left. */
    [[nodiscard]] static result<> run(std::shared_ptr<background_end> self, const std::string& doing,
                                      std::function<void()> work);
    /// Completes when the work has ended. Cancellation ends the wait only.
    [[nodiscard]] static boost::asio::awaitable<result<>> wait(std::shared_ptr<background_end> self, std::string doing);
    /// Blocks until the work has ended, or that time has come.
    void block_until(std::chrono::steady_clock::time_point latest) const noexcept;

private:
    background_end(int read, int write) noexcept : read_(read), write_(write) {}
    void signal() noexcept;

    int read_;
    int write_;
};

/// A blocking call and its outcome, shared by its thread and those that wait for it.
template<class T>
class background_call
{
public:
    /// @param doing  Names the work in failures.  @param work  Does not throw, and owns what it uses.
    [[nodiscard]] static result<std::shared_ptr<background_call>> start(std::string doing, std::function<T()> work)
    {
        auto end = background_end::make(doing);
        if (!end) return end.error();
        auto self = std::make_shared<background_call>(std::move(*end), doing);
        auto begun = background_end::run(self->end_, doing, [self, work = std::move(work)] {
            auto value = work();
            const std::lock_guard lock(self->mutex_);
            self->outcome_.emplace(std::move(value));
        });
        if (!begun) return begun.error();
        return self;
    }

    background_call(std::shared_ptr<background_end> end, std::string doing)
        : end_(std::move(end)), doing_(std::move(doing))
    {
    }

    /// Empty while the work runs.
    [[nodiscard]] std::optional<T> outcome() const
    {
        const std::lock_guard lock(mutex_);
        return outcome_;
    }
    [[nodiscard]] boost::asio::awaitable<result<>> wait() const { return background_end::wait(end_, doing_); }
    /// Blocks until the work has ended, or that time has come: for a caller that is no coroutine.
    void block_until(std::chrono::steady_clock::time_point latest) const noexcept { end_->block_until(latest); }

private:
    std::shared_ptr<background_end> end_;
    std::string doing_;
    mutable std::mutex mutex_;
    std::optional<T> outcome_;
};

/// How long a file may take: a network volume may hang.
inline constexpr std::chrono::seconds longest_first_read{5};

/** Reads the file on a thread of its own, which is left behind when it hangs.

    @param patience  Blocks at most so long.
    Errors: those of environment::read_file; misconfigured, when it takes longer. */
[[nodiscard]] result<std::string> bounded_read(const environment& machine, const std::string& file,
                                               std::size_t max_bytes,
                                               std::chrono::steady_clock::duration patience = longest_first_read);

} // namespace kubecoro::detail
