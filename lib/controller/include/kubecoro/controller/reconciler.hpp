#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/base/tracer.hpp>
#include <kubecoro/controller/action.hpp>

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro {

/** State and settings of one run. Lives until the run ends; used by that run only. */
class reconcile_context
{
public:
    /// A write of this run that the key's next run must see.
    struct write
    {
        /// The API group of what was written.
        std::string group;
        /// The kind of what was written.
        std::string kind;
        /// Namespace and name of what was written.
        object_key key;
        /// The version that the server answered with.
        std::string resource_version;
    };
    /// Public for tests of a reconciler; a controller fills them in.
    struct settings
    {
        /// 1 plus the number of failures of this key since its last success.
        unsigned attempt = 1;
        /// The priority with which the key was queued; priority::normal by default.
        int priority = 0;
        /// When the run is cancelled, by the clock `time`. Empty = no limit.
        std::optional<time_point> deadline = {};
        /// For log().
        logger log = {};
        /// Name of the controller, for log(). Borrowed: must outlive the context.
        std::string_view controller = {};
        /// Key of the run, for log(). Borrowed: must outlive the context.
        object_key_view key = {};
        /// Empty = real_clock().
        std::shared_ptr<time_source> time = {};
        /// The run's span. Borrowed: must outlive the context. Null = no trace.
        const kubecoro::span* span = nullptr;
        /// Set when the runs are cancelled. Null = never.
        const std::atomic<bool>* cancelled = nullptr;
    };
    /// @param s  Its `controller`, `key`, `span` and `cancelled` are borrowed and must outlive the context.
    explicit reconcile_context(settings s);
    reconcile_context(const reconcile_context&) = delete;
    reconcile_context& operator=(const reconcile_context&) = delete;

    /// 1 plus the number of failures of this key since its last success.
    [[nodiscard]] unsigned attempt() const noexcept { return settings_.attempt; }
    /// The priority with which the key was queued.
    [[nodiscard]] int priority() const noexcept { return settings_.priority; }
    /// When this run is cancelled; empty without a limit.
    [[nodiscard]] const std::optional<time_point>& deadline() const noexcept { return settings_.deadline; }
    /// A logger that adds the controller and the object to every line, and the ids of trace and run, if there is a trace.
    /// Built on each call.
    [[nodiscard]] logger log() const;
    /// The run's span in its trace, for requests to other systems: `trace().traceparent()`. Empty without a trace.
    [[nodiscard]] trace_context trace() const noexcept
    {
        return settings_.span != nullptr ? settings_.span->context() : trace_context();
    }
    /// Begins a span that is a part of this run. Empty without a trace.
    [[nodiscard]] kubecoro::span span(std::string_view name) const;
    /// The controller's clock.
    [[nodiscard]] const std::shared_ptr<time_source>& time() const noexcept { return settings_.time; }
    /// For work that does not suspend: true after the deadline, or when the controller cancels its runs on stop.
    /// Awaited operations are cancelled through their cancellation slot.
    [[nodiscard]] bool is_cancelled() const noexcept;

    /** Records that this run wrote an object; `answer` is the server's response. The key's next run begins when the
        stores of the sources of that group and kind have reached that version, or after
        controller_options::own_write_wait.

        Only for writes past the client of controller_options::own_writes_of, which in a manager is its own: writes through
        that one are recorded without this.

        No wait when no source has that kind or watches that namespace. */
    void wrote(const object& answer);
    /// The same for a response that is not available as an object. Only group and kind of `resource` count.
    void wrote(const resource_type& resource, object_key key, kept_text resource_version);

    /// The writes that the run has named so far.
    [[nodiscard]] const std::vector<write>& writes() const noexcept { return writes_; }

private:
    settings settings_;
    std::vector<write> writes_ = {};
};

/** Moves the actual state towards the desired state of this key's object. A coroutine, or a function that returns an
    awaitable.

    Reads use the informers' listers; the object may have been deleted. Never called concurrently for one key, but
    concurrently for several keys. Key and context live until the run ends. An exception counts as a failure.
    @par Cancellation  terminal, at the deadline and after the grace period of a stop: the run must then end, because
                       stop() waits for it. */
using reconciler = std::function<boost::asio::awaitable<result<action>>(const object_key&, reconcile_context&)>;

} // namespace kubecoro
