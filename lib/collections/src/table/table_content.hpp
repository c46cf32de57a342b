#pragma once

#include "table/live_row.hpp"
#include "table/row_tree_core.hpp"

#include <compare>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// One state of a collection. Copying it costs little, and a copy can be read by any thread.
struct table_content
{
    /// An element with its key.
    struct entry
    {
        row_ptr key;
        live_item value;
    };
    struct order : by_key
    {
        static const row* bound(const entry& e) noexcept { return e.key.get(); }
    };
    /// The same under a value of an index.
    struct index_entry
    {
        index_value_ptr under;
        row_ptr key;
        live_item value;
    };
    /// The order of values, then of keys. A value alone is before all of its elements.
    struct index_order
    {
        using bound_type = std::pair<const index_value*, const row*>;
        static bound_type bound(const index_entry& e) noexcept { return {e.under.get(), e.key.get()}; }
        static std::strong_ordering compare(const bound_type& a, const bound_type& b) noexcept
        {
            if (a.first != b.first)
                if (const auto o = a.first->text <=> b.first->text; o != 0) return o;
            return by_key::compare(a.second, b.second);
        }
        static std::strong_ordering compare(const bound_type& a, std::string_view value) noexcept
        {
            const auto o = std::string_view(a.first->text) <=> value;
            return o == 0 ? std::strong_ordering::greater : o;
        }
    };

    row_tree<entry, order> rows = {};
    /// Those of the options of a derived collection.
    std::map<std::string, row_tree<index_entry, index_order>, std::less<>> indexes = {};

    [[nodiscard]] live_item get(std::string_view key) const
    {
        const auto* found = rows.find(key);
        return found ? found->value : nullptr;
    }
    /// In the order of the keys.
    [[nodiscard]] std::vector<live_item> list() const
    {
        std::vector<live_item> out;
        out.reserve(rows.size());
        rows.each([&out](const auto& e) { out.push_back(e.value); });
        return out;
    }
};

} // namespace kubecoro::detail
