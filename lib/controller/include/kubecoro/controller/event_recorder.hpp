#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/typed_object.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro {

namespace detail {
class event_recorder_engine;
}

/// How kubectl shows an event.
enum class event_type
{
    normal,
    warning
};

/// The API in which events are written. `kubectl get events` and `kubectl describe` show both.
enum class event_api
{
    /// events.k8s.io/v1: repeated events become a series.
    events_v1,
    /// The older API of version v1: each repetition updates the count. For readers that know no series.
    core_v1
};

/// The object that an event is about. A regular value.
struct event_target
{
    /// "v1", "apps/v1".
    std::string api_version = {};
    /// "Pod".
    std::string kind = {};
    /// Empty for cluster-scoped objects.
    std::string ns = {};
    /// The object's name.
    std::string name = {};
    /// The object's uid: `kubectl describe` finds events by it.
    std::string uid = {};
    /// The version that the event was recorded for. Events of several versions are repetitions of one.
    std::string resource_version = {};
    /// A part of the object: "spec.containers{web}".
    std::string field_path = {};

    event_target() = default;
    /// An object from a list, a watch, or a write. Implicit, so that callers pass the object.
    event_target(const object& o);
    /// The same for an object of a kind, such as a lister's.
    template<class T>
    event_target(const typed_object<T>& o) : event_target(o.untyped())
    {
    }
};

/// Options of an event_recorder.
struct event_recorder_options
{
    /// The reporter, as a qualified name: "janitor" or "example.com/janitor". Other characters become '-'. Empty =
    /// "kubecoro".
    std::string component = {};
    /// The instance that reports. Empty = component and host name, which is the pod's name in a cluster.
    std::string instance = {};
    /// The API to write to.
    event_api api = event_api::events_v1;
    /// Maximum number of events that wait to be sent. Further ones are dropped and counted. The last eighth is for namespaces that
    /// have fewer waiting than there is room.
    std::size_t max_pending = 1000;
    /// Requests per second for all events, after a burst of twice as many. 0 = no limit. Further events wait.
    double requests_per_second = 50;
    /// How long stop() sends what waits. 0 = not at all.
    saturating_duration flush_limit = std::chrono::seconds{5};
    /// Seeds the jitter; empty = from the system.
    std::optional<std::uint64_t> seed = {};
    /// Null = the client's clock.
    std::shared_ptr<time_source> time = {};
    /// Receives what the server refuses, without the events' texts.
    logger log = {};
    /// Null = no metrics.
    std::shared_ptr<kubecoro::metrics> metrics = {};
};

/// A snapshot of a recorder.
struct event_recorder_stats
{
    /// Calls of event().
    std::uint64_t recorded = 0;
    /// Repetitions among them, which were added to an earlier event.
    std::uint64_t repeated = 0;
    /// Events that were created on the server.
    std::uint64_t created = 0;
    /// Updates of repeated events on the server.
    std::uint64_t updated = 0;
    /// Requests that failed and are repeated.
    std::uint64_t retried = 0;
    /// Too many events about one object.
    std::uint64_t dropped_spam = 0;
    /// Too many events wait, or their texts take too much memory.
    std::uint64_t dropped_full = 0;
    /// The server refused them, or they name no object or no reason.
    std::uint64_t dropped_refused = 0;
    /// The server could not be reached in any attempt.
    std::uint64_t dropped_failed = 0;
    /// Recorded after the stop, or not sent within its limit.
    std::uint64_t dropped_stopped = 0;
    /// Events that wait to be sent.
    std::size_t pending = 0;
    /// Recent events, including those that wait.
    std::size_t recent = 0;
    /// Their bytes.
    std::size_t bytes = 0;
};

/// A one-line summary.
[[nodiscard]] std::string describe(const event_recorder_stats& s);

/** Records what happened to an object as Event objects, for people: `kubectl describe` and `kubectl get events`.

        event_recorder events(cluster, {.component = "janitor"});
        events.event(pod, event_type::normal, "Cleaned", "Cleanup", "removed 3 files");
        co_await events.stop();

    event() takes a few microseconds: it never waits, never fails and never throws. Events are sent in the background,
    on the client's executor. Equal events (of the same object, type, reason and action) are merged: the first is
    created at once, the second begins its series, further ones are counted and sent after 30 minutes, or six minutes
    after the last. Memory and requests have limits; stats() and the metrics count what was dropped.

    Copies share the recorder. Thread safe. The last copy that is destroyed without stop() drops what has not been sent. */
class event_recorder
{
public:
    /// @param cluster  Its executor runs everything. May write events: verbs create and patch.
    explicit event_recorder(client cluster, event_recorder_options options = {});

    /** Records an event. Every call counts; texts are cut to what the API admits (reason and action 128 bytes, note
        1,024), at a character.

        @param regarding  The object that it is about. An event without a name or kind is dropped, and counted.
        @param reason     Why, as one word for programs: "FailedMount".
        @param action     The thing done or attempted: "Mount". Empty = the reason.
        @param note       For people. Must not contain secrets: events are readable by many.
        @param related    A second object, such as the one that was made. */
    void event(const event_target& regarding, event_type type, std::string_view reason, std::string_view action,
               std::string_view note, const event_target& related = {}) const noexcept;

    /** Sends what waits, within event_recorder_options::flush_limit, and completes when nothing runs any more. Later
        events are dropped and counted. Idempotent.

        @par Errors        cond::timed_out if events were lost.
        @par Cancellation  ends the wait; call it again to finish. */
    [[nodiscard]] boost::asio::awaitable<result<>> stop() const;
    /// Begins stop() without waiting.
    void request_stop() const;

    /// A picture of the present state. Any thread.
    [[nodiscard]] event_recorder_stats stats() const;
    /// One line for people.
    [[nodiscard]] std::string describe() const { return kubecoro::describe(stats()); }

private:
    std::shared_ptr<detail::event_recorder_engine> engine_;
};

} // namespace kubecoro
