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

constexpr std::array all{
    target{"a field of a pod, from its bytes", "pods", "decode_1", ours, "small", pods, go, 1},
    target{"a field of a pod, from its bytes, JSON", "pods", "decode_1", ours_json, "small", pods, rust, 1},
    target{"one kind and its informer, -O0", "compile, g++ -O0", "cpu", "one kind", "-", 0, {}, 4},
    target{"one kind and its informer, -O2", "compile, g++ -O2", "cpu", "one kind", "-", 0, {}, 5},
};

} // namespace

std::span<const target> type_targets() { return all; }

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
    auto out =
        to_markdown(target_table(type_targets(), rows, reasons, true)) + "\n" + to_markdown(machine_table(machine));
    for (const auto& t : tables_of(rows)) out += "\n" + to_markdown(t);
    return out;
}

} // namespace kubecoro::bench::types
