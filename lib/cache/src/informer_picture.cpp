// What an informer says of itself: state, counts, text for people.

#include "informer_engine.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace kubecoro {

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
    sum.decode_errors += one.decode_errors;
    sum.failures += one.failures;
    sum.parks += one.parks;
    if (one.last_failure) sum.last_failure = one.last_failure;
}

namespace {

/// Versions are numbers on every server we know; where they are not, any order will do.
bool older(const std::string& a, const std::string& b)
{
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    std::from_chars(a.data(), a.data() + a.size(), x);
    std::from_chars(b.data(), b.data() + b.size(), y);
    return x < y;
}

/// The state that deserves attention first.
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
    informer_state s = informer_state::watching; // no namespace at all: nothing to wait for
    for (const auto& [id, l] : lanes_) s = worse(s, l->state);
    return s;
}

std::string informer_engine::last_resource_version() const
{
    std::lock_guard lock(mutex_);
    std::string newest;
    for (const auto& [id, l] : lanes_)
        if (newest.empty() || older(newest, l->version)) newest = l->version;
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

std::string informer_engine::describe() const
{
    const auto s = stats();
    const auto& r = s.reflector;
    const auto n = [](auto v) { return std::to_string(v); };
    std::string out = settings_.resource.display_name();
    if (settings_.label != out) out += " (" + settings_.label + ")";
    if (!covers_just(namespaces_core({}))) out += " in " + n(namespaces().size()) + " namespace(s)";
    out += ": " + std::string(to_string(s.state)) + (s.synced ? ", synced" : ", not synced") + ", " + n(s.objects) +
           " objects, " + n(s.bytes) + " bytes, version " + (s.resource_version.empty() ? "-" : s.resource_version);
    if (s.silent_for)
        out += ", heard " + n(std::chrono::duration_cast<std::chrono::seconds>(*s.silent_for).count()) + " s ago";
    const auto& at = s.storage;
    out += "\n  storage " + std::string(to_string(at.policy)) + ", " + n(at.shared_bytes) + " bytes shared";
    if (at.policy == storage::compressed)
        out += ", dictionary " + std::string(to_string(at.stage)) + " (" + n(at.trained) + " made, " +
               n(at.dictionaries) + " in use), packed " + n(at.packed) + ", expansions " + n(at.expansions) +
               ", broken " + n(at.broken);
    out += "\n  lists " + n(r.lists) + " (" + n(r.pages) + " pages), streamed lists " + n(r.watch_lists) +
           ", fallbacks " + n(r.fallbacks) + ", watches " + n(r.watches) + ", reconnects " + n(r.reconnects) +
           ", relists " + n(r.relists_total());
    for (std::size_t i = 0; i < relist_reasons; ++i)
        if (r.relists[i] != 0)
            out += " " + std::string(to_string(static_cast<relist_reason>(i))) + "=" + n(r.relists[i]);
    out += "\n  events: added " + n(r.events_added) + ", modified " + n(r.events_modified) + ", deleted " +
           n(r.events_deleted) + ", bookmarks " + n(r.bookmarks) + ", skipped " + n(r.skipped) + ", decode errors " +
           n(r.decode_errors) + ", failures " + n(r.failures) + ", parked " + n(r.parks) + " times";
    out += "\n  notifications: added " + n(s.added) + ", updated " + n(s.updated) + ", deleted " + n(s.deleted);
    if (s.transform_failures != 0) out += ", transforms failed " + n(s.transform_failures);
    if (s.index_failures != 0) out += ", index functions failed " + n(s.index_failures);
    for (const auto& h : s.handlers)
        out += "\n  handler " + h.name + ": " + (h.synced ? "synced" : "not synced") + ", delivered " + n(h.delivered) +
               ", pending " + n(h.pending) + ", coalesced " + n(h.coalesced) + ", failed " + n(h.failed);
    if (s.consistency.checks != 0)
        out += "\n  consistency checks " + n(s.consistency.checks) + ", skipped " + n(s.consistency.skipped) +
               ", failed " + n(s.consistency.failed) + (s.consistency.last_difference.empty() ? "" : ": ") +
               s.consistency.last_difference;
    if (r.last_failure) out += "\n  last failure: " + r.last_failure->describe();
    return out;
}

} // namespace kubecoro
