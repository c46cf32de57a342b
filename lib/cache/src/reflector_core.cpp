#include "reflector_core.hpp"

#include <kubecoro/base/later.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace kubecoro {
namespace {

/// A server that asks for more patience than this gets another question anyway.
constexpr std::chrono::seconds longest_retry_after{300};

/// No server counts much further: kube-apiserver multiplies to nanoseconds without looking.
constexpr std::chrono::seconds longest_watch = std::chrono::hours{24 * 365};

constexpr std::uint32_t default_page_size = 500;

/// Ten million objects in pages of the default size: a list that is longer has no end.
constexpr std::uint32_t max_pages = 20'000;

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

std::chrono::seconds draw(random_source& random, std::chrono::seconds from, std::chrono::seconds to)
{
    from = std::min(from, longest_watch);
    to = std::min(to, longest_watch);
    const auto span = static_cast<double>(std::max<std::chrono::seconds::rep>(0, (to - from).count()) + 1);
    return from + std::chrono::seconds(static_cast<std::chrono::seconds::rep>(std::floor(next_unit(random) * span)));
}

} // namespace

reflector_core::reflector_core(reflector_policy policy, reflector_expectation expected, std::uint64_t seed)
    : policy_(policy),
      expected_(std::move(expected)),
      backoff_(policy.backoff, seed),
      parking_(policy.probe, seed + 2),
      random_(seed + 1)
{
    version_ = expected_.not_before;
}

reflector_core::action reflector_core::start() { return begin_list({}); }

reflector_core::action reflector_core::begin_list(std::optional<relist_reason> reason)
{
    ++stats_.lists;
    if (reason && listed_once_) ++stats_.relists[static_cast<std::size_t>(*reason)];
    list_ = {};
    if (!unavailable_) list_.version = version_.empty() ? "0" : version_;
    list_.limit = page_size(list_.version);
    return ask_page();
}

// Where a limit would force the server to read etcd instead of its cache, ask for everything at once.
std::uint32_t reflector_core::page_size(std::string_view version) const
{
    if (policy_.page_size != 0) return policy_.page_size;
    if (paginated_at_zero_ || version.empty() || version == "0") return default_page_size;
    return 0;
}

reflector_core::action reflector_core::ask_page()
{
    ++stats_.pages;
    phase_ = phase::listing;
    do_list ask;
    ask.options.limit = list_.limit;
    ask.options.continue_token = list_.token;
    // "specifying resource version is not allowed when using continue"
    if (list_.token.empty()) ask.options.resource_version = list_.version;
    return ask;
}

reflector_core::action reflector_core::on_list(result<list_page> page)
{
    if (phase_ == phase::stopped) return do_stop{};
    if (!page) return list_failed(page.error());
    if (page->kind == "Table" || page->kind == "TableList")
        return list_failed(failure(cond::corrupt, "the server answered a list with a Table"));
    if (auto why = endless(*page); !why.empty()) return list_failed(failure(cond::corrupt, std::move(why)));

    if (list_.page == 1) list_.first_version = page->resource_version;
    if (!list_.first && !page->items.empty()) list_.first = page->items.front();
    std::erase_if(page->items, [this](const object& item) {
        auto why = unfit(item);
        if (why.empty()) return false;
        skip(std::move(why));
        return true;
    });
    if (list_.items.empty())
        list_.items = std::move(page->items);
    else
        list_.items.insert(list_.items.end(), std::make_move_iterator(page->items.begin()),
                           std::make_move_iterator(page->items.end()));
    list_.token = std::move(page->continue_token);
    if (!list_.token.empty()) {
        ++list_.page;
        return ask_page();
    }
    if (list_.version == "0") paginated_at_zero_ = list_.page > 1;
    phase_ = phase::replacing;
    return do_replace{std::move(list_.items), list_.first_version};
}

// A server that goes in circles would be asked without a pause, and the round would grow without end.
std::string reflector_core::endless(const list_page& page) const
{
    if (!page.continue_token.empty() && page.continue_token == list_.token)
        return "the server answered a page with its own continue token";
    if (!page.continue_token.empty() && list_.page >= max_pages)
        return "the list has more than " + std::to_string(max_pages) + " pages";
    if (list_.first && list_.first.has_metadata() && !page.items.empty() && page.items.front().has_metadata() &&
        page.items.front().key() == list_.first.key())
        return "the server began the list anew instead of going on with it";
    return {};
}

