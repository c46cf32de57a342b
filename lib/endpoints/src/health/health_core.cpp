#include "health/health_core.hpp"

#include <kubecoro/base/printable.hpp>

#include <algorithm>

namespace kubecoro::detail {
namespace {

constexpr std::size_t longest_echo = 64;
constexpr std::size_t longest_detail = 1000;

bool has(const std::vector<std::string>& all, const std::string& one)
{
    return std::find(all.begin(), all.end(), one) != all.end();
}

/// The user's text. Its exception must not fail a probe.
std::string detail_of(const health_checks::verdict& o)
{
    try {
        const auto text = o.detail ? o.detail() : std::string();
        return text.empty() ? "ok" : printable(text, longest_detail);
    } catch (...) {
        return "ok, without details: they failed";
    }
}

std::string line_of(const health_checks::verdict& o)
{
    return o.outcome ? "[+]" + o.name + " " + detail_of(o) + "\n" : "[-]" + o.name + " failed: reason withheld\n";
}

health_answer answer_of_one(const health_checks::verdict& o)
{
    if (o.outcome) return {200, "ok"};
    return {500, o.name + " failed: reason withheld\n"};
}

bool all_well(const std::vector<health_checks::verdict>& outcomes)
{
    return std::all_of(outcomes.begin(), outcomes.end(), [](const auto& o) { return o.outcome.has_value(); });
}

/// The names that a client excludes in vain: one mistyped name must not pass for an exclusion.
std::string warning_of(const health_query& query, const std::vector<std::string>& existing)
{
    std::string unknown;
    for (const std::string& name : query.excluded)
        if (!has(existing, name)) unknown += (unknown.empty() ? "\"" : ",\"") + printable(name, longest_echo) + "\"";
    if (unknown.empty()) return {};
    return "warn: some health checks cannot be excluded: no matches for " + unknown + "\n";
}

} // namespace

std::optional<std::vector<std::string>> checks_of(const health_query& query, const std::vector<std::string>& existing)
{
    if (!query.check.empty()) {
        if (!has(existing, query.check)) return std::nullopt;
        return std::vector{query.check};
    }
    std::vector<std::string> out;
    std::copy_if(existing.begin(), existing.end(), std::back_inserter(out),
                 [&](const std::string& name) { return !has(query.excluded, name); });
    return out;
}

bool has_details(const health_query& query, const std::vector<health_checks::verdict>& outcomes)
{
    const auto brief = !query.check.empty() || (!query.verbose && all_well(outcomes));
    return !brief && std::any_of(outcomes.begin(), outcomes.end(), [](const auto& o) { return o.outcome && o.detail; });
}

health_answer answer_of(const health_query& query, const std::vector<std::string>& existing,
                        const std::vector<health_checks::verdict>& outcomes)
{
    if (!query.check.empty() && outcomes.size() == 1) return answer_of_one(outcomes.front());
    const bool well = all_well(outcomes);
    if (well && !query.verbose) return {200, "ok"};
    std::string body;
    auto next = outcomes.begin();
    for (const std::string& name : existing) {
        if (next != outcomes.end() && next->name == name)
            body += line_of(*next++);
        else if (has(query.excluded, name))
            body += "[+]" + name + " excluded: ok\n";
    }
    body += warning_of(query, existing);
    return {well ? 200 : 500, body + query.title + " check " + (well ? "passed" : "failed") + "\n"};
}

} // namespace kubecoro::detail
