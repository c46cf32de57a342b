// The values that others replace: unchanged ones are forgiven.
#pragma once

#include "validation/findings.hpp"
#include "validation/schema_node.hpp"

#include <boost/json/value.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// The value that another one replaces, where it is known which that is.
struct replaced_value
{
    const boost::json::value* value = nullptr;
    /// The schema of the place, which says how the items of lists correspond.
    const schema_node* schema = nullptr;
};

/// The member of a replaced object that a member of the new one replaces.
[[nodiscard]] replaced_value member_of(replaced_value before, std::string_view name, bool at_root);

/// Whether the values are equal. False when the budget is spent.
[[nodiscard]] bool is_same(const boost::json::value& a, const boost::json::value& b, step_budget& budget);

/// The items of a replaced list that is a map, by their keys. Empty when the budget is spent.
class keyed_items
{
public:
    keyed_items(replaced_value list, step_budget& budget);

    /// The item with the keys of this one.
    [[nodiscard]] replaced_value find(const boost::json::value& item);

private:
    /// None if the item has no keys, or the budget is spent.
    [[nodiscard]] std::optional<std::string> key_of(const boost::json::value& item);

    const schema_node* schema_ = nullptr;
    step_budget& budget_;
    std::map<std::string, const boost::json::value*> items_;
};

/// The items of a replaced list, to find those that have no key, such as those of a set. Ordered, not hashed: others
/// choose them.
class present_items
{
public:
    present_items(replaced_value list, step_budget& budget);

    [[nodiscard]] bool contains(const boost::json::value& item) const;

private:
    std::vector<std::string> texts_;
};

} // namespace kubecoro::detail
