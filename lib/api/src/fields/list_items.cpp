#include <kubecoro/api/detail/list_items.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace kubecoro::detail {

namespace json = boost::json;

path_element item_keys::element_of(const json::value& item) const
{
    if (!by_key_) return item.is_structured() || item.is_null() ? path_element{} : value_element(item);
    if (!item.is_object()) return {};
    json::object found;
    for (const auto& key : keys_) {
        if (const auto* value = item.get_object().if_contains(key.name))
            found.emplace(key.name, *value);
        else if (key.otherwise)
            found.emplace(key.name, *key.otherwise);
    }
    return found.empty() ? path_element{} : key_element(found);
}

std::size_t indexed_list::count(std::string_view element) const
{
    const auto it = by_element.find(element);
    return it == by_element.end() ? 0 : it->second.count;
}

std::size_t indexed_list::first(std::string_view element) const
{
    const auto it = by_element.find(element);
    return it == by_element.end() ? keyed_item::none : it->second.first;
}

const json::value* indexed_list::only(std::string_view element) const
{
    const auto it = by_element.find(element);
    return it == by_element.end() || it->second.count != 1 ? nullptr : items[it->second.first].item;
}

indexed_list index_list(const json::value* list, const item_keys& keys)
{
    indexed_list out;
    const auto* array = list ? list->if_array() : nullptr;
    if (!array) return out;
    out.items.reserve(array->size()); // the index refers to the elements
    for (const auto& item : *array) {
        auto element = keys.element_of(item);
        if (!element.empty()) out.items.push_back({std::move(element), &item});
    }
    for (std::size_t i = 0; i < out.items.size(); ++i) {
        auto& seen = out.by_element[out.items[i].element];
        if (seen.count++ == 0)
            seen.first = i;
        else
            out.items[seen.last].next = i;
        seen.last = i;
    }
    return out;
}

} // namespace kubecoro::detail
