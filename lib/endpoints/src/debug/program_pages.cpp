#include <kubecoro/base/printable.hpp>
#include <kubecoro/cache/shared_informer.hpp>
#include <kubecoro/collections/live_queries.hpp>
#include <kubecoro/controller/controller_options.hpp>
#include <kubecoro/endpoints/debug_pages.hpp>
#include <kubecoro/endpoints/detail/bounded_page.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

json::object to_json(const controller_stats::source& s)
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

json::object to_json(const collection_stats& s)
{
    json::array inputs;
    for (const std::string& name : s.inputs) inputs.push_back(json::value(printable(name)));
    return {{"name", printable(s.name)},
            {"synced", s.synced},
            {"inputs", std::move(inputs)},
            {"elements", s.elements},
            {"waiting", s.waiting},
            {"stale", s.stale},
            {"computed", s.computed},
            {"failed", s.failed},
            {"equal", s.equal},
            {"computation_seconds", seconds(s.took)},
            {"index_failures", s.index_failures}};
}

} // namespace
} // namespace kubecoro::detail

namespace kubecoro {

std::string detail::printable_lines(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        out += printable(line) + "\n";
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return out;
}

std::string detail::text_of_rest(std::ptrdiff_t n)
{
    return std::to_string(n) + " more are not shown, because a page has " +
           std::to_string(most_debug_page_bytes / 1024) + " KiB at most\n";
}

std::string detail::json_of_rest(std::ptrdiff_t n) { return ",{\"left_out\":" + std::to_string(n) + "}"; }

namespace {

using detail::joined;
using detail::printable_lines;
using detail::text_of_rest;

/// A page that shows each element of a list.
template<class List, class Text, class Json>
debug_page page_of(std::function<List()> list, Text text, Json to_json)
{
    return {.text =
                [list, text] {
                    return joined(
                        list(), [&text](const auto& one) { return printable_lines(text(one)); }, text_of_rest);
                },
            .json =
                [list, to_json] {
                    return detail::json_array_of(list(),
                                                 [&](const auto& one) { return json::serialize(to_json(one)); });
                }};
}

/// Each line begins with the cluster that it is about.
template<class Text>
auto by_cluster(Text text)
{
    return [text](const auto& one) {
        const std::string all = text(one.value);
        if (one.cluster.empty()) return all;
        std::string out;
        for (std::size_t at = 0; at < all.size();) {
            const auto end = std::min(all.find('\n', at), all.size());
            out += "cluster " + one.cluster + ": " + all.substr(at, end - at) + "\n";
            at = end + 1;
        }
        return out;
    };
}

/// With the member "cluster".
template<class Json>
auto with_cluster(Json to_json)
{
    return [to_json](const auto& one) {
        json::object out = to_json(one.value);
        out["cluster"] = printable(one.cluster);
        return out;
    };
}

/// The same for what several clusters have.
template<class T, class Text, class Json>
debug_page page_by_cluster(std::function<std::vector<in_cluster<T>>()> list, Text text, Json to_json)
{
    auto out = page_of(list, by_cluster(text), with_cluster(to_json));
    out.of_cluster = [list, text, to_json](std::string cluster) {
        std::function<std::vector<in_cluster<T>>()> some = [list, cluster = std::move(cluster)] {
            auto all = list();
            std::erase_if(all, [&cluster](const auto& one) { return one.cluster != cluster; });
            return all;
        };
        return page_of(std::move(some), by_cluster(text), with_cluster(to_json));
    };
    return out;
}

std::string text_of_informer(const shared_informer<object>& i) { return i.describe(); }
json::object json_of_informer(const shared_informer<object>& i) { return detail::to_json(i.resource(), i.stats()); }
std::string text_of_controller(const controller_stats& s) { return "controller " + s.queue.name + ": " + describe(s); }
json::object json_of_controller(const controller_stats& s) { return detail::to_json(s); }
std::string text_of_queue(const workqueue_stats& s) { return describe(s); }
json::object json_of_queue(const workqueue_stats& s) { return detail::to_json(s); }

bool names_secret(std::string name)
{
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    constexpr std::array words{"token", "password", "secret", "credential", "key"};
    return std::any_of(words.begin(), words.end(), [&](const char* w) { return name.find(w) != name.npos; });
}

using setting = std::pair<std::string, std::string>;

std::string shown_value(const setting& s) { return names_secret(s.first) ? "(withheld)" : s.second; }

} // namespace

debug_page informers_page(std::function<std::vector<shared_informer<object>>()> informers)
{
    return page_of(std::move(informers), text_of_informer, json_of_informer);
}

debug_page informers_page(std::function<std::vector<in_cluster<shared_informer<object>>>()> informers)
{
    return page_by_cluster(std::move(informers), text_of_informer, json_of_informer);
}

debug_page informers_page(const informer_factory& informers)
{
    return informers_page([&informers] { return informers.informers(); });
}

debug_page controllers_page(std::function<std::vector<controller_stats>()> controllers)
{
    return page_of(std::move(controllers), text_of_controller, json_of_controller);
}

debug_page controllers_page(std::function<std::vector<in_cluster<controller_stats>>()> controllers)
{
    return page_by_cluster(std::move(controllers), text_of_controller, json_of_controller);
}

debug_page queues_page(std::function<std::vector<workqueue_stats>()> queues)
{
    return page_of(std::move(queues), text_of_queue, json_of_queue);
}

debug_page queues_page(std::function<std::vector<in_cluster<workqueue_stats>>()> queues)
{
    return page_by_cluster(std::move(queues), text_of_queue, json_of_queue);
}

debug_page collections_page(std::function<std::vector<collection_stats>()> collections)
{
    return page_of(
        std::move(collections), [](const collection_stats& s) { return describe(s); },
        [](const collection_stats& s) { return detail::to_json(s); });
}

debug_page tasks_page(std::function<std::vector<std::string>()> tasks)
{
    return page_of(
        std::move(tasks), [](const std::string& name) { return name; },
        [](const std::string& name) { return json::value(name); });
}

debug_page config_page(std::function<std::vector<setting>()> settings)
{
    return {.text =
                [settings] {
                    std::string out;
                    for (const setting& s : settings()) out += printable(s.first + ": " + shown_value(s)) + "\n";
                    return out;
                },
            .json =
                [settings] {
                    json::object out;
                    for (const setting& s : settings()) out[s.first] = shown_value(s);
                    return json::serialize(out);
                }};
}

} // namespace kubecoro
