#include "debug/stats_json.hpp"

#include <kubecoro/base/printable.hpp>

#include <chrono>
#include <optional>

namespace json = boost::json;

namespace kubecoro::detail {
namespace {

constexpr std::size_t longest_failure = 500;

double seconds(duration d) { return std::chrono::duration<double>(d).count(); }

json::value seconds(const std::optional<duration>& d) { return d ? json::value(seconds(*d)) : json::value(); }

json::value text_of(const std::optional<failure>& f)
{
    return f ? json::value(printable(f->describe(), longest_failure)) : json::value();
}

json::string_view view(std::string_view text) { return {text.data(), text.size()}; }

json::object to_json(const handler_stats& h)
{
    return {{"name", h.name},
            {"pending", h.pending},
            {"delivered", h.delivered},
            {"coalesced", h.coalesced},
            {"filtered", h.filtered},
            {"failed", h.failed},
            {"running", h.running},
            {"running_seconds", seconds(h.running_for)},
            {"slowest_seconds", seconds(h.slowest)},
            {"slow", h.slow},
            {"synced", h.synced}};
}

std::string_view name_of(source_state s)
{
    switch (s) {
    case source_state::syncing:
        return "syncing";
    case source_state::synced:
        return "synced";
    default:
        return "over";
    }
}

json::object to_json(const source_stats& s)
{
    return {{"name", s.name},
            {"state", view(name_of(s.state))},
            {"events", s.events},
            {"failed", s.failed},
            {"trouble", text_of(s.trouble)}};
}

template<class Stats>
json::array all_of(const std::vector<Stats>& list)
{
    json::array out;
    for (const auto& s : list) out.push_back(to_json(s));
    return out;
}

json::object to_json(const reflector_stats& r)
{
    return {{"lists", r.lists},
            {"streamed_lists", r.watch_lists},
            {"fallbacks", r.fallbacks},
            {"watches", r.watches},
            {"reconnects", r.reconnects},
            {"relists", r.relists_total()},
            {"bookmarks", r.bookmarks},
            {"skipped", r.skipped},
            {"outdated", r.outdated},
            {"decode_errors", r.decode_errors},
            {"failures", r.failures},
            {"parks", r.parks},
            {"last_failure", text_of(r.last_failure)}};
}

} // namespace

json::object to_json(const resource_type& resource, const informer_stats& s)
{
    return {{"resource", resource.group.empty() ? resource.plural : resource.plural + "." + resource.group},
            {"kind", resource.kind},
            {"state", view(to_string(s.state))},
            {"ended_by", text_of(s.ended_by)},
            {"synced", s.synced},
            {"objects", s.objects},
            {"bytes", s.bytes},
            {"resource_version", s.resource_version},
            {"namespaces", s.namespaces},
            {"silent_seconds", seconds(s.silent_for)},
            {"store_age_seconds", seconds(s.store_age)},
            {"time_to_sync_seconds", seconds(s.time_to_sync)},
            {"added", s.added},
            {"updated", s.updated},
            {"deleted", s.deleted},
            {"pending", s.pending},
            {"reflector", to_json(s.reflector)},
            {"handlers", all_of(s.handlers)}};
}

json::object to_json(const controller_stats& s)
{
    return {{"name", s.queue.name},
            {"phase", view(to_string(s.phase))},
            {"ended_by", text_of(s.ended_by)},
            {"workers", s.workers},
            {"active", s.active},
            {"succeeded", s.succeeded},
            {"requeued", s.requeued},
            {"failed", s.failed},
            {"terminal", s.terminal},
            {"threw", s.threw},
            {"timed_out", s.timed_out},
            {"cancelled", s.cancelled},
            {"run_seconds", seconds(s.run_time)},
            {"longest_run_seconds", seconds(s.longest_run)},
            {"behind_own_writes", s.behind_own_writes},
            {"own_write_timeouts", s.own_write_timeouts},
            {"sources", all_of(s.sources)}};
}

json::object to_json(const workqueue_stats& s)
{
    json::array in_work;
    for (const std::string& key : s.in_work) in_work.push_back(json::value(printable(key)));
    json::array running;
    for (const duration d : s.running_for) running.push_back(seconds(d));
    json::array classes;
    for (const auto& c : s.largest_classes) classes.push_back({{"name", printable(c.name)}, {"ready", c.ready}});
    return {{"name", s.name},
            {"ready", s.ready},
            {"processing", s.processing},
            {"delayed", s.delayed},
            {"held", s.held},
            {"keys", s.keys},
            {"bytes", s.bytes},
            {"waiting_workers", s.waiting_workers},
            {"adds", s.adds},
            {"retries", s.retries},
            {"handed_out", s.handed_out},
            {"unclassified", s.unclassified},
            {"shutting_down", s.shutting_down},
            {"in_work", std::move(in_work)},
            {"running_seconds", std::move(running)},
            {"oldest", s.oldest_age ? json::value(printable(s.oldest)) : json::value()},
            {"oldest_seconds", seconds(s.oldest_age)},
            {"class_lanes", s.class_lanes},
            {"largest_classes", std::move(classes)}};
}

} // namespace kubecoro::detail
