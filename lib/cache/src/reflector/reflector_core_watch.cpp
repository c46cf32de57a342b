// The part of reflector_core that handles watches.

#include "reflector/reflector_core.hpp"

#include <kubecoro/base/clock.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kubecoro::detail {
namespace {

/// Upper limit of a requested timeout: kube-apiserver converts it to nanoseconds without an overflow check.
constexpr std::chrono::seconds longest_watch = std::chrono::hours{24 * 365};

/// Number of bookmarks from which a server counts as one that sends them regularly.
constexpr unsigned regular_bookmarks = 2;

/// Number of watches in a row that break at once, after which a list follows.
constexpr unsigned listed_after = 3;

bool passes_by_itself(const failure& f) noexcept
{
    switch (f.condition()) {
    case cond::retry_later:
    case cond::unreachable:
    case cond::timed_out:
    case cond::cancelled:
        return true;
    default:
        return false;
    }
}

object only_named(const object_key& key)
{
    boost::json::object metadata{{"name", key.name}};
    if (!key.ns.empty()) metadata.emplace("namespace", key.ns);
    auto made = object::from_json(boost::json::object{{"metadata", std::move(metadata)}});
    return made ? std::move(*made) : object();
}

std::chrono::seconds draw(random_source& random, std::chrono::seconds from, std::chrono::seconds to)
{
    from = std::min(from, longest_watch);
    to = std::min(to, longest_watch);
    const auto span = static_cast<double>(std::max<std::chrono::seconds::rep>(0, (to - from).count()) + 1);
    return from + std::chrono::seconds(static_cast<std::chrono::seconds::rep>(std::floor(next_unit(random) * span)));
}

} // namespace

reflector_core::action reflector_core::read_on()
{
    if (wants_list_) return list_wanted();
    phase_ = phase::reading;
    return do_read{};
}

reflector_core::action reflector_core::begin_watch(bool reconnect)
{
    if (wants_list_) return list_wanted();
    if (reconnect) ++stats_.reconnects;
    watch_ = {};
    watch_.synthetic = version_.empty() || version_ == "0";
    return new_watch(version_);
}

reflector_core::do_watch reflector_core::new_watch(std::string version)
{
    phase_ = phase::opening;
    do_watch ask;
    ask.options.resource_version = std::move(version);
    ask.options.timeout = draw(random_, policy_.watch_timeout_min, policy_.watch_timeout_max);
    watch_.lasts = saturating_sum(saturated(ask.options.timeout), policy_.watch_grace);
    return ask;
}

reflector_core::action reflector_core::on_watch_opened(const result<>& opened, time_point now)
{
    if (phase_ == phase::stopped) return do_stop{};
    if (opened) {
        ++stats_.watches;
        parking_.answered();
        watch_.opened = watch_.last_heard = watch_.last_listed = now;
        watch_.overdue = time_after(now, watch_.lasts);
        if (!watch_.initial) return read_on();
        phase_ = phase::reading;
        return do_read{};
    }
    const failure& why = opened.error();
    if (watch_.initial) return stream_refused(why, now);
    fail("watch refused", why);
    if (why == cond::expired) note_refused();
    if (passes_by_itself(why) || sits_out(why, now)) return wait_then_watch(why);
    return wait_then_list(why, why == cond::expired ? relist_reason::expired : relist_reason::watch_refused);
}

bool reflector_core::idle_counts() const noexcept
{
    if (policy_.idle_timeout == duration::zero()) return false;
    return !policy_.idle_needs_bookmarks || watch_.bookmarks >= regular_bookmarks;
}

time_point reflector_core::silent_until() const noexcept
{
    auto until = watch_.overdue;
    if (wants_list_ && !watch_.initial) return time_point::min();
    const auto no_later_than = [&until](time_point from, duration limit) {
        if (limit != duration::zero()) until = std::min(until, time_after(from, limit));
    };
    if (watch_.initial) {
        no_later_than(watch_.last_listed, policy_.watch_list_silence);
        no_later_than(watch_.opened, policy_.watch_list_timeout);
    } else if (idle_counts()) {
        no_later_than(watch_.last_heard, policy_.idle_timeout);
    }
    return until;
}

