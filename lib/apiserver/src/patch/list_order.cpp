// Orders merged lists like kube-apiserver: a merge of two sorted parts.
#include "patch/list_order.hpp"

#include "text/json_text.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <limits>
#include <vector>

namespace kubecoro::apiserver {
namespace {

struct ranked
{
    json::value item;
    /// Its position in the list that orders its part.
    std::size_t rank;
    /// Its position before the merge; null if it is new.
    const std::size_t* before;
};

using part = std::vector<ranked>;

void sort_part(part& items)
{
    std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
}

} // namespace

const json::value* identity(const json::value& item, std::string_view key)
{
    if (key.empty()) return &item;
    return item.is_object() ? item.get_object().if_contains(key) : nullptr;
}

list_ranks::list_ranks(const json::array& items, std::string_view key) : _key(key)
{
    for (std::size_t i = 0; i < items.size(); ++i)
        if (const auto* id = identity(items[i], key)) _first.emplace(to_text(*id), i);
}

const std::size_t* list_ranks::of(const json::value& item) const
{
    const auto* id = identity(item, _key);
    const auto it = id ? _first.find(to_text(*id)) : _first.end();
    return it == _first.end() ? nullptr : &it->second;
}

json::array in_order(json::array merged, const list_ranks& wanted, const list_ranks& before)
{
    part ordered;
    part others;
    for (auto& item : merged) {
        const auto* place = before.of(item);
        if (const auto* rank = wanted.of(item))
            ordered.push_back({std::move(item), *rank, place});
        else
            others.push_back({std::move(item), place ? *place : std::numeric_limits<std::size_t>::max(), place});
    }
    sort_part(ordered);
    sort_part(others);
    json::array out;
    out.reserve(merged.size());
    auto other = others.begin();
    for (auto& next : ordered) {
        while (other != others.end() && other->before && next.before && *other->before < *next.before)
            out.push_back(std::move((other++)->item));
        out.push_back(std::move(next.item));
    }
    for (; other != others.end(); ++other) out.push_back(std::move(other->item));
    return out;
}

} // namespace kubecoro::apiserver
