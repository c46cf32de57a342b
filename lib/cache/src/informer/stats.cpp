#include "informer/informer_lane.hpp"

#include <kubecoro/cache/notification.hpp>
#include <kubecoro/cache/stats.hpp>

#include <algorithm>
#include <numeric>

namespace kubecoro {
using namespace detail;

std::string_view to_string(coalesce policy) noexcept
{
    switch (policy) {
    case coalesce::hybrid:
        return "hybrid";
    case coalesce::never:
        return "never";
    case coalesce::latest_per_key:
        return "latest_per_key";
    }
    return "unknown";
}

const object& object_of(const notification<object>& n) noexcept
{
    if (const auto* a = std::get_if<added<object>>(&n)) return a->obj;
    if (const auto* u = std::get_if<updated<object>>(&n)) return u->after;
    return std::get_if<deleted<object>>(&n)->obj;
}

std::string_view to_string(departure d) noexcept
{
    switch (d) {
    case departure::deleted:
        return "deleted";
    case departure::namespace_left:
        return "namespace_left";
    case departure::kind_gone:
        return "kind_gone";
    case departure::share_left:
        return "share_left";
    }
    return "?";
}

std::string_view to_string(informer_state s) noexcept
{
    switch (s) {
    case informer_state::created:
        return "created";
    case informer_state::listing:
        return "listing";
    case informer_state::watching:
        return "watching";
    case informer_state::waiting:
        return "waiting";
    case informer_state::parked:
        return "parked";
    case informer_state::queued:
        return "queued";
    case informer_state::stopped:
        return "stopped";
    case informer_state::failed:
        return "failed";
    }
    return "?";
}

std::string_view to_string(relist_reason r) noexcept
{
    switch (r) {
    case relist_reason::expired:
        return "expired";
    case relist_reason::too_large:
        return "too_large";
    case relist_reason::list_failed:
        return "list_failed";
    case relist_reason::watch_refused:
        return "watch_refused";
    case relist_reason::short_watch:
        return "short_watch";
    case relist_reason::corrupt:
        return "corrupt";
    case relist_reason::server_error:
        return "server_error";
    case relist_reason::apply_failed:
        return "apply_failed";
    case relist_reason::parked:
        return "parked";
    case relist_reason::share_grew:
        return "share_grew";
    }
    return "?";
}

std::uint64_t reflector_stats::relists_total() const noexcept
{
    return std::accumulate(relists.begin(), relists.end(), std::uint64_t{0});
}

} // namespace kubecoro

namespace kubecoro::detail {

void add(reflector_stats& sum, const reflector_stats& one)
{
    sum.lists += one.lists;
    sum.pages += one.pages;
    for (std::size_t i = 0; i < relist_reasons; ++i) sum.relists[i] += one.relists[i];
    sum.watch_lists += one.watch_lists;
    sum.fallbacks += one.fallbacks;
    sum.watches += one.watches;
    sum.reconnects += one.reconnects;
    sum.overdue_ends += one.overdue_ends;
    sum.idle_ends += one.idle_ends;
    sum.bookmarks += one.bookmarks;
    sum.events_added += one.events_added;
    sum.events_modified += one.events_modified;
    sum.events_deleted += one.events_deleted;
    sum.skipped += one.skipped;
    sum.partial += one.partial;
    sum.outdated += one.outdated;
    sum.behind += one.behind;
    if (one.current_at) sum.current_at = std::min(sum.current_at.value_or(time_point::max()), *one.current_at);
    sum.decode_errors += one.decode_errors;
    sum.failures += one.failures;
    sum.parks += one.parks;
    if (one.last_failure) sum.last_failure = one.last_failure;
}

} // namespace kubecoro::detail
