#include "callers.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/cache/delta_fifo.hpp>
#include <kubecoro/cache/reflector.hpp>
#include <kubecoro/cache/relist_budget.hpp>
#include <kubecoro/cache/subscription.hpp>
#include <kubecoro/cache/watcher.hpp>

namespace callers_test {
namespace {

class table final : public reflector_sink
{
public:
    asio::awaitable<result<>> replace(std::vector<object>, std::string, std::vector<left_out_object>) override
    {
        co_return result<>{};
    }
    asio::awaitable<result<>> apply(std::vector<delta>, std::string) override { co_return result<>{}; }
};

table& sink(world& w) { return w.keep(std::make_shared<table>()); }

asio::awaitable<result<>> handle(added<config_map>) { co_return result<>{}; }

registration& handler(world& w)
{
    return w.keep(std::make_shared<registration>(w.maps.add_event_handler({.on_add = handle})));
}

subscription<config_map>& reader(world& w)
{
    return w.keep(std::make_shared<subscription<config_map>>(w.maps.subscribe()));
}

watcher<config_map>& events(world& w)
{
    return w.keep<watcher<config_map>>(std::make_shared<watcher<config_map>>(w.cluster, reflector_options{}),
                                       [](watcher<config_map>& of) { return of.stop(); });
}

} // namespace

rows of_cache()
{
    return {
        {"cache/delta_fifo.hpp room",
         [](world& w) {
             auto& fifo = w.keep(std::make_shared<delta_fifo>(delta_fifo_options{.max_pending = 1}));
             const auto scope = fifo.add_scope();
             fifo.replace(scope, {}, "5");
             return fifo.room(scope);
         }},
        {"cache/delta_fifo.hpp pop",
         [](world& w) {
             auto& fifo = w.keep(std::make_shared<delta_fifo>());
             fifo.replace(fifo.add_scope(), {}, "5");
             return fifo.pop([](std::vector<delta>&) { return result<>(); });
         }},
        {"cache/event_handler.hpp has_synced", [](world& w) { return handler(w).has_synced(); }},
        {"cache/event_handler.hpp removed", [](world& w) { return handler(w).removed(); }},
        {"cache/event_handler.hpp ended", [](world& w) { return handler(w).ended(); }},
        {"cache/informer_factory.hpp has_synced", [](world& w) { return w.informers->has_synced(); }},
        {"cache/informer_factory.hpp release",
         [](world& w) {
             auto pods = w.informers->get(untyped::pod::resource());
             return w.informers->release(std::move(pods));
         }},
        {"cache/informer_factory.hpp stop", [](world& w) { return w.informers->stop(); }},
        {"cache/lister.hpp get_after",
         [](world& w) {
             return w.maps.lister().get_after({"default", "one"}, "99999");
         }},
        {"cache/lister.hpp wait_until", [](world& w) { return w.maps.lister().wait_until("99999"); }},
        {"cache/reflector.hpp replace", [](world& w) { return sink(w).replace({}, "5", {}); }},
        {"cache/reflector.hpp apply", [](world& w) { return sink(w).apply({}, "5"); }},
        {"cache/reflector.hpp vanished", [](world& w) { return sink(w).vanished(); }},
        {"cache/reflector.hpp run",
         [](world& w) {
             auto made = std::make_shared<reflector>(w.cluster, untyped::pod::resource(), reflector_options{},
                                                     std::make_shared<table>());
             return w.keep(std::move(made)).run();
         }},
        {"cache/relist_budget.hpp take",
         [](world& w) {
             auto made = std::make_shared<relist_budget>(8, 200ms, w.run.shared_clock(), 1);
             return w.keep(std::move(made)).take();
         }},
        {"cache/shared_informer.hpp wait_for",
         [](world& w) {
             return w.maps.wait_for(
                 {"default", "two"}, [](const typed_object<config_map>&) { return true; }, 5s);
         }},
        {"cache/shared_informer.hpp wait_for_any",
         [](world& w) { return w.maps.wait_for_any([](const notification<config_map>&) { return false; }, 5s); }},
        {"cache/shared_informer.hpp has_synced", [](world& w) { return w.maps.has_synced(); }},
        {"cache/shared_informer.hpp set_namespaces",
         [](world& w) {
             const std::vector<std::string> both{"default", "other"};
             return w.maps.set_namespaces(both);
         }},
        {"cache/shared_informer.hpp add_namespace", [](world& w) { return w.maps.add_namespace("other"); }},
        {"cache/shared_informer.hpp remove_namespace", [](world& w) { return w.maps.remove_namespace("default"); }},
        {"cache/shared_informer.hpp wait_until", [](world& w) { return w.maps.wait_until("99999"); }},
        {"cache/shared_informer.hpp wait_for_cache_sync",
         [](world& w) {
             std::vector<shared_informer<object>> all{w.maps.untyped(), w.informers->get(untyped::pod::resource())};
             return wait_for_cache_sync(std::move(all));
         }},
        {"cache/subscription.hpp pop", [](world& w) { return reader(w).pop(); }},
        {"cache/subscription.hpp for_each",
         [](world& w) {
             return reader(w).for_each(
                 [](const notification<config_map>&) -> asio::awaitable<result<>> { co_return result<>{}; });
         }},
        {"cache/subscription.hpp has_synced", [](world& w) { return reader(w).has_synced(); }},
        {"cache/watcher.hpp next", [](world& w) { return events(w).next(); }},
        {"cache/watcher.hpp stop", [](world& w) { return events(w).stop(); }},
    };
}

} // namespace callers_test
