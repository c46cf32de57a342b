#include "report.hpp"

#include "chart.hpp"
#include "comparison.hpp"
#include "summary.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace kubecoro::bench {

std::string machine_text(const machine_facts& machine)
{
    std::string out = "Machine and versions";
    for (const auto& [what, value] : machine.lines)
        out += (&what == &machine.lines.front().first ? ": " : ", ") + what + " " + value;
    return out + ".\n";
}

table target_table(std::span<const target> targets, const std::vector<row>& rows,
                   const std::map<std::string, std::string>& reasons, bool all)
{
    table t{.title = "Targets", .header = {"work", "metric", "target", "outcome"}, .lines = {}, .text_columns = 4};
    for (const auto& wish : targets) {
        const auto j = judge(wish, rows);
        if (!all && j.outcome == verdict::not_measured) continue;
        auto outcome = verdict_text(j);
        const auto reason = reasons.find(std::string(wish.work));
        if (j.outcome == verdict::not_reached && reason != reasons.end()) outcome += ". " + reason->second;
        t.lines.push_back({std::string(wish.work), std::string(wish.metric), wish_text(wish), outcome});
    }
    return t;
}

std::string documented(std::span<const target> targets, const std::vector<row>& rows, const machine_facts& machine,
                       const std::map<std::string, std::string>& reasons)
{
    auto out = to_markdown(target_table(targets, rows, reasons, true)) + "\n" + machine_text(machine);
    std::vector<row> wished;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(wished), [&](const row& r) {
        return std::any_of(targets.begin(), targets.end(), [&](const target& t) {
            return t.workload == r.what.workload && t.data == r.what.data && t.objects == r.what.objects;
        });
    });
    for (const auto& t : tables_of(wished, cell_form::median)) out += "\n" + to_markdown(t);
    return out;
}

std::string terminal_report(const std::vector<row>& rows)
{
    std::string out;
    for (const auto& t : tables_of(rows)) out += to_text(t) + "\n";
    for (const auto& t : {comparison_table(rows), target_table(all_targets(), rows, {}, false)})
        if (!t.lines.empty()) out += to_text(t) + "\n";
    return out;
}

std::string chart_of(const std::vector<row>& rows)
{
    static constexpr std::array panels{
        panel{"Cold sync: CPU per pod", "sync", "cpu", "small", 150'000},
        panel{"Memory at rest, per pod", "steady", "rss_per_object", "small", 150'000},
        panel{"Changes handled a second", "events", "rate", "small", 150'000, true},
        panel{"Latency at 1,000 changes a second, 99.9 %", "tail", "p99.9", "small", 150'000},
        panel{"Relist after 410: CPU", "relist", "cpu_total", "small", 150'000},
        panel{"Custom resources: CPU per object", "sync", "cpu", "custom", 50'000},
    };
    static constexpr std::array lines{
        chart_line{"kubecoro/plain", "kubecoro"}, chart_line{"client-go/protobuf", "client-go"},
        chart_line{"client-go/json", "client-go, JSON"}, chart_line{"kube-rs/best", "kube-rs"}};
    return to_svg(replay_title, panels, lines, rows);
}

std::string chart_file(const std::string& document, std::string_view name)
{
    return document.substr(0, document.rfind(".md")) + "-" + std::string(name) + ".svg";
}

std::string chart_line_of(const std::string& document, std::string_view name, std::string_view title,
                          const std::string& chart)
{
    if (chart.empty()) return {};
    const auto file = chart_file(document, name);
    return "![" + std::string(title) + "](" + file.substr(file.rfind('/') + 1) + ")\n\n";
}

std::string document_part(const std::vector<row>& rows, const machine_facts& machine,
                          const std::map<std::string, std::string>& reasons)
{
    return to_markdown(summary_table(rows)) + "\n" + machine_text(machine) + "\n" +
           to_markdown(target_table(all_targets(), rows, reasons, true));
}

result<std::string> put_between_markers(const std::string& document, const std::string& part, const std::string& name)
{
    const auto begin_marker = "<!-- " + name + ": begin -->\n";
    const auto end_marker = "<!-- " + name + ": end -->\n";
    const auto begin = document.find(begin_marker);
    const auto end = document.find(end_marker);
    if (begin == std::string::npos || end == std::string::npos || end < begin)
        return failure(cond::misconfigured, "the document has no markers for the results");
    return document.substr(0, begin + begin_marker.size()) + "\n" + part + "\n" + document.substr(end);
}

std::map<std::string, std::string> parse_reasons(std::string_view text)
{
    std::map<std::string, std::string> reasons;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const auto colon = line.find(": ");
        if (line.starts_with('#') || colon == std::string_view::npos) continue;
        reasons.emplace(line.substr(0, colon), line.substr(colon + 2));
    }
    return reasons;
}

} // namespace kubecoro::bench
