// The order of lists after a strategic merge: the patch's order first, the order of the list before the merge second.
#pragma once

#include <boost/json/array.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace kubecoro::apiserver {

/// Returns what identifies an item of a list: its merge key's value, or itself where the list has no key. Null if the key
/// is missing.
[[nodiscard]] const boost::json::value* identity(const boost::json::value& item, std::string_view key);

/// The first position of each identity. An ordered map of texts, whose cost no choice of values can degrade.
class list_ranks
{
public:
    list_ranks(const boost::json::array& items, std::string_view key);

    /// Returns the position of the first item with the same identity; none if there is no such item.
    [[nodiscard]] const std::size_t* of(const boost::json::value& item) const;

private:
    std::string _key;
    std::map<std::string, std::size_t> _first;
};

/** Orders the items of a merged list. Items that `wanted` has come in its order; the others keep the order that they had
    before the merge, and precede those that they preceded then, as far as both orders allow. */
[[nodiscard]] boost::json::array in_order(boost::json::array merged, const list_ranks& wanted,
                                          const list_ranks& before);

} // namespace kubecoro::apiserver
