#include "apply/owned_shape.hpp"

#include <boost/json/parse.hpp>

#include <optional>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

constexpr std::size_t most_key_lists = 16;

/// None if the item lacks a key: then it is an item of other keys.
std::optional<path_element> element_by_keys(const json::value& item, const std::vector<std::string>& names)
{
    json::object keys;
    for (const auto& name : names) {
        const auto* value = item.get_object().if_contains(name);
        if (value == nullptr) return std::nullopt;
        keys.emplace(name, *value);
    }
    return key_element(keys);
}

} // namespace

void typed_shape::finder::add_keys(json::object& out, const json::value& item) const
{
    if (!item.is_object()) return;
    for (const auto& key : keys_.keys())
        if (const auto* value = item.get_object().if_contains(key.name); value && key.otherwise != *value)
            out.emplace(key.name, *value);
}

result<observed_shape::finder> observed_shape::items(const field_set& owned)
{
    std::set<finder::key_list> lists;
    for (const auto& [element, n] : owned.steps()) {
        if (!element.starts_with("k:")) continue;
        finder::key_list names;
        boost::system::error_code broken; // a set has no other elements than those that could be read
        const auto keys = json::parse(std::string(content_of(element)), broken);
        if (!keys.is_object()) continue;
        for (const auto& key : keys.get_object()) names.emplace_back(key.key());
        lists.insert(std::move(names));
        if (lists.size() > most_key_lists)
            return failure(cond::corrupt, "the items of a list have too many kinds of keys");
    }
    return finder(owned, std::move(lists));
}

const observed_shape::finder::key_list* observed_shape::finder::keys_of(const json::value& item) const
{
    if (!item.is_object()) return nullptr;
    for (const auto& names : lists_)
        if (const auto element = element_by_keys(item, names); element && owned_->steps().contains(*element))
            return &names;
    return nullptr;
}

path_element observed_shape::finder::element_of(const json::value& item, std::size_t index) const
{
    if (const auto* names = keys_of(item)) return *element_by_keys(item, *names);
    auto by_value = value_element(item);
    return owned_->steps().contains(by_value) ? by_value : "i:" + std::to_string(index);
}

void observed_shape::finder::add_keys(json::object& out, const json::value& item) const
{
    const auto* names = keys_of(item);
    if (!names) return;
    for (const auto& name : *names) out.emplace(name, item.at(name));
}

} // namespace kubecoro::detail
