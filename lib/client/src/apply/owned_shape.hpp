#pragma once
// How the parts of a value are owned: by its type, or as far as managed fields show it. Sans-io.

#include <kubecoro/api/detail/field_set.hpp>
#include <kubecoro/api/detail/list_items.hpp>
#include <kubecoro/api/detail/merge_type.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// The shape of values whose type is known.
class typed_shape
{
public:
    explicit typed_shape(merge_type type) : type_(std::move(type)) {}

    /// Not as a whole.
    [[nodiscard]] bool in_parts(const boost::json::value& v) const
    {
        return v.is_structured() && type_.form_of(v) != merge_type::form::leaf;
    }
    [[nodiscard]] typed_shape member(std::string_view name) const { return typed_shape(type_.member(name)); }
    [[nodiscard]] typed_shape item(std::string_view /*element*/) const { return typed_shape(type_.item()); }

    /// Finds the items of a list.
    class finder
    {
    public:
        explicit finder(item_keys keys) : keys_(std::move(keys)) {}
        [[nodiscard]] path_element element_of(const boost::json::value& item, std::size_t /*index*/) const
        {
            return keys_.element_of(item);
        }
        /// Adds the keys that an item needs. A key with the default value of the schema is not needed.
        void add_keys(boost::json::object& out, const boost::json::value& item) const;

    private:
        item_keys keys_;
    };
    [[nodiscard]] result<finder> items(const field_set& /*owned*/) const
    {
        return finder(item_keys(type_, type_.form_of(boost::json::array_kind)));
    }

private:
    merge_type type_;
};

/// The shape of values of an unknown type: a value of which some manager owns a part is owned in parts.
class observed_shape
{
public:
    /// @param all  The fields of the value that any manager owns; null: none. Must outlive the shape.
    explicit observed_shape(const field_set* all) : all_(all) {}

    [[nodiscard]] bool in_parts(const boost::json::value& v) const { return v.is_structured() && all_; }
    [[nodiscard]] observed_shape member(std::string_view name) const { return item(name_element(name)); }
    [[nodiscard]] observed_shape item(std::string_view element) const
    {
        return observed_shape(all_ ? all_->below(element) : nullptr);
    }

    /// Finds the items of a list by the elements that are owned.
    class finder
    {
    public:
        using key_list = std::vector<std::string>;

        finder(const field_set& owned, std::set<key_list> lists) : owned_(&owned), lists_(std::move(lists)) {}
        [[nodiscard]] path_element element_of(const boost::json::value& item, std::size_t index) const;
        void add_keys(boost::json::object& out, const boost::json::value& item) const;

    private:
        /// The names of the keys by which an item is owned; null if it is not by keys.
        [[nodiscard]] const key_list* keys_of(const boost::json::value& item) const;

        const field_set* owned_;
        /// The lists of key names that the elements use.
        std::set<key_list> lists_;
    };
    /// Errors: cond::corrupt for items with keys of many kinds, which no API has and which would cost time.
    [[nodiscard]] static result<finder> items(const field_set& owned);

private:
    const field_set* all_;
};

} // namespace kubecoro::detail
