#pragma once

#include "table/live_row.hpp"
#include "table/row_tree_core.hpp"

#include <kubecoro/api/selector.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// One state of a collection. Copying it costs little, and a copy can be read by any thread.
struct table_content
{
    row_tree<row_ptr, live_item, by_key> rows = {};
    using index_tree = row_tree<index_key, live_item, by_value>;
    /// By number. Those of labels follow those of the user as they are needed.
    std::vector<index_tree> indexes = {};
    std::shared_ptr<const std::vector<std::string>> index_names = std::make_shared<const std::vector<std::string>>();

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
        rows.scan([&out](const auto& e) {
            out.push_back(e.value);
            return true;
        });
        return out;
    }
    [[nodiscard]] std::optional<std::size_t> index(std::string_view name) const
    {
        for (std::size_t i = 0; i != index_names->size(); ++i)
            if ((*index_names)[i] == name) return i;
        return std::nullopt;
    }
    /// Calls f(index_key, item) for those with the value, in the order of their keys.
    template<class F>
    void each(std::size_t index, std::string_view value, F f) const
    {
        indexes[index].scan(value, [&](const auto& e) {
            if (e.key.value->text != value) return false;
            f(e.key, e.value);
            return true;
        });
    }
};

} // namespace kubecoro::detail
