#include "validation/replaced_value.hpp"

#include "validation/go_print.hpp"

#include <algorithm>

namespace kubecoro::detail {

namespace json = boost::json;

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
