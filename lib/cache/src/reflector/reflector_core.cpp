#include "reflector/reflector_core.hpp"

#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/clock.hpp>

#include <algorithm>
#include <compare>
#include <iterator>
#include <utility>

namespace kubecoro::detail {
namespace {

/// Upper limit for a server's Retry-After.
constexpr std::chrono::seconds longest_retry_after{300};

constexpr std::uint32_t default_page_size = 500;

/// Why the newest list is requested after a list has failed.
relist_reason reason_of(const failure& why)
{
    if (why == cond::expired) return relist_reason::expired;
    return why == cond::too_large_resource_version ? relist_reason::too_large : relist_reason::list_failed;
}

/// A pause and up to half of it more: many informers are refused at the same time.
duration with_jitter(std::chrono::seconds pause, double draw)
{
    const std::chrono::duration<double> spread = pause * (1 + 0.5 * draw);
    return std::chrono::duration_cast<duration>(spread);
}

} // namespace

reflector_core::reflector_core(reflector_policy policy, reflector_expectation expected, std::uint64_t seed,
                               std::shared_ptr<watch_list_ability> ability, list_delivery delivery)
    : policy_(policy),
      expected_(std::move(expected)),
      ability_(std::move(ability)),
      delivery_(delivery),
      backoff_(policy.backoff, seed),
      parking_(policy.probe, seed + 2),
      random_(seed + 1)
{
    version_ = expected_.not_before;
}

reflector_core::action reflector_core::start(time_point now) { return begin_list({}, now); }

reflector_core::action reflector_core::begin_list(std::optional<relist_reason> reason, time_point now)
{
    wants_list_ = false;
    if (reason && listed_once_) ++stats_.relists[static_cast<std::size_t>(*reason)];
    if (wants_none_) return begin_bare_list();
    return streams(now) ? begin_stream() : begin_pages();
}

// For any version but the newest, servers ignore the limit.
reflector_core::action reflector_core::begin_bare_list()
{
    ++stats_.lists;
    list_ = {};
    list_.bare = true;
    list_.limit = 1;
    return ask_page();
}

reflector_core::action reflector_core::begin_pages()
{
    ++stats_.lists;
    list_ = {};
    if (!unavailable_) list_.version = version_.empty() ? "0" : version_;
    if (delivery_ == list_delivery::pages) list_.version.clear();
    list_.limit = page_size(list_.version);
    return ask_page();
}

// Where a limit would force the server to read etcd instead of its cache, request everything at once.
std::uint32_t reflector_core::page_size(std::string_view version) const
{
    if (policy_.page_size != 0) return policy_.page_size;
    if (has_no_cache_ || version.empty() || version == "0") return default_page_size;
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
    if (!list_.token.empty()) return ask;
    ask.options.resource_version = list_.version;
    // With a limit alone the server returns exactly that version, however old it is.
    const bool any_version = list_.version.empty() || list_.version == "0";
    if (list_.limit != 0 && !any_version) ask.options.match = version_match::not_older_than;
    return ask;
}

reflector_core::action reflector_core::on_list(result<list_page> page, time_point now)
{
    if (phase_ == phase::stopped) return do_stop{};
    if (!page) return list_failed(page.error(), now);
    parking_.answered();
    if (page->kind == "Table" || page->kind == "TableList")
        return list_failed(failure(cond::corrupt, "the server answered a list with a Table"), now);
    if (auto why = endless(*page); !why.empty()) return list_failed(failure(cond::corrupt, std::move(why)), now);

    if (list_.page == 1) {
        list_.first_version = page->resource_version;
        if (!list_.version.empty() && was_refused(list_.first_version)) return list_beyond(list_.first_version, now);
    }
    if (list_.bare) return replace_by({}, list_.first_version);
    if (!list_.first && !page->items.empty()) list_.first = page->items.front();
    std::erase_if(page->items, [this](const object& item) {
        auto why = unfit(item);
        note_partial(item);
        if (why.empty()) return false;
        note_kind(item);
        skip(std::move(why));
        return true;
    });
    if (list_.items.empty())
        list_.items = std::move(page->items);
    else
        list_.items.insert(list_.items.end(), std::make_move_iterator(page->items.begin()),
                           std::make_move_iterator(page->items.end()));
    for (auto& o : page->left_out) list_left_out(std::move(o));
    list_.token = std::move(page->continue_token);
    if (!list_.token.empty() && delivery_ == list_delivery::whole) {
        ++list_.page;
        return ask_page();
    }
    const bool last = list_.token.empty();
    if (const auto wrong = last ? wrong_kind(list_.items.size()) : std::nullopt) return list_failed(*wrong, now);
    if (delivery_ == list_delivery::pages) return deliver_page();
    if (!list_.version.empty() && (list_.limit != 0 || list_.full)) has_no_cache_ = list_.page > 1 || list_.full;
    return replace_by(std::move(list_.items), list_.first_version);
}

reflector_core::action reflector_core::deliver_page()
{
    phase_ = phase::paging;
    const bool first = list_.page == 1;
    if (first) outdated_.clear();
    note_left_out();
    list_.delivered += list_.items.size() + list_.left_out.size();
    return do_page{.items = std::exchange(list_.items, {}),
                   .left_out = std::exchange(list_.left_out, {}),
                   .first = first,
                   .last = list_.token.empty(),
                   .resource_version = list_.first_version};
}

void reflector_core::note_left_out()
{
    for (const auto& o : list_.left_out) outdated_.add(o.key);
    stats_.outdated = outdated_.size();
}

reflector_core::do_replace reflector_core::replace_by(std::vector<object> items, std::string version)
{
    phase_ = phase::replacing;
    listed_objects_ = items.size();
    outdated_.clear();
    note_left_out();
    return {std::move(items), std::move(version), std::move(list_.left_out)};
}

void reflector_core::list_left_out(left_out_object o)
{
    if (o.key.name.empty()) return skip(std::move(o.why)); // null: no stored object belongs to it
    if (!accept(o)) return;
    if (list_.streamed) {
        const auto [at, is_new] = list_.left_out_at.try_emplace(o.key, list_.left_out.size());
        if (!is_new) {
            list_.left_out[at->second] = std::move(o);
            return;
        }
    }
    list_.left_out.push_back(std::move(o));
}

bool reflector_core::accept(const left_out_object& o)
{
    const bool ours = expected_.ns.empty() || o.key.ns == expected_.ns;
    if (ours)
        skip(to_string(o.key) + (o.resource_version.empty() ? "" : " of version " + o.resource_version) +
                 " cannot be read: " + o.why,
             true);
    else
        skip("an object of another namespace");
    return ours;
}

std::string reflector_core::endless(const list_page& page)
{
    if (!page.continue_token.empty())
        if (const char* const why = list_.tokens.endless(page.continue_token); why != nullptr) return why;
    if (list_.first && list_.first.has_metadata() && !page.items.empty() && page.items.front().has_metadata() &&
        page.items.front().key() == list_.first.key())
        return "the server restarted the list instead of continuing it";
    return {};
}

reflector_core::action reflector_core::list_failed(const failure& why, time_point now)
{
    const bool gone = why == cond::expired;
    if (gone && list_.page > 1 && delivery_ == list_delivery::pages) {
        fail("a page of the list expired; listing again", why);
        return wait_then_list(why, relist_reason::expired);
    }
    if (gone && list_.page > 1 && !list_.full) {
        // The continue token is too old. Request one full list, at the version the round began with.
        fail("a page of the list expired; listing without pages", why);
        std::string version = std::move(list_.version);
        list_ = {};
        list_.version = std::move(version);
        list_.full = true;
        return ask_page();
    }
    fail("list failed", why);
    if (parking_.parked()) note_current(now); // no object exists, so that the empty store is current
    if (version_is_useless(why)) return list_newest(why, now);
    if (why == cond::corrupt) ++stats_.decode_errors;
    return wait_then_list(why, relist_reason::list_failed);
}

bool reflector_core::version_is_useless(const failure& why) const noexcept
{
    if (list_.version.empty()) return false;
    if (why == cond::expired || why == cond::too_large_resource_version) return true;
    // A version that the server does not understand, as one bookmark may bring it, would be refused for ever. Each
    // server understands "0": there the request is wrong for another reason.
    return why == cond::invalid && list_.version != "0";
}

reflector_core::action reflector_core::list_newest(const failure& why, time_point now)
{
    unavailable_ = true;
    return begin_list(reason_of(why), now);
}

bool reflector_core::was_refused(std::string_view version) const noexcept
{
    return !refused_.empty() && std::is_lteq(compare_versions(version, refused_));
}

// Refused again, though a list has led beyond the first refusal: what the server lists at a version is too old.
void reflector_core::note_refused()
{
    if (!refused_.empty()) unavailable_ = true;
    refused_ = version_;
    stats_.behind = 1;
    if (proved_before_) stats_.current_at = std::exchange(proved_before_, std::nullopt);
}

reflector_core::action reflector_core::list_beyond(std::string_view version, time_point now)
{
    const failure why(cond::expired,
                      "the list has version " + std::string(version) + ", and a watch has refused " + refused_);
    initial_ = {};
    fail("list is too old", why);
    return list_newest(why, now);
}

void reflector_core::note_current(time_point now)
{
    stats_.behind = 0;
    stats_.current_at = now;
}

void reflector_core::note_listed(time_point now)
{
    // An older one than was refused is that of a server with another history, such as one restored from a backup.
    const bool newest = list_.version.empty();
    if (newest && list_.first_version != refused_) refused_.clear();
    if (!was_refused(list_.first_version)) {
        proved_before_ = stats_.current_at;
        note_current(now);
    }
    // Only now: had the list failed as well, streaming would not have been the cause.
    if (std::exchange(doubted_, false)) ability_->refused(time_after(now, policy_.watch_list_retry));
    listed_once_ = true;
    parking_.succeeded();
    version_ = std::move(list_.first_version);
    list_ = {};
    unavailable_ = false;
    stream_failures_ = 0;
    list_plainly_ = false;
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
    if (const auto look = parking_.next_look()) {
        if (look->first) {
            ++stats_.parks;
            gone_untold_ = true;
        }
        outdated_.clear();
        stats_.outdated = 0;
        then_list_ = relist_reason::parked;
        return do_wait{look->after, gone_untold_};
    }
    const duration delay = backoff_.next();
    const auto asked = why.retry_after();
    if (!asked) return do_wait{delay};
    const auto pause = std::min(*asked, longest_retry_after);
    return do_wait{std::max(delay, with_jitter(pause, next_unit(random_)))};
}

reflector_core::action reflector_core::on_wake()
{
    if (phase_ == phase::stopped) return do_stop{};
    gone_untold_ = false;
    if (!then_list_) return begin_watch(true);
    phase_ = phase::queued;
    return do_take_turn{};
}

reflector_core::action reflector_core::list_wanted()
{
    watch_ = {};
    then_list_ = relist_reason::share_grew;
    return on_wake();
}

reflector_core::action reflector_core::on_turn(time_point now)
{
    if (phase_ == phase::stopped) return do_stop{};
    return begin_list(std::exchange(then_list_, std::nullopt), now);
}

reflector_core::action reflector_core::on_cancel()
{
    phase_ = phase::stopped;
    list_ = {};
    initial_ = {};
    incidents_.clear(); // failures caused by the cancellation are not reported
    return do_stop{};
}

reflector_core::action reflector_core::on_lost(const failure& why)
{
    if (phase_ == phase::stopped) return do_stop{};
    // The version stays: everything up to it has been applied, and a list brings the rest.
    // It also brings what the sink has lost, because it is complete.
    list_ = {};
    initial_ = {};
    watch_ = {};
    fail("the sink failed", why);
    return wait_then_list(why, relist_reason::apply_failed);
}

std::string reflector_core::unfit(const object& o) const
{
    if (!o) return "an event without an object";
    if (!o.has_metadata()) return "an object without metadata";
    if (auto other = other_kind(o); !other.empty()) return other;
    if (!expected_.ns.empty() && o.ns() != expected_.ns) return "an object of another namespace";
    return {};
}

std::string reflector_core::other_kind(const object& o) const
{
    const auto kind = o.kind();
    const auto version = o.api_version();
    if ((expected_.kind.empty() || kind.empty() || kind == expected_.kind) &&
        (expected_.api_version.empty() || version.empty() || version == expected_.api_version))
        return {};
    return "a " + std::string(version) + " " + std::string(kind).substr(0, 64) + " where a " + expected_.kind +
           " was expected";
}

void reflector_core::note_kind(const object& o)
{
    if (o && list_.other_kind.empty()) list_.other_kind = other_kind(o);
}

std::optional<failure> reflector_core::wrong_kind(std::size_t fit) const
{
    if (fit + list_.delivered != 0 || !list_.left_out.empty() || list_.other_kind.empty()) return std::nullopt;
    return failure(cond::misconfigured, "the list is of another kind: " + list_.other_kind);
}

void reflector_core::skip(std::string why, bool outdated)
{
    ++stats_.skipped;
    // A stream of invalid events must not fill the memory with reports; the counter includes the rest.
    if (incidents_.size() < 16 || outdated)
        incidents_.push_back(
            {.what = "skipped", .why = failure(cond::corrupt, std::move(why)), .skipped = true, .outdated = outdated});
}

void reflector_core::note_partial(const object& o)
{
    if (!o.is_partial() || ++stats_.partial != 1) return;
    incidents_.push_back(
        {.what = "objects have fields that this version does not know",
         .why =
             failure(cond::corrupt, to_string(o.key()) + " is one of them; decode_options::form json keeps the fields"),
         .skipped = true});
}

void reflector_core::fail(std::string_view what, const failure& why)
{
    ++stats_.failures;
    parking_.failed(why, listed_once_);
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
    case phase::paging:
        return informer_state::listing;
    case phase::opening:
    case phase::reading:
    case phase::applying:
        return watch_.initial ? informer_state::listing : informer_state::watching;
    case phase::waiting:
        return informer_state::waiting;
    case phase::queued:
        return informer_state::queued;
    case phase::stopped:
        return informer_state::stopped;
    }
    return informer_state::stopped;
}

} // namespace kubecoro::detail
