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

std::string without(const std::string& text, std::string_view outer)
{
    const auto begin = std::min(text.find_first_not_of(outer), text.size());
    return text.substr(begin, text.find_last_not_of(outer) + 1 - begin);
}

object_condition has_value(json_path path, std::optional<std::string> value, const std::string& name)
{
    const object_condition::question question = [path, value](const object& o) -> result<bool> {
        if (!o) return false;
        const auto whole = o.to_json();
        const auto found = path.find(whole);
        if (found.empty()) return false;
        if (found.size() > 1) return failure(cond::invalid, "the JSONPath leads to more than one value");
        if (!value) return true;
        if (found.front()->is_structured())
            return failure(cond::invalid, "the JSONPath leads to an object or a list, which cannot be compared");
        return without(scalar_text(*found.front()), " \t\r\n") == *value;
    };
    return object_condition(name, question);
}

/// The length of the path before `=VALUE`. Filters may contain =, so a path with braces ends at their end; else two of them are
/// none, as for kubectl.
std::size_t path_length(const std::string& text)
{
    if (text.starts_with('{')) return std::min(closing_brace(text, 1), text.size() - 1) + 1;
    std::size_t at = text.find('=');
    while (at != text.npos && text.substr(at).starts_with("==")) at = text.find('=', at + 2);
    return std::min(at, text.size());
}

result<wait_condition> parse_path(const std::string& text, const std::string& whole)
{
    const auto wrong = [&](const char* why) { return failure(cond::invalid, "--for " + whole + " " + why); };
    const auto length = path_length(text);
    if (length == 0) return wrong("has no path");
    auto path = json_path::parse(text.substr(0, length));
    if (!path) return path.error();
    if (length == text.size()) return wait_condition{wait_kind::state, has_value(std::move(*path), {}, whole)};
    if (text[length] != '=' || text.substr(length).starts_with("==")) return wrong("has no = before its value");
    const auto value = without(without(text.substr(length + 1), "'\""), " \t\r\n");
    if (value.empty()) return wrong("compares with nothing");
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
