#include "validation/value_check.hpp"

#include <kubecoro/api/detail/go_format.hpp>

#include <algorithm>
#include <unordered_set>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

std::int64_t characters_in(std::string_view text)
{
    return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

std::string counted(std::int64_t n, std::string_view noun)
{
    return std::to_string(n) + ' ' + std::string(noun) + (n == 1 ? "" : "s");
}

std::string_view go_format_of(const json::value& v)
{
    if (is_go_integer(v)) return "int64";
    return v.is_number() ? "float64" : "";
}

} // namespace

std::string value_check::field(std::string_view path) const
{
    if (path.starts_with('.')) path.remove_prefix(1);
    if (prefix_.empty()) return path.empty() ? "<nil>" : std::string(path);
    return path.empty() ? prefix_ : prefix_ + '.' + std::string(path);
}

void value_check::invalid(const value_path& at, std::string bad_value, std::string_view what, findings& out) const
{
    const auto path = at.text();
    report(invalid_reason, field(path), std::move(bad_value), path + " in body " + std::string(what), out);
}

void value_check::wrong_type(const value_path& at, std::string_view wanted, std::string_view have, findings& out) const
{
    const auto path = at.text();
    const auto shown = go_quoted(have);
    report(type_reason, field(path), shown, path + " in body must be of type " + std::string(wanted) + ": " + shown,
           out);
}

void value_check::too_many(const value_path& at, std::int64_t size, std::int64_t limit, findings& out) const
{
    report(many_reason, field(at.text()), std::to_string(size), "must have at most " + counted(limit, "item"), out);
}

void value_check::whole(std::string detail, findings& out) const
{
    report(invalid_reason, prefix_.empty() ? "<nil>" : prefix_, "\"\"", std::move(detail), out);
}

void value_check::report(std::string_view reason, std::string field, std::string bad_value, std::string detail,
                         findings& out) const
{
    // A path is as long as the keys in it, and the words for an enumeration are as long as its values.
    (void)budget_.spend(bad_value.size());
    (void)budget_.spend_copying(field.size() + detail.size());
    out.add(reason, std::move(field), std::move(bad_value), std::move(detail));
}

void value_check::pass_on(findings&& from, findings& to) const
{
    if (!to.is_full()) (void)budget_.spend_copying(from.bytes());
    to.add(std::move(from));
}

void value_check::check(const schema_node& node, const json::value& v, replaced_value before, findings& out)
{
    check_value(node, v, value_path{}, before, out);
}

void value_check::check_part(const schema_node& node, const json::value& v, object_part part, replaced_value before,
                             findings& out)
{
    part_ = part;
    check_open(node, v, value_path{}, before, out);
}

bool value_check::stays_open(const schema_node& node, const json::value& v) const noexcept
{
    return v.is_object() || (v.is_array() && part_ == object_part::applied && node.list != list_kind::atomic);
}

void value_check::check_open(const schema_node& node, const json::value& v, const value_path& at, replaced_value before,
                             findings& out)
{
    // Null removes a member, or states nothing.
    if (v.is_null() || !budget_.spend(1) || out.is_full()) return;
    if (!stays_open(node, v)) {
        // As the server completes it before it checks.
        auto settled = v;
        drop_nulls(node, settled);
        if (add_defaults(node, settled, defaults_)) check_value(node, settled, at, before, out);
        return;
    }
    // A part may leave a present value as it is, even one of the wrong type.
    if (before.value == nullptr && (!node.type.empty() || !node.format.empty())) check_type(node, v, at, out);
    if (const auto* items = v.if_array()) {
        keyed_items replaced(before, budget_);
        std::optional<present_items> present;
        for (std::size_t i = 0; node.items != nullptr && i < items->size(); ++i) {
            const auto& item = (*items)[i];
            const auto same = replaced.find(item);
            if (same.value == nullptr) {
                if (!present) present.emplace(before, budget_);
                if (present->contains(item)) continue;
            }
            check_open(*node.items, item, at.item(i), same, out);
        }
        return;
    }
    std::map<std::string_view, const json::value*> members;
    for (const auto& [key, member] : v.get_object()) members.emplace(key, &member);
    for (const auto& [key, member] : members)
        if (const auto* schema = node.member(key))
            check_open(*schema, *member, node.find(key) == schema_node::npos ? at.extra(key) : at.property(key),
                       member_of(before, key, at.kind == value_path::step::root), out);
}