reflector_core::action reflector_core::list_failed(const failure& why)
{
    const bool gone = why == cond::expired;
    if (gone && list_.page > 1 && !list_.full) {
        // The continue token is too old. One full list, at the version the round began with.
        fail("a page of the list expired; listing without pages", why);
        std::string version = std::move(list_.version);
        list_ = {};
        list_.version = std::move(version);
        list_.full = true;
        return ask_page();
    }
    fail("list failed", why);
    if ((gone || why == cond::too_large_resource_version) && !list_.version.empty()) {
        unavailable_ = true;
        return begin_list(gone ? relist_reason::expired : relist_reason::too_large);
    }
    if (why == cond::corrupt) ++stats_.decode_errors;
    return wait_then_list(why, relist_reason::list_failed);
}

reflector_core::action reflector_core::begin_watch(bool reconnect)
{
    if (reconnect) ++stats_.reconnects;
    watch_ = {};
    watch_.synthetic = version_.empty() || version_ == "0";
    phase_ = phase::opening;
    do_watch ask;
    ask.options.resource_version = version_;
    ask.options.timeout = draw(random_, policy_.watch_timeout_min, policy_.watch_timeout_max);
    ask.end_after = sum(capped(ask.options.timeout), policy_.watch_grace);
    return ask;
}

reflector_core::action reflector_core::on_watch_opened(const result<>& opened, time_point now)
{
    if (phase_ == phase::stopped) return do_stop{};
    if (opened) {
        ++stats_.watches;
        watch_.opened = now;
        phase_ = phase::reading;
        return do_read{};
    }
    const failure& why = opened.error();
    fail("watch refused", why);
    if (passes_by_itself(why)) return wait_then_watch(why);
    return wait_then_list(why, why == cond::expired ? relist_reason::expired : relist_reason::watch_refused);
}

reflector_core::action reflector_core::on_events(std::vector<watch_event> batch, time_point now)
{
    if (phase_ == phase::stopped) return do_stop{};
    if (batch.empty()) return end_of_watch(now);
    std::vector<delta> changes;
    changes.reserve(batch.size());
    watch_.reached = version_;
    for (auto& event : batch) {
        take_event(event, changes);
        if (watch_.ends_with) break;
    }
    if (changes.empty() && watch_.reached == version_) return on_applied({}, now);
    phase_ = phase::applying;
    return do_apply{std::move(changes), watch_.reached};
}

void reflector_core::take_event(watch_event& event, std::vector<delta>& changes)
{
    switch (event.type) {
    case watch_event_type::error:
        watch_.ends_with = failure(std::move(event.status));
        return;
    case watch_event_type::unknown:
        return skip("an event of unknown type '" + event.unknown_type + "'");
    case watch_event_type::bookmark:
        if (event.obj.resource_version().empty()) return skip("a bookmark without a resource version");
        ++stats_.bookmarks;
        watch_.synthetic = false;
        return take_version(event.obj.resource_version());
    default:
        break;
    }
    if (auto why = unfit(event.obj); !why.empty()) return skip(std::move(why));
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
    changes.push_back({.type = type, .obj = std::move(event.obj)});
}

void reflector_core::take_version(std::string_view version)
{
    if (!version.empty()) watch_.reached = version;
}

reflector_core::action reflector_core::on_applied(const result<>& applied, time_point now)
{
    if (phase_ == phase::stopped) return do_stop{};
    const bool replacing = phase_ == phase::replacing;
    if (!applied) {
        // The version stays where it was; a list repairs whatever is missing.
        fail(replacing ? "the list could not be applied" : "events could not be applied", applied.error());
        return wait_then_list(applied.error(), relist_reason::apply_failed);
    }
    if (replacing) {
        listed_once_ = true;
        parking_.succeeded();
        version_ = std::move(list_.first_version);
        unavailable_ = false;
        return begin_watch(false);
    }
    watch_.moved = watch_.moved || version_ != watch_.reached;
    version_ = watch_.reached;
    note_health(now);
    if (watch_.ends_with) return watch_error(*std::exchange(watch_.ends_with, std::nullopt), now);
    phase_ = phase::reading;
    return do_read{};
}

reflector_core::action reflector_core::end_of_watch(time_point now)
{
    // Not "without an event": a server that repeats one bookmark and closes would be asked again without a pause.
    if (!watch_.moved && lived(now) < policy_.short_watch) {
        const failure why(cond::unreachable, "the watch ended at once without news");
        fail("very short watch", why);
        return wait_then_list(why, relist_reason::short_watch);
    }
    note_health(now);
    return begin_watch(false);
}

