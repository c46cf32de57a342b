#pragma once
// The items of a list that is merged by keys or as a set, by their path elements.

#include <kubecoro/api/detail/field_set.hpp>
#include <kubecoro/api/detail/merge_type.hpp>

#include <kubecoro/base/hash.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// Finds the elements of the items of one list.
class item_keys
{
public:
    /// @param form  set or by_key.
    item_keys(const merge_type& type, merge_type::form form)
        : keys_(form == merge_type::form::by_key ? type.keys() : std::vector<list_key>{}),
          by_key_(form == merge_type::form::by_key)
    {
    }

    /// Returns the element of an item; an empty text for an item that has none.
    [[nodiscard]] path_element element_of(const boost::json::value& item) const;
    [[nodiscard]] bool by_key() const noexcept { return by_key_; }
    /// Sorted by name; empty for a set.
    [[nodiscard]] const std::vector<list_key>& keys() const noexcept { return keys_; }

private:
    std::vector<list_key> keys_;
    bool by_key_;
};

/// An item with its element.
struct keyed_item
{
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    path_element element;
    const boost::json::value* item;
    /// The place of the next item with the same element.
    std::size_t next = none;
};

/// A list by its elements, in order. Items without an element are left out.
struct indexed_list
{
    std::vector<keyed_item> items;
    /// How often each element occurs, and its first and last place in `items`.
    struct occurrence
    {
        std::size_t count = 0;
        std::size_t first = 0;
        std::size_t last = 0;
    };
    std::unordered_map<std::string_view, occurrence, text_hash> by_element;

    [[nodiscard]] std::size_t count(std::string_view element) const;
    /// The place of the first item with the element; keyed_item::none if there is none.
    [[nodiscard]] std::size_t first(std::string_view element) const;
    /// The only item with the element; null if there is none or more than one.
    [[nodiscard]] const boost::json::value* only(std::string_view element) const;
};

/// @param list  Null, or no array: no items.
[[nodiscard]] indexed_list index_list(const boost::json::value* list, const item_keys& keys);

} // namespace kubecoro::detail
