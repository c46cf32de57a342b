#include "report.hpp"

#include "driver/table.hpp"

#include <array>

namespace kubecoro::bench::types {

namespace {

constexpr std::string_view ours = "kubecoro/protobuf";
constexpr std::string_view ours_json = "kubecoro/json";
constexpr std::string_view go = "client-go/protobuf";
constexpr std::string_view rust = "kube-rs/json";
constexpr std::uint64_t pods = 2'000;

/// CPU that a file may cost a user, with any compiler.
struct budget
{
    std::string_view subject;
    std::string_view level;
    double seconds;
};

constexpr std::array budgets{budget{"one kind", "O0", 3}, budget{"one kind", "O2", 4},   budget{"operator", "O0", 5},
                             budget{"operator", "O2", 7}, budget{"reconciler", "O0", 5}, budget{"reconciler", "O2", 7}};

constexpr std::array all{
    target{"a field of a pod, from its bytes", "pods", "decode_1", ours, "small", pods, go, 1},
    target{"a field of a pod, from its bytes, JSON", "pods", "decode_1", ours_json, "small", pods, rust, 1},
    target{"one kind and its informer, -O0", "compile, g++ -O0", "cpu", "one kind", "-", 0, {}, budgets[0].seconds},
    target{"one kind and its informer, -O2", "compile, g++ -O2", "cpu", "one kind", "-", 0, {}, budgets[1].seconds},
    target{"an operator's main file, -O0", "compile, g++ -O0", "cpu", "operator", "-", 0, {}, budgets[2].seconds},
    target{"an operator's main file, -O2", "compile, g++ -O2", "cpu", "operator", "-", 0, {}, budgets[3].seconds},
};

} // namespace

std::span<const target> type_targets() { return all; }

result<> within_budgets(const std::vector<row>& rows)
{
    std::string problems;
    for (const auto& r : rows)
        for (const auto& b : budgets)
            if (r.what.workload.starts_with("compile, ") && r.what.workload.ends_with(b.level) &&
                r.what.subject == b.subject && r.what.metric == "cpu" && r.value.median > b.seconds)
                problems += (problems.empty() ? "" : "; ") + r.what.workload + ": " + r.what.subject + " takes " +
                            number_text(r.value.median) + " s of CPU, at most " + number_text(b.seconds) +
                            " are allowed";
    if (!problems.empty()) return failure(cond::internal, problems);
    return {};
}

std::string terminal_report(const std::vector<row>& rows)
{
    std::string out;
    for (const auto& t : tables_of(rows)) out += to_text(t) + "\n";
    if (const auto t = target_table(type_targets(), rows, {}, false); !t.lines.empty()) out += to_text(t) + "\n";
    return out;
}

std::string types_part(const std::vector<row>& rows, const machine_facts& machine,
                       const std::map<std::string, std::string>& reasons)
{
    if (rows.empty()) return {};
    return documented(type_targets(), rows, machine, reasons);
}

} // namespace kubecoro::bench::types
