// Snapshots of an informer: state, statistics, and text for people.

#include "informer/informer_engine.hpp"

#include <kubecoro/api/resource_version.hpp>

#include <algorithm>
#include <chrono>
#include <compare>

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
    sum.outdated += one.outdated;
    sum.decode_errors += one.decode_errors;
    sum.failures += one.failures;
    sum.parks += one.parks;
    if (one.last_failure) sum.last_failure = one.last_failure;
}

namespace {

/// Returns the state that needs attention first.
informer_state worse(informer_state a, informer_state b)
{
    constexpr auto rank = [](informer_state s) {
        switch (s) {
        case informer_state::parked:
            return 4;
        case informer_state::waiting:
            return 4;
        case informer_state::queued:
            return 3;
        case informer_state::listing:
            return 2;
        case informer_state::created:
            return 1;
        default:
            return 0;
        }
    };
    return rank(a) >= rank(b) ? a : b;
}

} // namespace

informer_state informer_engine::state() const
{
    std::lock_guard lock(mutex_);
    if (stopped_ || (stopping_ && !started_)) return informer_state::stopped;
    if (!started_) return informer_state::created;
    informer_state s = informer_state::watching; // without namespaces nothing is pending
    for (const auto& [id, l] : lanes_) s = worse(s, l->state);
    return s;
}

std::string informer_engine::last_resource_version() const
{
    std::lock_guard lock(mutex_);
    std::string newest;
    for (const auto& [id, l] : lanes_)
        if (newest.empty() || std::is_lt(compare_versions(newest, l->version))) newest = l->version;
    return newest;
}

informer_stats informer_engine::stats() const
{
    informer_stats s;
    s.state = state();
    s.synced = gate_.is_open();
    s.objects = store_->size();
    s.bytes = store_->bytes();
    s.storage = encoding_->stats();
    s.resource_version = last_resource_version();
    s.transform_failures = transformer_.failures();
    s.index_failures = store_->index_failures();
    s.indexed_labels = store_->indexed_labels();
    s.consistency = checker_.stats();
    {
        std::lock_guard lock(mutex_);
        s.reflector = past_;
        for (const auto& [id, l] : lanes_) add(s.reflector, l->stats);
        s.namespaces = lanes_.size();
        std::optional<time_point> heard;
        for (const auto& [id, l] : lanes_) heard = std::max(heard, l->heard);
        if (heard) s.silent_for = settings_.time->now() - *heard;
        s.time_to_sync = time_to_sync_;
        s.added = added_;
        s.updated = updated_;
        s.deleted = deleted_;
    }
    for (const auto& l : registry_.all())
        if (!l->over()) s.handlers.push_back(l->stats());
    return s;
}

namespace {

template<class Number>
std::string text(Number n)
{
    return std::to_string(n);
}

/// Rounds to milliseconds.
std::string seconds(duration d)
{
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
    auto out = text(ms / 1000);
    if (ms % 1000 != 0) out += "." + text(1000 + ms % 1000).substr(1);
    return out + " s";
}

std::string line(const storage_stats& s)
{
    std::string out = "\n  storage " + std::string(to_string(s.policy)) + ", " + text(s.shared_bytes) + " bytes shared";
    if (s.policy == storage::compressed)
        out += ", dictionary " + std::string(to_string(s.stage)) + " (" + text(s.trained) + " made, " +
               text(s.dictionaries) + " in use), packed " + text(s.packed) + ", expansions " + text(s.expansions) +
               ", broken " + text(s.broken);
    return out;
}

std::string line(const reflector_stats& r)
{
    std::string out = "\n  lists " + text(r.lists) + " (" + text(r.pages) + " pages), streamed lists " +
                      text(r.watch_lists) + ", fallbacks " + text(r.fallbacks) + ", watches " + text(r.watches) +
                      ", reconnects " + text(r.reconnects) + ", ended by us: overdue " + text(r.overdue_ends) +
                      ", idle " + text(r.idle_ends) + ", relists " + text(r.relists_total());
    for (std::size_t i = 0; i < relist_reasons; ++i)
        if (r.relists[i] != 0)
            out += " " + std::string(to_string(static_cast<relist_reason>(i))) + "=" + text(r.relists[i]);
    return out + "\n  events: added " + text(r.events_added) + ", modified " + text(r.events_modified) + ", deleted " +
           text(r.events_deleted) + ", bookmarks " + text(r.bookmarks) + ", skipped " + text(r.skipped) +
           ", outdated objects " + text(r.outdated) + ", decode errors " + text(r.decode_errors) + ", failures " +
           text(r.failures) + ", parked " + text(r.parks) + " times";
}

std::string line(const handler_stats& h)
{
    std::string out = "\n  handler " + h.name + ": " + (h.synced ? "synced" : "not synced") + ", delivered " +
                      text(h.delivered) + ", pending " + text(h.pending) + ", coalesced " + text(h.coalesced) +
                      ", filtered " + text(h.filtered) + ", failed " + text(h.failed) + ", slow " + text(h.slow) +
                      ", slowest " + seconds(h.slowest);
    if (h.running != 0) out += ", running " + text(h.running) + " for " + seconds(h.running_for);
    return out;
}

std::string line(const consistency_stats& c)
{
    if (c.checks == 0) return {};
    return "\n  consistency checks " + text(c.checks) + ", skipped " + text(c.skipped) + ", failed " + text(c.failed) +
           (c.last_difference.empty() ? "" : ": ") + c.last_difference;
}

} // namespace

std::string informer_engine::describe() const
{
    const auto s = stats();
    std::string out = settings_.resource.display_name();
    if (settings_.label != out) out += " (" + settings_.label + ")";
    if (!covers_just(namespaces_core({}))) out += " in " + text(namespaces().size()) + " namespace(s)";
    out += ": " + std::string(to_string(s.state)) + (s.synced ? ", synced" : ", not synced") + ", " + text(s.objects) +
           " objects, " + text(s.bytes) + " bytes, version " + (s.resource_version.empty() ? "-" : s.resource_version);
    if (s.silent_for)
        out += ", heard " + text(std::chrono::duration_cast<std::chrono::seconds>(*s.silent_for).count()) + " s ago";
    out += line(s.storage);
    if (!s.indexed_labels.empty()) out += "\n  indexed labels:";
    for (const auto& label : s.indexed_labels) out += " " + label;
    out += line(s.reflector);
    out +=
        "\n  notifications: added " + text(s.added) + ", updated " + text(s.updated) + ", deleted " + text(s.deleted);
    if (s.transform_failures != 0) out += ", transforms failed " + text(s.transform_failures);
    if (s.index_failures != 0) out += ", index functions failed " + text(s.index_failures);
    for (const auto& h : s.handlers) out += line(h);
    out += line(s.consistency);
    if (s.reflector.last_failure) out += "\n  last failure: " + s.reflector.last_failure->describe();
    return out;
}

} // namespace kubecoro::detail
