#include "validation/structure_check.hpp"

#include "validation/go_print.hpp"
#include "validation/value_path.hpp"

#include <kubecoro/base/hash.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

/// Calls `visit(node, value, path)` for each list and object that the schema describes, from the outside in.
template<class Visit>
void walk(const schema_node& node, const json::value& v, const value_path& at, step_budget& budget, const Visit& visit)
{
    if (!budget.spend(1)) return;
    if (const auto* items = v.if_array()) {
        visit(node, v, at);
        for (std::size_t i = 0; node.items != nullptr && i < items->size(); ++i)
            walk(*node.items, (*items)[i], at.item(i), budget, visit);
    }
    const auto* object = v.if_object();
    if (object == nullptr) return;
    visit(node, v, at);
    std::map<std::string_view, const json::value*> members;
    for (const auto& [key, member] : *object)
        if (node.member(key) != nullptr) members.emplace(key, &member);
    for (const auto& [key, member] : members) {
        const bool is_property = node.find(key) != schema_node::npos;
        walk(*node.member(key), *member, is_property ? at.property(key) : at.extra(key), budget, visit);
    }
}

/// Equal for values that Go takes for the same member of a set. Numbers with and without a fraction are never.
std::string identity(const json::value* v)
{
    if (v == nullptr) return "absent";
    const char type = v->is_structured() ? 'c' : is_go_integer(*v) ? 'i' : v->is_number() ? 'n' : 'v';
    return type + go_json(*v);
}

/// Calls `repeated(i)` for the second of several equal ones, until there are enough errors.
template<class Repeated>
void find_repeated(std::size_t count, const auto& identity_of, const findings& out, const Repeated& repeated)
{
    std::unordered_map<std::string, std::size_t, text_hash, std::equal_to<>> seen;
    for (std::size_t i = 0; i < count && !out.is_full(); ++i)
        if (seen[identity_of(i)]++ == 1) repeated(i);
}

json::object keys_of(const schema_node& node, const json::value& item)
{
    json::object out;
    if (const auto* object = item.if_object())
        for (const auto& name : node.list_keys)
            if (const auto* key = object->if_contains(name)) out[name] = *key;
    return out;
}

void check_map(const schema_node& node, const json::array& items, const value_path& at, findings& out)
{
    for (std::size_t i = 0; i < items.size(); ++i)
        if (!items[i].is_object() && !items[i].is_null()) {
            out.add(invalid_reason, at.item(i).field_text(), go_value(items[i]),
                    "must be an object for an array of list-type map");
            return;
        }
    const auto identity_of = [&](std::size_t i) {
        const auto keys = keys_of(node, items[i]);
        if (node.list_keys.size() != 1) return go_json(keys);
        return identity(keys.if_contains(node.list_keys.front()));
    };
    find_repeated(items.size(), identity_of, out, [&](std::size_t i) {
        out.add(duplicate_reason, at.item(i).field_text(), go_json(keys_of(node, items[i])));
    });
}

bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
bool is_alnum(char c) noexcept { return is_lower(c) || (c >= '0' && c <= '9'); }

std::string kind_problem(std::string_view kind)
{
    std::string label(kind);
    for (char& c : label) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    std::string out;
    if (label.size() > 63) out = "must be no more than 63 bytes";
    const bool right = is_lower(label.front()) && is_alnum(label.back()) &&
                       std::ranges::all_of(label, [](char c) { return is_alnum(c) || c == '-'; });
    if (!right)
        out += std::string(out.empty() ? "" : ",") +
               "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
               "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for "
               "validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
    return out.empty() ? out : "may have mixed case, but should otherwise match: " + out;
}

std::string version_problem(std::string_view version)
{
    const auto slash = version.find('/');
    const bool two = slash != std::string_view::npos && version.find('/', slash + 1) != std::string_view::npos;
    return two ? "unexpected GroupVersion string: " + std::string(version) : std::string();
}

void check_type_member(const json::object& object, std::string_view name, const value_path& at,
                       std::string (*problem_of)(std::string_view), findings& out)
{
    const auto field = at.property(name).field_text();
    const auto* v = object.if_contains(name);
    if (v == nullptr)
        out.add(required_reason, field);
    else if (!v->is_string())
        out.add(invalid_reason, field, go_value(*v), "must be a string");
    else if (v->get_string().empty())
        out.add(invalid_reason, field, "\"\"", "must not be empty");
    else if (auto problem = problem_of(v->get_string()); !problem.empty())
        out.add(invalid_reason, field, go_value(*v), std::move(problem));
}

} // namespace

void check_lists(const schema_node& node, const json::value& v, step_budget& budget, findings& out)
{
    walk(node, v, value_path{}, budget, [&](const schema_node& schema, const json::value& list, const value_path& at) {
        const auto* items = list.if_array();
        if (items == nullptr || out.is_full()) return;
        if (schema.list == list_kind::map && budget.spend(items->size() * schema.list_keys.size()))
            check_map(schema, *items, at, out);
        if (schema.list == list_kind::set)
            find_repeated(
                items->size(), [&](std::size_t i) { return identity(&(*items)[i]); }, out,
                [&](std::size_t i) { out.add(duplicate_reason, at.item(i).field_text(), go_value((*items)[i])); });
    });
}

void check_embedded(const schema_node& node, const json::value& v, step_budget& budget, findings& out)
{
    walk(node, v, value_path{}, budget, [&](const schema_node& schema, const json::value& inner, const value_path& at) {
        const auto* object = inner.if_object();
        if (object == nullptr || !schema.is_embedded_resource || out.is_full()) return;
        check_type_member(*object, "apiVersion", at, version_problem, out);
        check_type_member(*object, "kind", at, kind_problem, out);
    });
}

} // namespace kubecoro::detail
