#include "report.hpp"

#include "plan.hpp"

#include "driver/chart.hpp"
#include "driver/table.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace kubecoro::bench::live {

namespace {

constexpr std::string_view ours = "kubecoro/protobuf";
constexpr std::string_view ours_json = "kubecoro/json";
constexpr std::string_view go = "client-go/protobuf";
constexpr std::string_view dynamic = "client-go/dynamic";
constexpr std::string_view rust = "kube-rs/best";
constexpr std::string_view pods = "pods";
constexpr std::string_view widgets = "widgets";
constexpr std::uint64_t few = 20'000;
constexpr std::uint64_t many = 50'000;

constexpr std::array of_informers{
    target{"real server, sync of pods", "sync", "wall", ours, pods, few, go, 0.85},
    target{"real server, sync of pods", "sync", "server_cpu", ours, pods, few, go, 1},
    target{"real server, sync of pods", "sync", "cpu", ours, pods, few, go, 1 / 4.},
    target{"real server, sync of pods", "sync", "peak", ours, pods, few, go, 1 / 10.},
    target{"real server, sync of 50,000 pods", "sync", "wall", ours, pods, many, go, 0.85},
    target{"real server, sync of 50,000 pods", "sync", "server_cpu", ours, pods, many, go, 1},
    target{"real server, sync of 50,000 pods", "sync", "cpu", ours, pods, many, go, 1 / 4.},
    target{"real server, sync of 50,000 pods", "sync", "peak", ours, pods, many, go, 1 / 10.},
    target{"real server, 50 informers, updates", "updates-50", "server_cpu", ours, pods, few, go, 1},
    target{"real server, 50 informers, updates", "updates-50", "cpu", ours, pods, few, go, 1 / 3.},
    target{"real server, custom resources, sync", "sync", "wall", ours_json, widgets, few, dynamic, 0.6},
    target{"real server, custom resources, sync", "sync", "cpu", ours_json, widgets, few, dynamic, 1 / 8.},
    target{"real server, custom resources, sync", "sync", "wall", ours_json, widgets, few, rust, 1},
    target{"real server, custom resources, sync", "sync", "cpu", ours_json, widgets, few, rust, 1 / 2.},
};

constexpr std::string_view http2 = "client-go/http2";
constexpr std::uint64_t some = 1'500;

// kubecoro's defaults: answers in protobuf, bodies in JSON.
constexpr std::array of_requests{
    target{"gets, one at a time", "gets", "per_cpu_1", ours, config_maps, some, http2, 2, 0, true},
    target{"gets, 32 at once", "gets", "per_cpu_32", ours, config_maps, some, http2, 2, 0, true},
    target{"creates, one at a time", "creates", "per_cpu_1", ours_json, config_maps, some, http2, 2, 0, true},
    target{"creates, 32 at once", "creates", "per_cpu_32", ours_json, config_maps, some, http2, 2, 0, true},
    target{"100 idle watches, memory of the client", "watches-100", "rss", ours, config_maps, some, http2, 1},
    target{"events of 100 watches, CPU of the client", "watches-100", "event_cpu", ours, config_maps, some, http2, 1},
    target{"events of 100 watches, CPU of the server", "watches-100", "event_server", ours, config_maps, some, http2,
           1},
};

/// Those of requests, or all others.
std::vector<row> rows_of(const std::vector<row>& rows, bool requests)
{
    std::vector<row> chosen;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(chosen),
                 [&](const row& r) { return (r.what.data == config_maps) == requests; });
    return chosen;
}

std::string part_of(const std::vector<row>& rows, std::span<const target> targets, const machine_facts& machine,
                    const std::map<std::string, std::string>& reasons)
{
    if (rows.empty()) return {};
    return documented(targets, rows, machine, reasons);
}

} // namespace

std::span<const target> informer_targets() { return of_informers; }
std::span<const target> request_targets() { return of_requests; }

std::string chart_of(const std::vector<row>& rows)
{
    static constexpr std::array panels{
        panel{"Time until synced", "sync", "wall", pods, few},
        panel{"CPU of the client until synced", "sync", "cpu", pods, few},
        panel{"Peak memory of the client", "sync", "peak", pods, few},
        panel{"CPU of the server until synced", "sync", "server_cpu", pods, few},
        panel{"50 informers: CPU of the server", "updates-50", "server_cpu", pods, few},
        panel{"50 informers: CPU of the clients", "updates-50", "cpu", pods, few},
    };
    static constexpr std::array lines{
        chart_line{ours, "kubecoro"}, chart_line{go, "client-go"}, chart_line{"client-go/json", "client-go, JSON"},
        chart_line{"controller-runtime/cache", "controller-runtime"}, chart_line{rust, "kube-rs"}};
    return to_svg(chart_title, panels, lines, rows);
}

std::string terminal_report(const std::vector<row>& rows)
{
    std::string out;
    for (const auto& t : tables_of(rows)) out += to_text(t) + "\n";
    for (const auto targets : {informer_targets(), request_targets()})
        if (const auto t = target_table(targets, rows, {}, false); !t.lines.empty()) out += to_text(t) + "\n";
    return out;
}

std::string informers_part(const std::vector<row>& rows, const machine_facts& machine,
                           const std::map<std::string, std::string>& reasons)
{
    return part_of(rows_of(rows, false), of_informers, machine, reasons);
}

std::string requests_part(const std::vector<row>& rows, const machine_facts& machine,
                          const std::map<std::string, std::string>& reasons)
{
    return part_of(rows_of(rows, true), of_requests, machine, reasons);
}

} // namespace kubecoro::bench::live
