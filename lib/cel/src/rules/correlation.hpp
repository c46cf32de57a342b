// Which part of an old object is the same as a part of the new one.
#pragma once

#include "schema/schema_node.hpp"

#include <kubecoro/base/hash.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <unordered_map>

namespace kubecoro::cel::detail {

/// A part of the new object and the one that it replaces.
struct correlated
{
    const boost::json::value* value = nullptr;
    const boost::json::value* before = nullptr;
    const schema_node* schema = nullptr;

    /// The member of both; nothing if one of them lacks it.
    [[nodiscard]] correlated member(std::string_view name) const;
    explicit operator bool() const noexcept { return value != nullptr; }
};

/// The items of an old list of order `map` by their keys.
class old_items
{
public:
    /// @param list  Null for none.
    old_items(const schema_node& schema, const boost::json::value* list);

    /// The old item with the keys of a new one, or null.
    [[nodiscard]] const boost::json::value* find(const boost::json::value& item) const;

private:
    const schema_node& schema_;
    std::unordered_map<std::string, const boost::json::value*, kubecoro::detail::text_hash> items_;
};

/// Whether both parts are equal. Lists of order `map` may have their items in another order.
[[nodiscard]] bool is_unchanged(const correlated& of);

} // namespace kubecoro::cel::detail