reflector_core::action reflector_core::on_watch_failed(const failure& why, time_point now)
{
    if (phase_ == phase::stopped) return do_stop{};
    note_health(now);
    switch (why.condition()) {
    case cond::timed_out: // half-open: the server was to end it long ago
    case cond::unreachable:
    case cond::cancelled:
        fail(why == cond::timed_out ? "watch silent beyond its end" : "watch broke", why);
        if (watch_.moved || lived(now) >= policy_.short_watch) return begin_watch(true);
        return wait_then_watch(why);
    case cond::corrupt:
        ++stats_.decode_errors;
        fail("watch not understood", why);
        return wait_then_list(why, relist_reason::corrupt);
    default:
        return watch_error(why, now);
    }
}

reflector_core::action reflector_core::watch_error(const failure& why, time_point now)
{
    note_health(now);
    fail("watch ended by the server", why);
    if (why == cond::retry_later) return wait_then_watch(why);
    // A 410 of a watch does not make the version useless to a list: "not older than" still holds.
    return wait_then_list(why, why == cond::expired ? relist_reason::expired : relist_reason::server_error);
}

reflector_core::action reflector_core::wait_then_list(const failure& why, relist_reason reason)
{
    then_list_ = reason;
    return wait_for(why);
}

reflector_core::action reflector_core::wait_then_watch(const failure& why)
{
    then_list_.reset();
    return wait_for(why);
}

reflector_core::action reflector_core::wait_for(const failure& why)
{
    phase_ = phase::waiting;
    const bool was_parked = parking_.parked();
    if (const auto look_after = parking_.failed(why, listed_once_)) {
        if (!was_parked) ++stats_.parks;
        then_list_ = relist_reason::parked;
        return do_wait{*look_after, !was_parked};
    }
    duration delay = backoff_.next();
    if (const auto asked = why.retry_after())
        delay = std::max<duration>(delay, std::min<std::chrono::seconds>(*asked, longest_retry_after));
    return do_wait{delay};
}

reflector_core::action reflector_core::on_wake()
{
    if (phase_ == phase::stopped) return do_stop{};
    if (then_list_) return begin_list(std::exchange(then_list_, std::nullopt));
    return begin_watch(true);
}

reflector_core::action reflector_core::on_cancel()
{
    phase_ = phase::stopped;
    list_ = {};
    incidents_.clear(); // what the cancellation broke is nobody's failure
    return do_stop{};
}

void reflector_core::note_health(time_point now)
{
    if (lived(now) >= policy_.healthy_after) backoff_.reset();
}

std::string reflector_core::unfit(const object& o) const
{
    if (!o) return "an event without an object";
    if (!o.has_metadata()) return "an object without metadata";
    const auto kind = o.kind();
    const auto version = o.api_version();
    if ((!expected_.kind.empty() && !kind.empty() && kind != expected_.kind) ||
        (!expected_.api_version.empty() && !version.empty() && version != expected_.api_version))
        return "a " + std::string(version) + " " + std::string(kind).substr(0, 64) + " where a " + expected_.kind +
               " was expected";
    if (!expected_.ns.empty() && o.ns() != expected_.ns) return "an object of another namespace";
    return {};
}

void reflector_core::skip(std::string why)
{
    ++stats_.skipped;
    // A stream of rubbish must not fill the memory with reports; the count tells the rest.
    if (incidents_.size() < 16) incidents_.push_back({"skipped", failure(cond::corrupt, std::move(why)), true});
}

void reflector_core::fail(std::string_view what, const failure& why)
{
    ++stats_.failures;
    stats_.last_failure = why;
    incidents_.push_back({what, why, false});
}

std::vector<reflector_core::incident> reflector_core::take_incidents() { return std::exchange(incidents_, {}); }

informer_state reflector_core::state() const noexcept
{
    if (parking_.parked() && phase_ != phase::stopped) return informer_state::parked;
    switch (phase_) {
    case phase::idle:
        return informer_state::created;
    case phase::listing:
    case phase::replacing:
        return informer_state::listing;
    case phase::opening:
    case phase::reading:
    case phase::applying:
        return informer_state::watching;
    case phase::waiting:
        return informer_state::waiting;
    case phase::stopped:
        return informer_state::stopped;
    }
    return informer_state::stopped;
}

} // namespace kubecoro
