#include <kubecoro/proof/operator_report.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <ostream>
#include <utility>

namespace json = boost::json;

namespace kubecoro::testing {
namespace {

json::array array_of(const std::vector<std::string>& texts) { return json::array(texts.begin(), texts.end()); }

void add_list(std::string& out, std::string_view title, const std::vector<std::string>& lines)
{
    if (lines.empty()) return;
    out.append("  ").append(title).append(":\n");
    for (const auto& line : lines) out.append("    ").append(line).append("\n");
}

std::string text_of(const operator_report::finding& f)
{
    auto out = std::string(to_string(f.which)) + ": " + f.what + "\n";
    if (!f.allowed_because.empty()) return out + "  allowed: " + f.allowed_because + "\n";
    out += "  in " + std::to_string(f.runs) + " runs, first " + f.run + ", seed " + std::to_string(f.seed) + "\n";
    add_list(out, "faults", f.faults);
    add_list(out, "objects", f.objects);
    add_list(out, "trace", f.trace);
    return out;
}

} // namespace

std::string_view to_string(oracle o) noexcept
{
    constexpr auto names = std::to_array<std::string_view>(
        {"converges", "stays converged", "cleans up", "spares others", "ends finalizers", "runs well", "keeps secrets",
         "declares rights", "uses rights", "writes as leader", "invariant"});
    static_assert(names.size() == static_cast<std::size_t>(oracle::invariant) + 1);
    return names[static_cast<std::size_t>(o)];
}

bool operator_report::ok() const noexcept
{
    return std::none_of(findings.begin(), findings.end(), [](const auto& f) { return f.allowed_because.empty(); });
}

std::string describe(const operator_report& r)
{
    auto out = r.name + ": " + std::to_string(r.runs) + " runs, " + std::to_string(r.requests) +
               " requests without faults, " + std::to_string(r.findings.size()) + " findings\n";
    for (const auto& f : r.findings) out += text_of(f);
    return out;
}

std::string to_json(const operator_report& r)
{
    json::array findings;
    for (const auto& f : r.findings)
        findings.push_back(json::object{{"oracle", to_string(f.which)},
                                        {"what", f.what},
                                        {"run", f.run},
                                        {"seed", f.seed},
                                        {"runs", f.runs},
                                        {"faults", array_of(f.faults)},
                                        {"objects", array_of(f.objects)},
                                        {"trace", array_of(f.trace)},
                                        {"allowedBecause", f.allowed_because}});
    const json::object whole{{"name", r.name},
                             {"ok", r.ok()},
                             {"runs", r.runs},
                             {"requests", r.requests},
                             {"findings", std::move(findings)}};
    return json::serialize(whole);
}

std::ostream& operator<<(std::ostream& out, const operator_report& r) { return out << describe(r); }

} // namespace kubecoro::testing
