// A controller: moves the actual state towards the desired state, key by key, and retries until they match.
#include "example.hpp"

#include <kubecoro/base/latch.hpp>
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/pod.hpp>

#include <string>

namespace asio = boost::asio;
using kubecoro::action;
using kubecoro::object_key;
using kubecoro::reconcile_context;
using kubecoro::typed_object;
using kubecoro::core_v1::config_map;
using kubecoro::core_v1::pod;

namespace {

/// Keeps one config map per pod, "<pod>-info", with the name of the pod's node.
struct pod_info
{
    kubecoro::client cluster;
    kubecoro::lister<config_map> maps;

    //[reconcile
    asio::awaitable<kubecoro::result<action>> operator()(const typed_object<pod>& found, reconcile_context& context)
    {
        const object_key info(found.ns(), std::string(found.name()) + "-info");
        const auto edit = [&](config_map& m) {
            m.data["node"] = found->spec().nodeName();
            set_controller_reference(found, m); // the garbage collector removes it with the pod
        };
        kubecoro::edit_options how;
        how.known = maps.get(info); // an edit that changes nothing sends no request
        // A failure leaves, and the run is repeated with exponential backoff.
        KUBECORO_TRY(auto done, co_await kubecoro::create_or_update<config_map>(cluster, info, edit, how));
        context.wrote(done.now); // the key's next run sees this write
        co_return action::done();
    }
    //]
};

/// Prints the changes of the config maps.
kubecoro::event_handler<config_map> narrator(kubecoro::latch made, kubecoro::latch repaired)
{
    return {.on_add =
                [made](const kubecoro::added<config_map>& e) {
                    std::cout << e.obj.key() << ": " << e.obj->data()["node"] << '\n';
                    if (e.obj.name() == "search-info") made.settle({});
                },
            .on_update =
                [repaired](const kubecoro::updated<config_map>& e) {
                    const auto node = e.after->data()["node"];
                    std::cout << e.after.key() << ": " << e.before->data()["node"] << " -> " << node << '\n';
                    if (node == "n2") repaired.settle({});
                }};
}

/// Modifies a config map behind the controller's back.
asio::awaitable<kubecoro::result<>> spoil(kubecoro::client client)
{
    auto maps = client.resource<config_map>("shop");
    KUBECORO_TRY(co_await maps.patch("search-info", kubecoro::patch_kind::merge, R"({"data":{"node":"nowhere"}})"));
    co_return kubecoro::result<>();
}

} // namespace

asio::awaitable<kubecoro::result<>> run(kubecoro::client client)
{
    const auto executor = co_await asio::this_coro::executor;
    //[controller
    kubecoro::informer_factory informers(client);
    auto pods = informers.get<pod>({.namespaces = {"shop"}});
    auto maps = informers.get<config_map>({.namespaces = {"shop"}});
    kubecoro::controller controller(executor, pods, pod_info{client, maps.lister()}, {.name = "pod-info"},
                                    {.filter = kubecoro::predicates::resource_version_changed()});
    controller.watch(maps, kubecoro::enqueue_owner<pod>());
    informers.start();
    controller.start();
    auto outcome = co_await controller.ready(); // a failure names the missing sources
    //]
    kubecoro::latch made;
    kubecoro::latch repaired;
    maps.add_event_handler(narrator(made, repaired));
    if (outcome) outcome = co_await made.wait();
    if (outcome) outcome = co_await spoil(client);
    if (outcome) outcome = co_await repaired.wait();
    //[stop
    auto stopped = co_await controller.stop();        // no more events, no more runs; those in progress finish
    auto informers_ended = co_await informers.stop(); // then the informers that runs read from
    //]
    if (!outcome) co_return outcome;
    co_return stopped ? informers_ended : stopped;
}