value_check::score value_check::check_value(const schema_node& node, const json::value& v, const value_path& at,
                                            replaced_value before, findings& out)
{
    if (before.value == nullptr) return check_against(node, v, at, before, out);
    findings own;
    const score matched = check_against(node, v, at, before, own);
    // Unchanged values are forgiven.
    if (!own.any() || is_same(*before.value, v, budget_)) return matched;
    pass_on(std::move(own), out);
    return matched;
}

value_check::score value_check::check_against(const schema_node& node, const json::value& v, const value_path& at,
                                              replaced_value before, findings& out)
{
    if (!budget_.spend(1) || (alternatives_ == 0 && out.is_full())) return 0;
    score matched = 0;
    if (v.is_null()) {
        matched += check_type(node, v, at, out);
        check_allowed(node, v, at, out);
        return matched;
    }
    if (!node.type.empty() || !node.format.empty()) matched += check_type(node, v, at, out) + 1;
    matched += check_alternatives(node, v, at, before, out) + 1;
    if (const auto* text = v.if_string()) {
        check_text(node, *text, at, out);
        ++matched;
        if (node.has_format != nullptr) {
            if (budget_.spend(text->size()) && !node.has_format(*text)) wrong_type(at, node.format, *text, out);
            ++matched;
        }
    }
    if (v.is_number()) {
        for (auto& p : number_check(node, v, at).run())
            p.at_number ? report(invalid_reason, field(at.text()), std::move(p.bad_value), std::move(p.detail), out)
                        : whole(std::move(p.detail), out);
        matched += 2;
    }
    if (const auto* items = v.if_array()) matched += check_list(node, *items, at, before, out) + 1;
    check_allowed(node, v, at, out);
    ++matched;
    if (const auto* object = v.if_object()) matched += check_object(node, *object, at, before, out) + 1;
    return matched + 1;
}

value_check::score value_check::check_type(const schema_node& node, const json::value& v, const value_path& at,
                                           findings& out) const
{
    if (v.is_null()) {
        if (node.type.empty() || node.nullable) return 1;
        wrong_type(at, node.type, "null", out);
        return 0;
    }
    const auto have = schema_type_of(v);
    const bool whole_number = have == "number" && node.allows_type("integer") && is_whole(v.to_number<double>());
    const bool fits = node.allows_type(have) || whole_number || (have == "integer" && node.allows_type("number"));
    const bool is_text_or_list = v.is_string() || v.is_array();
    if (!node.format.empty() && !is_text_or_list && !fits && go_format_of(v) != node.format) {
        wrong_type(at, node.format, go_format_of(v), out);
        return 0;
    }
    const bool is_for_numbers = node.allows_type("number") || node.allows_type("integer");
    if (fits || (!is_for_numbers && !node.format.empty() && is_text_or_list)) return 1;
    wrong_type(at, node.type, have, out);
    return 0;
}

value_check::score value_check::check_any(const schema_node& node, const json::value& v, const value_path& at,
                                          replaced_value before, findings& out)
{
    std::optional<findings> best;
    score best_score = 0;
    ++alternatives_;
    bool found = false;
    for (const auto* alternative : node.any_of) {
        findings own;
        const score matched = check_against(*alternative, v, at, before, own);
        found = !own.any();
        if (found || !best || matched > best_score) {
            best = std::move(own);
            best_score = matched;
        }
        if (found) break;
    }
    --alternatives_;
    if (!found) whole(go_quoted(at.text()) + " must validate at least one schema (anyOf)", out);
    pass_on(std::move(*best), out);
    return best_score;
}

value_check::score value_check::check_one(const schema_node& node, const json::value& v, const value_path& at,
                                          replaced_value before, findings& out)
{
    std::optional<findings> best;
    score best_score = 0;
    score first_score = 0;
    std::size_t valid = 0;
    ++alternatives_;
    for (const auto* alternative : node.one_of) {
        findings own;
        const score matched = check_against(*alternative, v, at, before, own);
        if (!own.any()) {
            if (valid++ == 0) first_score = matched;
            best.reset();
        } else if (valid == 0 && (!best || matched > best_score)) {
            best = std::move(own);
            best_score = matched;
        }
    }
    --alternatives_;
    if (valid == 1) return first_score;
    whole(go_quoted(at.text()) + " must validate one and only one schema (oneOf). " +
              (valid == 0 ? std::string("Found none valid") : "Found " + std::to_string(valid) + " valid alternatives"),
          out);
    if (!best) return 0;
    pass_on(std::move(*best), out);
    return best_score;
}

