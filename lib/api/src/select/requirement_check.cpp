#include "select/requirement_check.hpp"

#include "validation/go_print.hpp"

#include <kubecoro/api/detail/label_rules.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <vector>

namespace kubecoro::detail {
namespace {

using op = label_selector::op;

// Each takes hundreds of bytes, a bad value two.
constexpr std::size_t most_problems = 10;

bool is_integer(std::string_view text) noexcept
{
    std::int64_t value = 0;
    const auto r = std::from_chars(text.data(), text.data() + text.size(), value);
    return r.ec == std::errc{} && r.ptr == text.data() + text.size();
}

std::string joined(std::string_view between, const std::vector<std::string>& texts)
{
    std::string out;
    for (const auto& t : texts) out += (out.empty() ? "" : std::string(between)) + t;
    return out;
}

std::string invalid(std::string_view value, const std::string& why)
{
    return "Invalid value: " + go_quoted(value) + ": " + why;
}

} // namespace

void put_in_order(label_selector::requirement& r)
{
    if (r.operation != op::in && r.operation != op::not_in) return;
    std::sort(r.values.begin(), r.values.end());
    r.values.erase(std::unique(r.values.begin(), r.values.end()), r.values.end());
}

std::string key_problem(std::string_view key)
{
    if (is_label_key(key)) return {};
    return invalid(key, joined("; ", label_key_problems(key)));
}

std::string count_problem(const label_selector::requirement& r)
{
    const auto count = r.values.size();
    switch (r.operation) {
    case op::in:
    case op::not_in:
        return count != 0 ? "" : "for 'in', 'notin' operators, values set can't be empty";
    case op::equals:
    case op::not_equals:
        return count == 1 ? "" : "exact-match compatibility requires one single value";
    case op::exists:
    case op::not_exists:
        return count == 0 ? "" : "values set must be empty for exists and does not exist";
    case op::greater:
    case op::less:
        return count == 1 ? "" : "for 'Gt', 'Lt' operators, exactly one value is required";
    }
    return "there is no such operator";
}

std::string value_problem(const label_selector::requirement& r)
{
    const bool ordered = r.operation == op::greater || r.operation == op::less;
    std::vector<std::string> problems;
    for (std::size_t i = 0; i < r.values.size(); ++i) {
        const std::string& value = r.values[i];
        const std::string place = "values[" + std::to_string(i) + "]";
        if (ordered && !is_integer(value))
            problems.push_back(place + ": " + invalid(value, "for 'Gt', 'Lt' operators, the value must be an integer"));
        if (!is_label_value(value))
            problems.push_back(place + "[" + r.key + "]: " + invalid(value, joined("; ", label_value_problems(value))));
        if (problems.size() >= most_problems && i + 1 < r.values.size()) {
            problems.emplace_back("further values were not checked");
            break;
        }
    }
    return problems.size() < 2 ? joined("", problems) : "[" + joined(", ", problems) + "]";
}

} // namespace kubecoro::detail