void reflector_core::on_released(time_point since, time_point now)
{
    watch_.last_heard = watch_.last_listed = now;
    watch_.opened += now - since; // a streamed list has a deadline
    // The server may have ended the watch long ago: that end can be read only now.
    watch_.overdue = std::max(watch_.overdue, time_after(now, policy_.watch_grace));
}

reflector_core::action reflector_core::on_events(std::vector<watch_event> batch, time_point now)
{
    if (phase_ == phase::stopped) return do_stop{};
    watch_.last_heard = now;
    if (watch_.initial) return on_initial_events(std::move(batch), now);
    if (batch.empty()) return end_of_watch(now);
    std::vector<delta> changes;
    changes.reserve(batch.size());
    watch_.reached = version_;
    for (auto& event : batch) {
        take_event(event, changes);
        if (watch_.ends_with) break;
        note_watched(event, now);
    }
    if (changes.empty() && watch_.reached == version_) return on_applied({}, now);
    phase_ = phase::applying;
    return do_apply{std::move(changes), watch_.reached};
}

// The server serves a watch from the reflector's version.
void reflector_core::note_watched(const watch_event& event, time_point now)
{
    if (event.type == watch_event_type::unknown) return;
    // Only a watch cache sends them.
    if (event.type == watch_event_type::bookmark) has_no_cache_ = false;
    broken_at_once_ = 0;
    refused_.clear();
    proved_before_.reset();
    note_current(now);
}

void reflector_core::take_event(watch_event& event, std::vector<delta>& changes)
{
    switch (event.type) {
    case watch_event_type::error:
        watch_.ends_with = event.to_failure();
        return;
    case watch_event_type::unknown:
        return skip("an event of unknown type '" + event.unknown_type + "'");
    case watch_event_type::bookmark:
        if (event.obj.resource_version().empty()) return skip("a bookmark without a resource version");
        ++stats_.bookmarks;
        ++watch_.bookmarks;
        watch_.synthetic = false;
        return take_version(event.obj.resource_version());
    default:
        break;
    }
    if (event.passed_over) return pass_over(event);
    if (event.left_out) return take_left_out(event, changes);
    if (auto why = unfit(event.obj); !why.empty()) return skip(std::move(why));
    note_partial(event.obj);
    delta_type type = delta_type::added;
    if (event.type == watch_event_type::added) {
        ++stats_.events_added;
    } else {
        watch_.synthetic = false;
        const bool gone = event.type == watch_event_type::deleted;
        ++(gone ? stats_.events_deleted : stats_.events_modified);
        type = gone ? delta_type::deleted : delta_type::updated;
    }
    if (!watch_.synthetic) take_version(event.obj.resource_version());
    if (outdated_.size() != 0) {
        outdated_.remove(event.obj.key());
        stats_.outdated = outdated_.size();
    }
    changes.push_back({.type = type, .obj = std::move(event.obj)});
}

void reflector_core::pass_over(const watch_event& event)
{
    if (event.type != watch_event_type::added) watch_.synthetic = false;
    if (!watch_.synthetic) take_version(*event.passed_over);
}

// The version advances past the object: otherwise the next watch would deliver it again, and every list skips it too.
void reflector_core::take_left_out(const watch_event& event, std::vector<delta>& changes)
{
    const left_out_object& o = *event.left_out;
    if (event.type != watch_event_type::added) watch_.synthetic = false;
    if (!accept(o)) return;
    if (!watch_.synthetic) take_version(o.resource_version);
    if (event.type == watch_event_type::deleted) {
        // Without a uid: the stored state is the last known one.
        changes.push_back({.type = delta_type::deleted, .obj = only_named(o.key)});
        outdated_.remove(o.key);
    } else {
        outdated_.add(o.key);
    }
    stats_.outdated = outdated_.size();
}

void reflector_core::take_version(std::string_view version)
{
    if (!version.empty()) watch_.reached = version;
}

reflector_core::action reflector_core::on_applied(const result<>& applied, time_point now)
{
    if (phase_ == phase::stopped) return do_stop{};
    const bool replacing = phase_ == phase::replacing || phase_ == phase::paging;
    if (!applied) {
        // The version does not advance; a list repairs what is missing.
        fail(replacing ? "the list could not be applied" : "events could not be applied", applied.error());
        return wait_then_list(applied.error(), relist_reason::apply_failed);
    }
    if (replacing) return on_list_applied(now);
    watch_.moved = watch_.moved || version_ != watch_.reached;
    version_ = watch_.reached;
    note_health(now);
    if (watch_.ends_with) return watch_error(*std::exchange(watch_.ends_with, std::nullopt), now);
    return read_on();
}