value_check::score value_check::check_alternatives(const schema_node& node, const json::value& v, const value_path& at,
                                                   replaced_value before, findings& out)
{
    score matched = 1;
    if (!node.any_of.empty()) matched += check_any(node, v, at, before, out);
    if (!node.one_of.empty()) matched += check_one(node, v, at, before, out);
    std::size_t valid = 0;
    for (const auto* part : node.all_of) {
        findings own;
        matched += check_against(*part, v, at, before, own);
        valid += own.any() ? 0 : 1;
        pass_on(std::move(own), out);
    }
    if (valid != node.all_of.size())
        whole(go_quoted(at.text()) + " must validate all the schemas (allOf)" + (valid == 0 ? ". None validated" : ""),
              out);
    if (node.excluded != nullptr) {
        findings own;
        check_against(*node.excluded, v, at, before, own);
        if (!own.any()) whole(go_quoted(at.text()) + " must not validate the schema (not)", out);
    }
    return matched;
}

void value_check::check_text(const schema_node& node, std::string_view text, const value_path& at, findings& out)
{
    const auto& limits = node.limits;
    const bool has_limits = limits.max_length || limits.min_length;
    if (has_limits && !budget_.spend(text.size())) return;
    const auto length = has_limits ? characters_in(text) : 0;
    if (limits.max_length && length > *limits.max_length) {
        const auto most = *limits.max_length;
        report(long_reason, field(at.text()), {},
               most < 0 ? "value is too long" : "may not be more than " + counted(most, "byte"), out);
    } else if (limits.min_length && length < *limits.min_length)
        invalid(at, go_quoted(text), "should be at least " + std::to_string(*limits.min_length) + " chars long", out);
    else if (node.matching && budget_.spend(text.size() * (1 + node.matching->size() / 64)) &&
             !node.matching->matches(text))
        invalid(at, go_quoted(text), "should match '" + node.matching->text() + '\'', out);
}

void value_check::check_allowed(const schema_node& node, const json::value& v, const value_path& at, findings& out)
{
    if (!node.allowed || node.allowed->contains(v, budget_) || budget_.is_spent()) return;
    report(unsupported_reason, field(at.text()), go_value(v), node.allowed->detail, out);
}

bool value_check::has_duplicates(const json::array& items) const
{
    std::unordered_set<std::string> seen;
    for (const auto& item : items) {
        auto text = go_json(item);
        if (!budget_.spend(text.size())) return false;
        if (!seen.insert(std::move(text)).second) return true;
    }
    return false;
}

value_check::score value_check::check_list(const schema_node& node, const json::array& items, const value_path& at,
                                           replaced_value before, findings& out)
{
    score matched = 1;
    if (node.items != nullptr) {
        keyed_items replaced(before, budget_);
        for (std::size_t i = 0; i < items.size(); ++i)
            matched += check_value(*node.items, items[i], at.item(i), replaced.find(items[i]), out);
    }
    const auto size = static_cast<std::int64_t>(items.size());
    const auto& limits = node.limits;
    if (limits.min_items && size < *limits.min_items)
        invalid(at, std::to_string(size), "should have at least " + std::to_string(*limits.min_items) + " items", out);
    if (limits.max_items && size > *limits.max_items) too_many(at, size, *limits.max_items, out);
    if (node.unique_items && has_duplicates(items)) invalid(at, "\"\"", "shouldn't contain duplicates", out);
    return matched;
}

value_check::score value_check::check_others(const schema_node& node, const json::object& object, const value_path& at,
                                             replaced_value before, findings& out)
{
    if (!node.forbids_additional && node.additional == nullptr) return 0;
    std::map<std::string_view, const json::value*> others;
    for (const auto& [key, member] : object) {
        if (!budget_.spend(1 + key.size())) return 0;
        if (node.find(key) == schema_node::npos) others.emplace(key, &member);
    }
    score matched = 0;
    for (const auto& [key, member] : others) {
        if (node.additional != nullptr)
            matched += check_value(*node.additional, *member, at.extra(key),
                                   member_of(before, key, at.kind == value_path::step::root), out);
        else if (budget_.spend(1)) {
            const auto path = at.text();
            report(invalid_reason, field(path), go_quoted(key),
                   path + '.' + std::string(key) + " in body is a forbidden property", out);
        }
    }
    return matched;
}

