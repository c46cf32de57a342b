#pragma once
// A store of orders with two indexes, for the tests of the indexer.

#include <kubecoro/cache/indexer.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::test {

using lines = std::vector<std::string>;

struct order
{
    std::string id;
    std::string customer = {};
    lines tags = {};
    friend bool operator==(const order&, const order&) = default;
};

inline std::string id_of(const order& o) { return o.id; }
inline lines customer_of(const order& o) { return {o.customer}; }
inline lines tags_of(const order& o) { return o.tags; }

inline indexer<order> make_orders() { return indexer<order>(id_of, {{"customer", customer_of}, {"tag", tags_of}}); }

inline lines ids(const std::vector<order>& orders)
{
    lines out;
    for (const auto& o : orders) out.push_back(o.id);
    std::sort(out.begin(), out.end());
    return out;
}
inline lines ids(const result<std::vector<order>>& orders) { return ids(orders.value()); }

inline lines sorted(lines all)
{
    std::sort(all.begin(), all.end());
    return all;
}

/// Everything that an indexer with the indexes of make_orders() shows.
struct content
{
    std::map<std::string, std::pair<std::string, lines>> orders = {};
    std::map<std::string, std::map<std::string, lines>> indexes = {};
    friend bool operator==(const content&, const content&) = default;
};

inline content content_of(const indexer<order>& all)
{
    content out;
    for (const auto& o : all.list()) out.orders[o.id] = {o.customer, o.tags};
    for (const auto& name : all.indexers())
        for (const auto& value : all.index_values(name).value())
            out.indexes[name][value] = all.index_keys(name, value).value();
    return out;
}

} // namespace kubecoro::test
