#include "operator/state_pages.hpp"

#include <kubecoro/base/printable.hpp>
#include <kubecoro/endpoints/detail/bounded_page.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace json = boost::json;

namespace kubecoro::detail {
namespace {

/// Bytes of the words of one cluster, which its server chooses, and of a part's name and failure.
constexpr std::size_t most_of_one = 1000;

std::vector<std::string_view> lines_of(std::string_view text)
{
    std::vector<std::string_view> out;
    while (!text.empty()) {
        out.push_back(text.substr(0, text.find('\n')));
        text.remove_prefix(std::min(text.size(), out.back().size() + 1));
    }
    return out;
}

std::string json_of_part(const manager_stats::part& p)
{
    json::object out{
        {"name", printable(p.name, most_of_one)}, {"state", std::string(to_string(p.state))}, {"restarts", p.restarts}};
    if (p.last_failure) out["lastFailure"] = printable(p.last_failure->describe(), most_of_one);
    return json::serialize(out);
}

std::string json_of_manager(const manager_stats& now)
{
    auto out =
        R"({"phase":")" + std::string(to_string(now.phase)) + R"(","parts":)" + json_array_of(now.parts, json_of_part);
    if (now.election)
        out +=
            R"(,"election":)" + json::serialize(json::object{{"identity", printable(now.election->identity)},
                                                             {"leader", printable(now.election->leader)},
                                                             {"phase", std::string(to_string(now.election->phase))}});
    return out + "}";
}

/// The lowest level of lines that are written.
std::string level_of(const logger& log)
{
    for (const auto l : {log_level::trace, log_level::debug, log_level::info, log_level::warning})
        if (log.enabled(l)) return std::string(to_string(l));
    return std::string(to_string(log_level::error));
}

std::string text_of_cluster(const cluster_stats& c) { return printable(describe(c), most_of_one) + '\n'; }

std::string json_of_cluster(const cluster_stats& c)
{
    json::object out{{"name", c.name},
                     {"state", std::string(to_string(c.state))},
                     {"attempts", c.attempts},
                     {"objects", c.objects},
                     {"queued", c.queued}};
    if (c.trouble) out["trouble"] = printable(c.trouble->describe(), most_of_one);
    if (c.last_failure) out["lastFailure"] = printable(c.last_failure->describe(), most_of_one);
    return json::serialize(out);
}

} // namespace

debug_page manager_page(std::function<std::string()> text, std::function<manager_stats()> stats)
{
    return {.text =
                [text] {
                    const std::string all = text();
                    return joined(
                        lines_of(all), [](std::string_view line) { return printable(line) + '\n'; }, text_of_rest);
                },
            .json = [stats] { return json_of_manager(stats()); }};
}

debug_page clusters_page(std::function<std::vector<cluster_stats>()> clusters)
{
    debug_page out{.text =
                       [clusters] {
                           const auto all = joined(clusters(), text_of_cluster, text_of_rest);
                           return all.empty() ? "no clusters\n" : all;
                       },
                   .json = [clusters] { return json_array_of(clusters(), json_of_cluster); }};
    out.of_cluster = [clusters](std::string cluster) {
        return clusters_page([clusters, cluster = std::move(cluster)] {
            auto all = clusters();
            std::erase_if(all, [&cluster](const auto& c) { return c.name != cluster; });
            return all;
        });
    };
    return out;
}

debug_page settings_page(const operator_options& o, std::string server, const std::vector<std::string>& namespaces,
                         logger log)
{
    std::string all;
    for (const auto& n : namespaces) all += (all.empty() ? "" : ",") + n;
    const auto& lease = o.managing.leader_election;
    std::vector<std::pair<std::string, std::string>> fixed{{"name", o.name},
                                                           {"version", o.version},
                                                           {"server", std::move(server)},
                                                           {"namespaces", std::move(all)},
                                                           {"lease", lease.lease},
                                                           {"leaseNamespace", lease.ns},
                                                           {"shards", o.managing.shards.group},
                                                           {"metrics", o.metrics},
                                                           {"metricsCertificate", o.metrics_tls.certificate_file},
                                                           {"protect", o.protect ? "true" : "false"},
                                                           {"health", o.health},
                                                           {"traces", o.managing.traces.tracer ? "on" : "off"}};
    return config_page([fixed = std::move(fixed), log = std::move(log)] {
        auto now = fixed;
        now.emplace_back("logLevel", level_of(log));
        return now;
    });
}

} // namespace kubecoro::detail