value_check::score value_check::check_object(const schema_node& node, const json::object& object, const value_path& at,
                                             replaced_value before, findings& out)
{
    const auto& limits = node.limits;
    const auto size = static_cast<std::int64_t>(object.size());
    if (limits.min_properties && size < *limits.min_properties)
        invalid(at, std::to_string(size),
                "should have at least " + std::to_string(*limits.min_properties) + " properties", out);
    if (limits.max_properties && size > *limits.max_properties) too_many(at, size, *limits.max_properties, out);
    score matched = check_others(node, object, at, before, out);
    std::vector<std::pair<std::size_t, const json::value*>> known;
    if (!node.properties.empty()) {
        if (!budget_.spend(object.size())) return matched;
        known.reserve(object.size());
        for (const auto& [key, member] : object)
            if (const auto i = node.find(key); i != schema_node::npos) known.emplace_back(i, &member);
        std::ranges::sort(known);
    }
    for (const auto& [i, member] : known) {
        const auto& [name, schema] = node.properties[i];
        matched += check_value(*schema, *member, at.property(name),
                               member_of(before, name, at.kind == value_path::step::root), out);
    }
    for (const auto& name : node.required) {
        if (!budget_.spend(1)) break;
        if (!object.contains(name)) report(required_reason, field(at.text() + '.' + name), {}, {}, out);
    }
    return matched;
}

replaced_value member_of(replaced_value before, std::string_view name, bool at_root)
{
    if (before.value == nullptr || !before.value->is_object() || (at_root && (name == "kind" || name == "apiVersion")))
        return {};
    const auto* old = before.value->get_object().if_contains(name);
    const auto* schema = before.schema->member(name);
    return old && schema ? replaced_value{old, schema} : replaced_value{};
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the values
bool is_same(const json::value& a, const json::value& b, step_budget& budget)
{
    if (!budget.spend(1)) return false;
    if (a.is_array() && b.is_array())
        return std::ranges::equal(a.get_array(), b.get_array(),
                                  [&](const auto& x, const auto& y) { return is_same(x, y, budget); });
    if (a.is_object() && b.is_object()) {
        const auto& others = b.get_object();
        return a.get_object().size() == others.size() && std::ranges::all_of(a.get_object(), [&](const auto& member) {
                   if (!budget.spend_copying(member.key().size())) return false;
                   const auto* other = others.if_contains(member.key());
                   return other != nullptr && is_same(member.value(), *other, budget);
               });
    }
    if (const auto* text = a.if_string(); text && !budget.spend_copying(text->size())) return false;
    return a == b;
}

keyed_items::keyed_items(replaced_value list, step_budget& budget) : budget_(budget)
{
    if (list.value == nullptr || list.schema->list != list_kind::map || !list.value->is_array()) return;
    schema_ = list.schema;
    for (const auto& item : list.value->get_array())
        if (auto key = key_of(item)) items_.emplace(std::move(*key), &item);
}

replaced_value keyed_items::find(const json::value& item)
{
    if (schema_ == nullptr || schema_->items == nullptr) return {};
    const auto key = key_of(item);
    const auto found = key ? items_.find(*key) : items_.end();
    return found == items_.end() ? replaced_value{} : replaced_value{found->second, schema_->items};
}

std::optional<std::string> keyed_items::key_of(const json::value& item)
{
    const auto* object = item.if_object();
    if (!budget_.spend(1 + schema_->list_keys.size()) || object == nullptr) return std::nullopt;
    std::string key;
    for (const auto& name : schema_->list_keys) {
        const auto* part = object->if_contains(name);
        key += part ? go_json(*part) : std::string();
        key += '\n';
    }
    if (!budget_.spend(key.size())) return std::nullopt;
    return key;
}

present_items::present_items(replaced_value list, step_budget& budget)
{
    const auto* items = list.value == nullptr ? nullptr : list.value->if_array();
    if (items == nullptr || !budget.spend(items->size())) return;
    texts_.reserve(items->size());
    for (const auto& item : *items) texts_.push_back(go_json(item));
    std::ranges::sort(texts_);
}

bool present_items::contains(const json::value& item) const
{
    return !texts_.empty() && std::ranges::binary_search(texts_, go_json(item));
}

} // namespace kubecoro::detail
