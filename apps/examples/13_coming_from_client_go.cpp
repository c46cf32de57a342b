// A small program for users of client-go. The comments on the right give the client-go equivalents.
#include "example.hpp"

#include <kubecoro/core_v1/pod.hpp>

#include <algorithm>

namespace asio = boost::asio;
using kubecoro::typed_object;
using kubecoro::core_v1::pod;

namespace {

/// Sorted, because the order of a list is unspecified.
void show(const char* what, const std::vector<typed_object<pod>>& objects)
{
    std::vector<std::string> names;
    for (const auto& o : objects) names.emplace_back(o.name());
    std::sort(names.begin(), names.end());
    std::cout << what << ':';
    for (const auto& name : names) std::cout << ' ' << name;
    std::cout << '\n';
}

} // namespace

asio::awaitable<kubecoro::result<>> run(kubecoro::client client) // clientset, ctx: every co_await can be cancelled
{
    kubecoro::informer_factory informers(client); // informers.NewSharedInformerFactory(clientset, 0)
    auto pods = informers.get<pod>();             // factory.Core().V1().Pods()
    auto index = pods.add_index("node", [](const typed_object<pod>& p, auto out) {
        out(p->spec().nodeName()); // cache.Indexers{"node": func(obj interface{}) ...}
    });
    if (!index) co_return index;

    int adds = 0;
    // informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{...}), without casting to
    // DeletedFinalStateUnknown: a deletion missed by the watch is a normal deletion with a flag.
    auto registration = pods.add_event_handler({
        .on_add = [&adds](const kubecoro::added<pod>& e) { adds += e.initial; },
        .on_delete = [](const kubecoro::deleted<pod>& e) { std::cout << e.obj.key() << " is gone\n"; },
    });
    informers.start();                                // factory.Start(ctx.Done())
    auto synced = co_await registration.has_synced(); // cache.WaitForCacheSync(ctx.Done(), registration.HasSynced)
    if (!synced) co_return synced;                    // forbidden or not found fails at once; client-go keeps waiting
    std::cout << adds << " pods at the start\n";

    const auto lister = pods.lister();            // factory.Core().V1().Pods().Lister()
    const auto cart = lister.get("shop", "cart"); // lister.Pods("shop").Get("cart")
    std::cout << "cart runs " << (cart ? "on " : "nowhere") << cart->spec().nodeName() << '\n';
    show("on n1", lister.by_index("node", "n1"));                                  // indexer.ByIndex("node", "n1")
    const auto selector = kubecoro::label_selector::parse("app in (cart,search)"); // labels.Parse(...)
    if (!selector) co_return selector.error();
    show("of the shop", lister.list(*selector)); // lister.List(selector)

    auto removed =
        co_await registration.removed();      // informer.RemoveEventHandler(registration), and awaits running calls
    auto stopped = co_await informers.stop(); // factory.Shutdown()
    co_return removed ? stopped : removed;
}
