#include "report.hpp"

#include <algorithm>
#include <array>

namespace kubecoro::bench::controllers {

namespace {

constexpr std::string_view ours = "kubecoro";
constexpr std::string_view runtime = "controller-runtime";
constexpr std::string_view go = "client-go";
constexpr std::string_view rust = "kube-rs";
constexpr std::string_view maps = "config maps";

constexpr std::array all{
    target{"idle operator, 1,000 objects, private", "idle operator", "private", ours, maps, 1'000, {}, 12},
    target{"idle operator, 1,000 objects, resident", "idle operator", "resident", ours, maps, 1'000, runtime, 1 / 2.},
    target{"node agent, private", "node agent", "private", ours, "pods", 30, {}, 2},
    target{"node agent, proportional", "node agent", "proportional", ours, "pods", 30, {}, 8.5},
    target{"node agent, proportional", "node agent", "proportional", ours, "pods", 30, go, 1 / 3.5},
    // The Lease's 15 s, and one.
    target{"failover after a kill", "failover after a kill", "until_led", ours, "-", 0, {}, 16},
    target{"failover after a release", "failover after a release", "until_led", ours, "-", 0, {}, 1},
};

/// The row of a library for the same measurement.
const row* of_library(const std::vector<row>& rows, const row& like, std::string_view library)
{
    auto what = like.what;
    what.subject = library;
    return find_row(rows, what);
}

std::string value_text(const row* r) { return r ? number_text(r->value.median) : "-"; }

std::string ratio_text(const row& mine, const row* theirs)
{
    return theirs && theirs->value.median > 0 ? factor_text(mine.value.median / theirs->value.median) : "-";
}

} // namespace

std::span<const target> controller_targets() { return all; }

table comparison_of(const std::vector<row>& rows)
{
    table t{.title = "medians",
            .header = {"work", "metric", "kubecoro", "controller-runtime (agent: client-go)", "kube-rs", "of Go's",
                       "of kube-rs's"},
            .lines = {},
            .text_columns = 2};
    for (const auto& r : rows) {
        if (r.what.subject != ours || r.value.rounds == 0) continue;
        const auto* from_go = of_library(rows, r, runtime);
        if (!from_go) from_go = of_library(rows, r, go);
        const auto* from_rust = of_library(rows, r, rust);
        auto work = r.what.workload;
        if (r.what.objects != 0) work += ", " + count_text(r.what.objects);
        t.lines.push_back({std::move(work), r.what.metric + " " + r.what.unit, number_text(r.value.median),
                           value_text(from_go), value_text(from_rust), ratio_text(r, from_go),
                           ratio_text(r, from_rust)});
    }
    return t;
}

std::string terminal_report(const std::vector<row>& rows)
{
    std::string out;
    if (const auto t = comparison_of(rows); !t.lines.empty()) out += to_text(t) + "\n";
    if (const auto t = target_table(all, rows, {}, false); !t.lines.empty()) out += to_text(t) + "\n";
    return out;
}

std::string controllers_part(const std::vector<row>& rows, const machine_facts& machine,
                             const std::map<std::string, std::string>& reasons)
{
    if (rows.empty()) return {};
    return to_markdown(comparison_of(rows)) + "\n" + to_markdown(target_table(all, rows, reasons, true)) + "\n" +
           machine_text(machine);
}

} // namespace kubecoro::bench::controllers
