// The order of --sort-by.
#pragma once

#include "print/json_path.hpp"

#include <boost/json/value.hpp>

#include <functional>
#include <vector>

namespace kubecoro::tool {

/** The positions of the objects in the order of the first value of the path: missing values first, then numbers by
    value, then texts. Equal ones keep their order. */
[[nodiscard]] std::vector<std::size_t> sorted_positions(const std::vector<const boost::json::value*>& objects,
                                                        const json_path& by);

/// Puts items in the order of a field of their objects.
template<class Item, class Get>
void sort_by(std::vector<Item>& items, const json_path& by, Get object_of)
{
    std::vector<const boost::json::value*> objects;
    for (const auto& item : items) objects.push_back(&object_of(item));
    const auto positions = sorted_positions(objects, by);
    std::vector<Item> sorted;
    sorted.reserve(items.size());
    for (const auto at : positions) sorted.push_back(std::move(items[at]));
    items = std::move(sorted);
}

} // namespace kubecoro::tool
