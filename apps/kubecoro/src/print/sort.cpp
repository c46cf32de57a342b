#include "print/sort.hpp"

#include "print/json_lines.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>

namespace kubecoro::tool {

namespace {

/// Class (missing, number, text), number, text.
using sort_key = std::tuple<int, double, std::string>;

sort_key key_of(const boost::json::value& object, const json_path& by)
{
    const auto found = by.find(object);
    if (found.empty() || found.front()->is_null()) return {0, 0, {}};
    const auto& v = *found.front();
    if (v.is_number()) return {1, v.to_number<double>(), {}};
    return {2, 0, scalar_text(v)};
}

} // namespace

std::vector<std::size_t> sorted_positions(const std::vector<const boost::json::value*>& objects, const json_path& by)
{
    std::vector<sort_key> keys;
    keys.reserve(objects.size());
    for (const auto* object : objects) keys.push_back(key_of(*object, by));
    std::vector<std::size_t> out(objects.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
    std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    return out;
}

} // namespace kubecoro::tool
