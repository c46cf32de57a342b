// A few lines about an informer, for people.

#include "informer/informer_engine.hpp"

#include <chrono>

namespace kubecoro::detail {
namespace {

template<class Number>
std::string text(Number n)
{
    return std::to_string(n);
}

std::string whole_seconds(duration d) { return text(std::chrono::duration_cast<std::chrono::seconds>(d).count()); }

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
           ", with unknown fields " + text(r.partial) + ", outdated objects " + text(r.outdated) + ", decode errors " +
           text(r.decode_errors) + ", failures " + text(r.failures) + ", parked " + text(r.parks) + " times";
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

std::string line(const informer_stats::consistency_checks& c)
{
    if (c.checks == 0) return {};
    return "\n  consistency checks " + text(c.checks) + ", skipped " + text(c.skipped) + ", failed " + text(c.failed) +
           (c.last_difference.empty() ? "" : ": ") + c.last_difference;
}

} // namespace

std::string describe_informer(const informer_settings& settings, const lane_set& lanes, const informer_stats& s)
{
    std::string out = settings.resource.display_name();
    if (settings.label != out) out += " (" + settings.label + ")";
    if (!lanes.covers_just(namespaces_core({}))) out += " in " + text(lanes.namespaces().size()) + " namespace(s)";
    out += ": " + std::string(to_string(s.state)) + (s.synced ? ", synced" : ", not synced") + ", " + text(s.objects) +
           " objects, " + (s.passed_over != 0 ? text(s.passed_over) + " passed over, " : "") + text(s.bytes) +
           " bytes, version " + (s.resource_version.empty() ? "-" : s.resource_version);
    if (s.silent_for) out += ", heard " + whole_seconds(*s.silent_for) + " s ago";
    if (s.reflector.behind != 0 && s.store_age)
        out += ", behind: the server refuses to watch from its version, it may be " + whole_seconds(*s.store_age) +
               " s old";
    out += line(s.storage);
    if (!s.indexed_labels.empty()) out += "\n  indexed labels:";
    for (const auto& label : s.indexed_labels) out += " " + label;
    out += line(s.reflector);
    out +=
        "\n  notifications: added " + text(s.added) + ", updated " + text(s.updated) + ", deleted " + text(s.deleted);
    if (s.pending != 0) out += ", to be processed " + text(s.pending);
    if (s.processing_failures != 0) out += ", processing failed " + text(s.processing_failures);
    if (s.transform_failures != 0) out += ", transforms failed " + text(s.transform_failures);
    if (s.index_failures != 0) out += ", index functions failed " + text(s.index_failures);
    for (const auto& h : s.handlers) out += line(h);
    out += line(s.consistency);
    if (s.ended_by) out += "\n  ended by: " + s.ended_by->describe();
    if (s.reflector.last_failure) out += "\n  last failure: " + s.reflector.last_failure->describe();
    return out;
}

} // namespace kubecoro::detail
