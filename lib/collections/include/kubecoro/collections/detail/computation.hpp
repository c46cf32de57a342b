#pragma once

#include <kubecoro/collections/detail/live_item.hpp>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro {
class look;
}

namespace kubecoro::detail {

/// A call of a user's function: the key, the elements with it in each primary input (null = none), and its results.
struct computation
{
    std::string_view key;
    std::span<const live_item> inputs;
    look& reads;
    /// The results with their keys. Without keys of their own they have that of the input: one at most.
    std::vector<std::pair<std::string, live_item>> results = {};
};
using compute_function = std::function<void(computation&)>;

class table_core;
class graph_core;

} // namespace kubecoro::detail
