#pragma once
// The run of a controller that the requests of a coroutine, and of everything that it awaits, belong to.

#include <kubecoro/base/tracer.hpp>
#include <kubecoro/client/detail/write_notes.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <mutex>
#include <utility>

namespace kubecoro::detail {

/** State of one worker of a controller that its runs pass to their requests, through the worker's executor. Thread safe. */
class request_scope
{
public:
    /// The trace of a run.
    struct run_trace
    {
        /// Makes the spans of requests.
        kubecoro::tracer tracer = {};
        /// The run's span; empty = no trace.
        trace_context run = {};
        /// Whether requests carry its `traceparent`.
        bool propagate = true;
    };

    /// @param notes  Null: writes are not noted.
    explicit request_scope(std::shared_ptr<write_notes> notes = nullptr) noexcept : notes_(std::move(notes)) {}
    request_scope(const request_scope&) = delete;
    request_scope& operator=(const request_scope&) = delete;

    [[nodiscard]] const std::shared_ptr<write_notes>& notes() const noexcept { return notes_; }

    /// Requests from now on are a part of this.
    void enter(run_trace t)
    {
        std::lock_guard lock(mutex_);
        trace_ = std::move(t);
    }
    [[nodiscard]] run_trace trace() const
    {
        std::lock_guard lock(mutex_);
        return trace_;
    }

private:
    const std::shared_ptr<write_notes> notes_;
    mutable std::mutex mutex_;
    run_trace trace_; // under the mutex
};

/// An executor like `on`: requests of coroutines that run on it, or on a strand of it, are of this scope. Empty when `on` is.
[[nodiscard]] boost::asio::any_io_executor in_scope(const boost::asio::any_io_executor& on,
                                                    std::shared_ptr<request_scope> scope);
/// The scope of an executor; null when it has none.
[[nodiscard]] std::shared_ptr<request_scope> scope_of(const boost::asio::any_io_executor& executor);

} // namespace kubecoro::detail
