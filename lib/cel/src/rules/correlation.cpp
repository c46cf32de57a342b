#include "rules/correlation.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <optional>

namespace kubecoro::cel::detail {

namespace {

/// The values of an item's keys as one text. Nothing if one is missing, or no scalar.
std::optional<std::string> key_of(const boost::json::value& item, const std::vector<std::string>& keys)
{
    const auto* object = item.if_object();
    if (object == nullptr || keys.empty()) return std::nullopt;
    std::string out;
    for (const auto& key : keys) {
        const auto* found = object->if_contains(key);
        if (found == nullptr || found->is_structured() || found->is_null()) return std::nullopt;
        out += boost::json::serialize(*found);
        out += '\0';
    }
    return out;
}

} // namespace

correlated correlated::member(std::string_view name) const
{
    const auto* now = value->if_object();
    const auto* old = before->if_object();
    if (now == nullptr || old == nullptr) return {};
    const auto* new_member = now->if_contains(name);
    const auto* old_member = old->if_contains(name);
    const auto* member_schema = schema->member(name);
    if (new_member == nullptr || old_member == nullptr || member_schema == nullptr) return {};
    return {new_member, old_member, member_schema};
}

old_items::old_items(const schema_node& schema, const boost::json::value* list) : schema_(schema)
{
    if (list == nullptr || !list->is_array() || schema.kind != schema_kind::list || schema.order != list_order::map)
        return;
    for (const auto& item : list->get_array())
        if (auto key = key_of(item, schema.keys)) items_.emplace(*std::move(key), &item);
}

const boost::json::value* old_items::find(const boost::json::value& item) const
{
    if (items_.empty()) return nullptr;
    const auto key = key_of(item, schema_.keys);
    if (!key) return nullptr;
    const auto found = items_.find(*key);
    return found != items_.end() ? found->second : nullptr;
}

bool is_unchanged(const correlated& of)
{
    if (!of) return false;
    if (of.value->is_null() || of.before->is_null()) return of.value->is_null() && of.before->is_null();
    if (of.value->is_array() && of.before->is_array()) {
        const auto& now = of.value->get_array();
        if (now.size() != of.before->get_array().size()) return false;
        if (of.schema->order != list_order::map || of.schema->items == nullptr) return *of.value == *of.before;
        const old_items before(*of.schema, of.before);
        return std::all_of(now.begin(), now.end(), [&](const boost::json::value& item) {
            const auto* old = before.find(item);
            return old != nullptr && is_unchanged({&item, old, of.schema->items.get()});
        });
    }
    if (of.value->is_object() && of.before->is_object()) {
        const auto& now = of.value->get_object();
        return now.size() == of.before->get_object().size() &&
               std::all_of(now.begin(), now.end(),
                           [&of](const auto& member) { return is_unchanged(of.member(member.key())); });
    }
    return *of.value == *of.before;
}

} // namespace kubecoro::cel::detail
