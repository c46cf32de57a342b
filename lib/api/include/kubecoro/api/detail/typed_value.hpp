#pragma once
// Structured merging of JSON values by their types: which fields a value has, how two values differ, how they merge, and the
// items of a list that is merged by keys or as a set.

#include <kubecoro/api/detail/field_set.hpp>
#include <kubecoro/api/detail/merge_type.hpp>
#include <kubecoro/base/hash.hpp>

#include <boost/json/value.hpp>

#include <optional>
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

/// The fields by which a value differs from an earlier one.
struct field_changes
{
    field_set added;
    field_set modified;
    field_set removed;
};

/// Returns the fields that a value states.
[[nodiscard]] field_set fields_of(const boost::json::value& v, const merge_type& type);

[[nodiscard]] field_changes compare_fields(const boost::json::value& before, const boost::json::value& after,
                                           const merge_type& type);

/// Returns `live` with everything that `config` states. Items keep the order of `config`, between those of `live`.
[[nodiscard]] boost::json::value merge_values(const boost::json::value& live, const boost::json::value& config,
                                              const merge_type& type);

/// Returns a value without these fields. Objects and lists that became empty are null, as a kube-apiserver leaves them.
[[nodiscard]] boost::json::value without_fields(const boost::json::value& v, const field_set& fields,
                                                const merge_type& type);

/// Adds the members that are steps of longer paths, if the schema has them itself.
[[nodiscard]] field_set with_named_steps(const field_set& fields, const merge_type& type);

} // namespace kubecoro::detail
