#pragma once
// The run of a controller that the requests of a coroutine, and of everything that it awaits, belong to, and the writes
// that such a coroutine has made through one client.

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/tracer.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// A write that succeeded.
struct noted_write
{
    std::string group;
    std::string kind;
    object_key key;
    /// The object's version afterwards; empty for a removal.
    std::string version;
    /// The uid of the object that is gone; empty for other writes.
    std::string removed_uid;
    /// Whether its deletion had begun before: then a store that shows the beginning does not show the removal.
    bool was_marked = false;
};

/// The purpose of a request, for the note of its success.
struct write_target
{
    /// False for reads, and for requests that the server only tries.
    bool counts = false;
    bool removes = false;
    std::string group = {};
    std::string kind = {};
    std::string ns = {};
};

/** Collects writes through one client. Thread safe.

    Bounded: of one kind in one namespace only the newest version and the last `most_removals` removals, because a watch
    brings them in order: the last ones are seen after those before. */
class write_notes
{
public:
    static constexpr std::size_t most_removals = 128;

    explicit write_notes(const client& of);
    write_notes(const write_notes&) = delete;
    write_notes& operator=(const write_notes&) = delete;

    /// Whether writes through a client of this state count. @param state  Compared, not used.
    [[nodiscard]] bool is_for(const client::state* state) const noexcept { return of_ == state; }
    /// Notes the answer to a successful request: the object, the removed object, or a Status.
    void add(const write_target& what, const object& answer);
    /// The notes since the last call.
    [[nodiscard]] std::vector<noted_write> take();

private:
    using place = std::tuple<std::string, std::string, std::string>; // group, kind, namespace

    void keep_version(noted_write w);
    void keep_removal(noted_write w);

    const client::state* of_;
    mutable std::mutex mutex_;
    std::map<place, noted_write> newest_;               // under the mutex
    std::map<place, std::deque<noted_write>> removals_; // under the mutex
};

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
