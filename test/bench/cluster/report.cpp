#include "report.hpp"

#include "driver/chart.hpp"
#include "driver/table.hpp"

#include <array>

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

constexpr std::array targets{
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

} // namespace

std::span<const target> all_targets() { return targets; }

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
    if (const auto t = target_table(targets, rows, {}, false); !t.lines.empty()) out += to_text(t) + "\n";
    return out;
}

std::string document_part(const std::vector<row>& rows, const machine_facts& machine,
                          const std::map<std::string, std::string>& reasons)
{
    auto out = to_markdown(target_table(targets, rows, reasons, true)) + "\n" + to_markdown(machine_table(machine));
    for (const auto& t : tables_of(rows)) out += "\n" + to_markdown(t);
    return out;
}

} // namespace kubecoro::bench::live
