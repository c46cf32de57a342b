// Adding and removing namespaces of a running informer: one watch each, one store.
#include "example.hpp"

#include <kubecoro/base/try.hpp>
#include <kubecoro/core_v1/pod.hpp>

#include <set>

namespace asio = boost::asio;
using kubecoro::core_v1::pod;

namespace {

/// Sorted, because the order of a list is unspecified.
void show(const char* when, const kubecoro::shared_informer<pod>& pods)
{
    std::set<std::string> names;
    for (const auto& o : pods.lister().list()) names.insert(to_string(o.key()));
    std::cout << when << ':';
    for (const auto& name : names) std::cout << ' ' << name;
    std::cout << '\n';
}

} // namespace

asio::awaitable<kubecoro::result<>> run(kubecoro::client client)
{
    kubecoro::informer_factory informers(client);
    auto pods = informers.get<pod>({.namespaces = {"shop"}});
    std::set<std::string> left_behind; // notified in unspecified order
    auto leaving = pods.add_event_handler({.on_delete = [&left_behind](const kubecoro::deleted<pod>& e) {
        left_behind.insert(to_string(e.obj.key()) + " " + std::string(to_string(e.why)));
    }});
    informers.start();
    auto synced = co_await pods.has_synced();
    if (!synced) co_return synced;
    show("shop", pods);

    KUBECORO_TRY(co_await pods.add_namespace("jobs")); // its pods are in the store now
    show("shop and jobs", pods);

    KUBECORO_TRY(co_await pods.set_namespaces({"jobs"})); // shop's pods are removed, and its watch has ended
    show("jobs", pods);

    // A single object, and a resource known only by name, whose objects have no C++ type.
    KUBECORO_TRY(auto resource, co_await kubecoro::find_resource(client, "deployments.apps"));
    auto none = informers.get(resource, {.namespaces = {"jobs"}, .name = "nightly"});
    auto one = informers.get<pod>({.namespaces = {"shop"}, .name = "cart"});
    informers.start();
    synced = co_await informers.has_synced();
    if (!synced) co_return synced;
    for (const auto& pod : left_behind) std::cout << pod << '\n';
    show("by name", one);
    std::cout << resource.display_name() << ": " << none.lister().size() << '\n';
    co_return co_await informers.stop();
}