reflector_core::action reflector_core::on_list_applied(time_point now)
{
    if (!list_.token.empty()) {
        ++list_.page;
        return ask_page();
    }
    const bool stream_goes_on = list_.streamed;
    note_listed(now);
    if (!stream_goes_on) return begin_watch(false);
    if (watch_.rest.empty() || wants_list_) return read_on();
    phase_ = phase::reading;
    return on_events(std::exchange(watch_.rest, {}), now);
}

reflector_core::action reflector_core::end_of_watch(time_point now)
{
    // Not "without an event": a server that repeats one bookmark and closes would be queried without a pause.
    if (!watch_.moved && lived(now) < policy_.short_watch) {
        const failure why(cond::unreachable, "the watch ended at once without events");
        fail("very short watch", why);
        return wait_then_list(why, relist_reason::short_watch);
    }
    note_health(now);
    broken_at_once_ = 0;
    return begin_watch(false);
}

reflector_core::action reflector_core::on_ended_early(time_point now)
{
    if (phase_ == phase::stopped || watch_.initial || watch_.moved || lived(now) >= policy_.short_watch)
        return on_events({}, now);
    // Not at once: informers whose certificates expire when they are made would end each other's watches without a pause.
    return wait_then_watch(failure(cond::unreachable, "newer certificates replaced those of a new watch"));
}

reflector_core::action reflector_core::on_watch_failed(const failure& why, time_point now)
{
    if (phase_ == phase::stopped) return do_stop{};
    if (watch_.initial) return stream_failed(why, now);
    note_health(now);
    switch (why.condition()) {
    case cond::timed_out:
    case cond::unreachable:
    case cond::cancelled:
        fail(why == cond::timed_out ? "watch fell silent" : "watch broke", why);
        if (watch_.moved || lived(now) >= policy_.short_watch) {
            broken_at_once_ = 0;
            return begin_watch(true);
        }
        // It may never get further, as behind a proxy that cuts each answer: lists show what happens meanwhile.
        if (++broken_at_once_ % listed_after != 0) return wait_then_watch(why);
        return wait_then_list(why, relist_reason::short_watch);
    case cond::corrupt:
        ++stats_.decode_errors;
        fail("watch could not be decoded", why);
        incidents_.back().passing = true;
        return wait_then_list(why, relist_reason::corrupt);
    default:
        return watch_error(why, now);
    }
}

// Half-open: the server should have sent something, or ended the watch, long ago.
reflector_core::action reflector_core::on_silence(time_point now)
{
    if (phase_ == phase::stopped) return do_stop{};
    if (wants_list_ && !watch_.initial) return list_wanted();
    // The server drops the last bookmark, or does not know the parameter.
    if (watch_.initial) return not_offered(failure(cond::timed_out, "the streamed list did not end in time"));
    const bool overdue = now >= watch_.overdue;
    ++(overdue ? stats_.overdue_ends : stats_.idle_ends);
    return on_watch_failed(
        failure(cond::timed_out, overdue ? "the watch exceeded its timeout" : "neither an event nor a bookmark"), now);
}

reflector_core::action reflector_core::watch_error(const failure& why, time_point now)
{
    note_health(now);
    fail("watch ended by the server", why);
    if (why == cond::retry_later || sits_out(why, now)) return wait_then_watch(why);
    // A 410 of a watch does not invalidate the version for a list: "not older than" still holds.
    if (why == cond::expired) note_refused();
    return wait_then_list(why, why == cond::expired ? relist_reason::expired : relist_reason::server_error);
}

bool reflector_core::sits_out(const failure& why, time_point now)
{
    if (why != cond::internal || why.status() == nullptr || policy_.internal_error_retry == duration::zero())
        return false;
    if (!internal_until_) internal_until_ = time_after(now, policy_.internal_error_retry);
    return now < *internal_until_;
}

void reflector_core::note_health(time_point now)
{
    if (lived(now) < policy_.healthy_after) return;
    backoff_.reset();
    internal_until_.reset();
}

} // namespace kubecoro::detail
