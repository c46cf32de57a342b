// Snippets of docs/guide/controllers.md and docs/guide/from-event-to-reconcile.md.
#include <kubecoro/apps_v1/deployment.hpp>
#include <kubecoro/apps_v1/replica_set.hpp>
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/kubecoro.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using kubecoro::action;
using kubecoro::object_key;
using kubecoro::reconcile_context;
using kubecoro::apps_v1::deployment;
using kubecoro::apps_v1::replica_set;
using kubecoro::core_v1::config_map;

//[mapped
/// The deployment that uses a config map, named by the map's annotation.
kubecoro::enqueue users_of_config()
{
    return kubecoro::enqueue_mapped<config_map>(
        [](const kubecoro::typed_object<config_map>& map, kubecoro::key_sink out) {
            const auto user = map->metadata().annotations()["example.com/used-by"];
            if (!user.empty()) out(map.ns(), user);
        });
}
//]

void add_sources(kubecoro::controller<>& controller, kubecoro::informer_factory& informers)
{
    //[sources
    using namespace kubecoro::predicates;
    controller.watch(informers.get<deployment>(), kubecoro::enqueue_object(),
                     {.filter = any_of({generation_changed(), annotations_changed()})});
    controller.watch(informers.get<replica_set>(), kubecoro::enqueue_owner<deployment>());
    auto maps = controller.watch(informers.get<config_map>(), users_of_config(), {.resync = 10min});
    //]
    maps.remove();
}

//[pace
kubecoro::controller<> at_a_steady_pace(asio::any_io_executor executor, kubecoro::reconciler reconcile)
{
    kubecoro::controller_options options{.name = "dns-zones"};
    options.debounce = 200ms;  // a burst of events causes one run, at its end
    options.min_interval = 5s; // and no zone is written more often than that
    return {executor, std::move(reconcile), std::move(options)};
}
//]

//[spans
asio::awaitable<kubecoro::result<action>> render_pages(object_key key, reconcile_context& context)
{
    auto rendering = context.span("render"); // a part of the run; ends with its scope
    rendering.set("namespace", key.ns);
    context.log().info("rendering");                          // with controller, object, trace and run
    const std::string header = context.trace().traceparent(); // for requests to other systems
    co_return action::done();
}
//]

int main() {}
