#include "callers.hpp"

#include <kubecoro/collections/derive.hpp>

namespace callers_test {
namespace {

live_queries& queries(world& w)
{
    auto made = std::make_shared<live_queries>(w.run.executor(), live_queries_options{.time = w.run.shared_clock()});
    return w.keep<live_queries>(std::move(made), [](live_queries& of) { return of.stop(); });
}

collection<std::string> names(world& w)
{
    return derive<std::string>(queries(w), w.maps,
                               [](const typed_object<config_map>& m) { return std::string(m.name()); });
}

} // namespace

rows of_collections()
{
    return {
        {"collections/collection.hpp pop",
         [](world& w) {
             using subscribed = collection_subscription<std::string>;
             return w.keep(std::make_shared<subscribed>(names(w).subscribe())).pop();
         }},
        {"collections/collection.hpp has_synced", [](world& w) { return names(w).has_synced(); }},
        {"collections/collection.hpp wait_for",
         [](world& w) {
             return names(w).wait_for(
                 "default/none", [](const auto& s) { return s != nullptr; }, 5s);
         }},
        {"collections/live_queries.hpp snapshot",
         [](world& w) {
             auto& live = queries(w);
             const auto all =
                 derive<std::string>(live, w.maps, [](const typed_object<config_map>&) { return std::string("x"); });
             return live.snapshot({}, all);
         }},
        {"collections/live_queries.hpp has_synced", [](world& w) { return queries(w).has_synced(); }},
        {"collections/live_queries.hpp stop", [](world& w) { return queries(w).stop(); }},
    };
}

} // namespace callers_test
