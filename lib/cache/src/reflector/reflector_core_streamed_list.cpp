// Streamed lists (WatchList): a watch that starts with the existing objects. A bookmark ends them, and the same stream
// continues as the watch.

#include "reflector/reflector_core.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kubecoro::detail {

bool reflector_core::streams(time_point now) const noexcept
{
    return policy_.watch_list && ability_ != nullptr && !list_plainly_ && ability_->worth_trying(now);
}

reflector_core::action reflector_core::begin_stream()
{
    ++stats_.watch_lists;
    list_ = {};
    list_.streamed = true;
    // Unlike a LIST at "0": for "" the server waits until its cache is as new as its storage.
    if (!unavailable_) list_.version = version_;
    initial_ = {};
    initial_.expect(listed_objects_);
    watch_ = {};
    watch_.initial = true;
    auto ask = new_watch(list_.version);
    ask.options.match = version_match::not_older_than;
    ask.options.send_initial_events = true;
    return ask;
}

reflector_core::action reflector_core::stream_refused(const failure& why, time_point now)
{
    switch (why.condition()) {
    case cond::retry_later:
    case cond::unreachable:
    case cond::cancelled: // not a decision of the server
        fail("streamed list refused", why);
        return wait_then_list(why, relist_reason::list_failed);
    case cond::timed_out:
    case cond::expired:
    case cond::too_large_resource_version:
        return stream_failed(why, now);
    case cond::invalid: // does not know the parameter
        return not_offered(why);
    default: // a LIST shows the actual problem
        return fall_back(why);
    }
}

reflector_core::action reflector_core::on_initial_events(std::vector<watch_event> batch, time_point now)
{
    if (batch.empty()) {
        const failure why(cond::unreachable, "the streamed list ended before its last bookmark");
        return stream_failures_ + 1 < policy_.watch_list_attempts ? stream_failed(why, now) : not_offered(why);
    }
    for (auto event = batch.begin(); event != batch.end(); ++event) {
        if (event->type == watch_event_type::error) return stream_failed(event->to_failure(), now);
        if (event->ends_initial_events() && !event->obj.resource_version().empty()) {
            note_kind(event->obj); // the only indication of the kind of an empty collection
            watch_.rest.assign(std::make_move_iterator(event + 1), std::make_move_iterator(batch.end()));
            return end_of_stream(std::string(event->obj.resource_version()), now);
        }
        take_initial(*event, now);
    }
    return do_read{};
}

void reflector_core::take_initial(watch_event& event, time_point now)
{
    if (event.type == watch_event_type::unknown) return skip("an event of unknown type '" + event.unknown_type + "'");
    if (event.type == watch_event_type::bookmark) return;
    if (event.passed_over || event.left_out) {
        if (event.type == watch_event_type::added) watch_.last_listed = now;
        if (event.left_out) take_initial_left_out(event);
        return;
    }
    if (auto why = unfit(event.obj); !why.empty()) {
        note_kind(event.obj);
        return skip(std::move(why));
    }
    note_partial(event.obj);
    if (event.type != watch_event_type::added) forget_left_out(event.obj.key());
    if (event.type == watch_event_type::deleted) return initial_.remove(event.obj.key());
    if (event.type == watch_event_type::modified) return initial_.change(std::move(event.obj));
    // Changes do not count: a server that ignores the parameter and sends ordinary events would never be detected.
    watch_.last_listed = now;
    initial_.add(std::move(event.obj));
}

void reflector_core::take_initial_left_out(const watch_event& event)
{
    const left_out_object& o = *event.left_out;
    if (event.type != watch_event_type::deleted) return list_left_out(o);
    if (!accept(o)) return;
    forget_left_out(o.key);
    initial_.remove(o.key);
}

void reflector_core::forget_left_out(object_key_view key)
{
    const auto at = list_.left_out_at.find(key);
    if (at == list_.left_out_at.end()) return;
    // By the last one's move: a search for each change would take a time that grows with the square of their number.
    const auto place = at->second;
    list_.left_out_at.erase(at);
    auto& last = list_.left_out.back();
    if (place + 1 != list_.left_out.size()) {
        list_.left_out_at.find(last.key)->second = place;
        list_.left_out[place] = std::move(last);
    }
    list_.left_out.pop_back();
}

reflector_core::action reflector_core::end_of_stream(std::string version, time_point now)
{
    if (const auto wrong = wrong_kind(initial_.size())) {
        initial_ = {};
        return list_failed(*wrong, now);
    }
    if (!list_.version.empty() && was_refused(version)) return list_beyond(version, now);
    watch_.initial = false;
    watch_.opened = now;
    watch_.moved = true;
    list_.first_version = version;
    return replace_by(initial_.take(), std::move(version));
}

reflector_core::action reflector_core::stream_failed(const failure& why, time_point now)
{
    initial_ = {};
    if (version_is_useless(why)) {
        fail("list failed", why);
        return list_newest(why, now);
    }
    switch (why.condition()) {
    case cond::retry_later:
        fail("streamed list ended by the server", why);
        return wait_then_list(why, relist_reason::list_failed);
    case cond::corrupt:
        ++stats_.decode_errors;
        return stream_broke(why);
    default:
        return stream_broke(why);
    }
}

reflector_core::action reflector_core::stream_broke(const failure& why)
{
    if (++stream_failures_ >= policy_.watch_list_attempts) return fall_back(why);
    fail("streamed list broke", why);
    incidents_.back().passing = true;
    return wait_then_list(why, relist_reason::list_failed);
}

reflector_core::action reflector_core::not_offered(const failure& why)
{
    doubted_ = true;
    return fall_back(why);
}

reflector_core::action reflector_core::fall_back(const failure& why)
{
    ++stats_.fallbacks;
    if (why != cond::not_found) parking_.answered();
    incidents_.push_back({.what = "streamed list failed, falling back to LIST", .why = why, .detour = true});
    list_plainly_ = true;
    stream_failures_ = 0;
    initial_ = {};
    watch_ = {};
    return begin_pages();
}

} // namespace kubecoro::detail
