#pragma once

#include "events/event_series.hpp"
#include "events/similar_events.hpp"
#include "events/spam_filter.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/base/hash.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// Bounds of what an event_correlator_core keeps and sends.
struct event_limits
{
    /// Events that wait to be sent.
    std::size_t max_pending = 1000;
    /// Recent events whose repetitions are recognised.
    std::size_t max_recent = 4096;
    /// Bytes of all these events. The longest unrepeated are forgotten first, those to be sent never.
    std::size_t max_bytes = std::size_t{4} * 1024 * 1024;
    /// Requests for one object: after `object_burst` of them, one in `object_interval`. Further events about the object
    /// are dropped and counted, and repetitions are counted in their series. 0 = no limit.
    unsigned object_burst = 25;
    /// See object_burst.
    duration object_interval = std::chrono::minutes{5};
    /// Requests for one event until it is given up, while the server cannot be reached or is overloaded.
    unsigned attempts = 12;
    /// Between two of them, with jitter.
    duration retry_delay = std::chrono::seconds{10};
};

/** The decisions of an event_recorder: which events are sent, which repeat earlier ones, and which are dropped.

    Sans-io, not thread safe. An event that is to be sent is pending from then until the server has it or it is given
    up; meanwhile its repetitions go with it. Ids of events that have become pending are collected for take_ready(). */
class event_correlator_core
{
public:
    using id = event_series::id;

    /// The last 1 / reserve of the room for pending events is for namespaces that have fewer pending than there is room: one with
    /// very many events does not keep those of others out.
    static constexpr std::size_t reserve = 8;
    /// After the last repetition the rest of a series is sent, and the series ends.
    static constexpr duration finish_after = std::chrono::minutes{6};
    /// A series that goes on is sent this often.
    static constexpr duration refresh_after = std::chrono::minutes{30};
    /// In the older API: how long the server keeps an event that is not updated.
    static constexpr duration forget_after = std::chrono::hours{1};
    /// Between two sweeps.
    static constexpr duration sweep_interval = std::chrono::minutes{1};

    event_correlator_core(event_api api, const event_limits& limits, std::uint64_t seed);

    /// Empty drafts are refused ones.
    void record(std::optional<event_draft> d, time_point now, wall_time wall);
    /// An event could not be recorded for lack of memory.
    void note_lost() noexcept { ++stats_.dropped_full; }
    /// The events that are to be sent, each once.
    [[nodiscard]] std::vector<id> take_ready() { return std::exchange(ready_, {}); }
    /// Those that could not be queued, for lack of memory.
    void put_back(std::vector<id> ids)
    {
        ids.insert(ids.end(), ready_.begin(), ready_.end());
        ready_ = std::move(ids);
    }

    /// A request that brings the server up to date.
    struct request
    {
        /// False: the count of an event that exists is updated.
        bool creates;
        const event_series& of;
    };
    /// Valid until the next call. Empty when the event has been given up, or the server has it already.
    [[nodiscard]] std::optional<request> begin(id which);

    /// How a request ended.
    enum class ending
    {
        stored,
        /// There is one of this name: an earlier request was successful, but its response was lost.
        exists,
        /// There is none of this name: it was deleted.
        absent,
        refused,
        try_again
    };
    /// @return when it is to be sent again, from now; empty when nothing is left to send.
    std::optional<duration> ended(id which, ending how, time_point now);

    /// Sends what has been counted meanwhile and ends what is over.
    void sweep(time_point now);
    /// No more events. Everything that has not been sent becomes pending, also events that wait for their next attempt.
    void close();
    /// Counts what has not been sent as dropped.
    /// @return the number of events and repetitions.
    std::uint64_t abandon();

    /// Its `pending` and others are up to date.
    [[nodiscard]] event_recorder_stats stats() const;

private:
    using table = std::unordered_map<id, event_series>;

    void repeat(id which, event_draft& d, time_point now, wall_time wall);
    void begin_series(std::string key, event_draft d, time_point now, wall_time wall);
    [[nodiscard]] bool make_room(std::size_t bytes);
    [[nodiscard]] std::size_t pending() const noexcept { return series_.size() - idle_.size(); }
    [[nodiscard]] bool has_room() const noexcept { return pending() < limits_.max_pending; }
    [[nodiscard]] bool has_room_for(const std::string& ns) const noexcept;
    void no_longer_pending(const event_series& s) noexcept;
    [[nodiscard]] bool admits(const event_draft& d, time_point now);
    /// The server is to have the present count.
    void want(id which, event_series& s);
    void retire(id which, event_series& s);
    void unlink(event_series& s);
    void forget(id which);
    void give_up(id which, std::uint64_t& counter);
    [[nodiscard]] std::optional<duration> settled(id which, event_series& s);
    [[nodiscard]] std::optional<duration> retry(id which, event_series& s);
    [[nodiscard]] std::string new_name(const event_target& of, wall_time wall);

    const bool counts_each_; // as the older API does
    const event_limits limits_;
    random_source random_;
    spam_filter spam_;
    similar_events similar_;
    table series_;
    std::unordered_map<std::string, id, text_hash, std::equal_to<>> index_;
    /// Number of pending events by their namespace; none is 0.
    std::unordered_map<std::string, std::size_t, text_hash, std::equal_to<>> pending_in_;
    /// Those that are not pending, the most recently used first.
    std::list<id> idle_;
    std::vector<id> ready_;
    id last_id_ = 0;
    std::uint64_t last_stamp_ = 0;
    std::size_t bytes_ = 0;
    bool closed_ = false;
    event_recorder_stats stats_;
};

} // namespace kubecoro::detail
