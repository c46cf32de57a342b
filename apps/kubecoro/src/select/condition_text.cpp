#include "select/condition_text.hpp"

#include "print/json_lines.hpp"
#include "print/json_path.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace kubecoro::tool {

namespace {

bool same_word(std::string_view a, std::string_view b)
{
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

/// Whether what the condition says is about the newest generation, as far as the object tells.
bool is_current(const object& o, value_view condition)
{
    const auto newest = o.generation();
    if (const auto seen = condition["observedGeneration"]; seen) return seen.as_int64() >= newest;
    const auto seen = o.path("status.observedGeneration");
    return !seen || seen.as_int64() >= newest;
}

object_condition has_condition(std::string type, std::string status)
{
    const std::string name = "condition " + type + "=" + status;
    const object_condition::question question = [type, status](const object& o) -> result<bool> {
        const auto conditions = o.path("status.conditions");
        for (const auto c : conditions.items())
            if (same_word(c["type"].as_string(), type))
                return is_current(o, c) && same_word(c["status"].as_string(), status);
        return false;
    };
    return object_condition(name, question);
}

object_condition has_value(json_path path, std::optional<std::string> value, const std::string& name)
{
    const object_condition::question question = [path, value](const object& o) -> result<bool> {
        if (!o) return false;
        const auto whole = o.to_json();
        const auto found = path.find(whole);
        if (found.empty()) return false;
        return !value ||
               std::any_of(found.begin(), found.end(), [&](const auto* v) { return scalar_text(*v) == *value; });
    };
    return object_condition(name, question);
}

result<wait_condition> parse_path(const std::string& text, const std::string& whole)
{
    // The path may contain = in filters: with braces it ends at the last one.
    const auto brace = text.rfind('}');
    const auto equals = text.find('=', brace == text.npos ? 0 : brace);
    auto path = json_path::parse(text.substr(0, equals));
    if (!path) return path.error();
    std::optional<std::string> value;
    if (equals != text.npos) value = text.substr(equals + 1);
    if (value && value->size() >= 2 && value->front() == '\'' && value->back() == '\'')
        value = value->substr(1, value->size() - 2);
    if (value && value->empty()) return failure(cond::invalid, "--for " + whole + " compares with nothing");
    return wait_condition{wait_kind::state, has_value(std::move(*path), value, whole)};
}

} // namespace

result<wait_condition> parse_wait_condition(const std::string& text)
{
    if (text == "delete") return wait_condition{wait_kind::gone, conditions::deleted()};
    if (text == "create") return wait_condition{wait_kind::there, conditions::exists()};
    constexpr std::string_view condition = "condition=", path = "jsonpath=";
    if (text.starts_with(path)) return parse_path(text.substr(path.size()), text);
    if (!text.starts_with(condition) || text.size() == condition.size())
        return failure(cond::invalid,
                       "--for expects condition=TYPE[=STATUS], delete, create or jsonpath=PATH[=VALUE], not \"" + text +
                           "\"");
    const auto rest = text.substr(condition.size());
    const auto equals = std::min(rest.find('='), rest.size());
    const std::string status = equals == rest.size() ? "True" : rest.substr(equals + 1);
    return wait_condition{wait_kind::state, has_condition(rest.substr(0, equals), status)};
}

} // namespace kubecoro::tool
