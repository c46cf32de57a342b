#pragma once
// Collections of plain elements over the core alone.

#include "graph/graph_core.hpp"

#include <kubecoro/collections/look.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace collections_test {

namespace kd = kubecoro::detail;

struct element
{
    std::string text;
    std::map<std::string, std::string> labels = {};
    std::vector<std::string> groups = {};
    friend bool operator==(const element&, const element&) = default;
};

inline const element& read(const kd::live_item& i) { return *static_cast<const element*>(i.get()); }
inline kd::live_item item(element e) { return std::make_shared<const element>(std::move(e)); }

/// Made once for each set of labels.
inline const kubecoro::object& labels_of(const element& e)
{
    static std::map<std::map<std::string, std::string>, kubecoro::object> made;
    auto& o = made[e.labels];
    if (!o) o = kd::object_with_labels(e.labels);
    return o;
}

inline kd::item_kind element_kind()
{
    kd::item_kind k;
    k.equal = kd::live_element<element>::equal;
    k.labels = [](const void* o, kubecoro::object&) -> const kubecoro::object& {
        return labels_of(*static_cast<const element*>(o));
    };
    k.index = [](std::string_view name) -> kd::item_index {
        if (name != "group") return {};
        return [](const void* o) { return static_cast<const element*>(o)->groups; };
    };
    return k;
}

/// Computations of the core's tests read from the graph itself.
struct no_reader final : kd::live_reader
{
    kd::live_item by_key(const kd::live_source&, std::string_view) override { return {}; }
    std::vector<kd::live_item> by_index(const kd::live_source&, std::string_view, std::string_view) override
    {
        return {};
    }
    std::vector<kd::live_item> by_selector(const kd::live_source&, const kubecoro::label_selector&) override
    {
        return {};
    }
    std::vector<kd::live_item> all(const kd::live_source&) override { return {}; }
};

struct core_fixture
{
    no_reader nothing;
    kubecoro::look look{nothing};
    kd::graph_core graph{look, [] { return kubecoro::duration(0); }};
    std::uint32_t tables = 0;

    kd::table_core& input(const std::string& name, bool synced = true)
    {
        auto& t = graph.add_input(std::make_shared<kd::table_core>(tables++, 0, name, element_kind()));
        if (synced) graph.set_synced(t);
        return t;
    }
    kd::table_core& rule(const std::string& name, std::vector<kd::table_core*> from, kd::compute_function f,
                         bool keyed = false)
    {
        auto t = std::make_shared<kd::table_core>(tables, tables + 1, name, element_kind());
        ++tables;
        graph.add_rule({.into = t, .primaries = std::move(from), .compute = std::move(f), .keyed = keyed});
        return *t;
    }
    /// Returns the number of turns.
    std::size_t run(std::size_t a_turn = 512)
    {
        std::size_t turns = 1;
        for (auto most = a_turn; graph.run(most); most = a_turn) ++turns;
        return turns;
    }
    void set(kd::table_core& t, const std::string& key, element e) { graph.set(t, key, item(std::move(e))); }
    void erase(kd::table_core& t, const std::string& key) { graph.set(t, key, nullptr); }
};

/// "key=text" for each, in order.
inline std::vector<std::string> content(const kd::table_core& t)
{
    std::vector<std::string> out;
    t.content().rows.scan([&out](const auto& e) {
        out.push_back(std::string(e.key->key()) + "=" + read(e.value).text);
        return true;
    });
    return out;
}

using lines = std::vector<std::string>;

} // namespace collections_test
