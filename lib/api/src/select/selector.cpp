// Label selectors as values: normal form, text, matching. selector_parser.cpp parses them.
#include "select/requirement_check.hpp"

#include <kubecoro/api/selector.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <tuple>

namespace kubecoro {
namespace {

using op = label_selector::op;

std::optional<std::int64_t> as_integer(std::string_view text) noexcept
{
    std::int64_t value = 0;
    const auto r = std::from_chars(text.data(), text.data() + text.size(), value);
    if (r.ec != std::errc{} || r.ptr != text.data() + text.size()) return std::nullopt;
    return value;
}

bool matches_one(const label_selector::requirement& r, value_view label) noexcept
{
    const bool present = label.is_string();
    const std::string_view value = label.as_string();
    const auto listed = [&] {
        return present && std::any_of(r.values.begin(), r.values.end(), [&](const auto& v) { return v == value; });
    };
    switch (r.operation) {
    case op::equals:
    case op::in:
        return listed();
    case op::not_equals:
    case op::not_in:
        return !listed();
    case op::exists:
        return present;
    case op::not_exists:
        return !present;
    case op::greater:
    case op::less:
        break;
    }
    if (!present || r.values.empty()) return false;
    const auto have = as_integer(value);
    const auto limit = as_integer(r.values.front());
    if (!have || !limit) return false;
    return r.operation == op::greater ? *have > *limit : *have < *limit;
}

// The values between the parentheses.
std::string joined(const std::vector<std::string>& values)
{
    std::string out;
    for (const auto& v : values) {
        if (&v != &values.front()) out += ',';
        out += v;
    }
    return out;
}

std::string first_of(const std::vector<std::string>& values) { return values.empty() ? std::string{} : values.front(); }

std::string text_of(const label_selector::requirement& r)
{
    switch (r.operation) {
    case op::equals:
        return r.key + "=" + first_of(r.values);
    case op::not_equals:
        return r.key + "!=" + first_of(r.values);
    case op::in:
        return r.key + " in (" + joined(r.values) + ")";
    case op::not_in:
        return r.key + " notin (" + joined(r.values) + ")";
    case op::exists:
        return r.key;
    case op::not_exists:
        return "!" + r.key;
    case op::greater:
        return r.key + ">" + first_of(r.values);
    case op::less:
        return r.key + "<" + first_of(r.values);
    }
    return {};
}

} // namespace

label_selector::label_selector(std::vector<requirement> requirements) : requirements_(std::move(requirements))
{
    for (auto& r : requirements_) {
        detail::put_in_order(r);
        for (const auto& problem : {detail::key_problem(r.key), detail::count_problem(r), detail::value_problem(r)})
            if (!problem.empty()) throw error(failure(cond::invalid, "label selector: " + problem));
    }
    // A canonical order, so that equivalent selectors compare equal and share a watch.
    const auto order = [](const requirement& r) { return std::tie(r.key, r.operation, r.values); };
    std::sort(requirements_.begin(), requirements_.end(),
              [&](const requirement& a, const requirement& b) { return order(a) < order(b); });
    requirements_.erase(std::unique(requirements_.begin(), requirements_.end()), requirements_.end());
}

bool label_selector::matches(value_view labels) const noexcept
{
    return std::all_of(requirements_.begin(), requirements_.end(),
                       [&](const requirement& r) { return matches_one(r, labels[r.key]); });
}

std::string label_selector::to_string() const
{
    std::string out;
    for (const auto& r : requirements_) {
        if (!out.empty()) out += ',';
        out += text_of(r);
    }
    return out;
}

} // namespace kubecoro
