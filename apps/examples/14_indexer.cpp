// A program's own objects, found by key and by the values of indexes: client-go's cache.Indexer, without an informer.
#include "example.hpp"

#include <kubecoro/core_v1/pod.hpp>

namespace asio = boost::asio;
using kubecoro::typed_object;
namespace core_v1 = kubecoro::core_v1;

namespace {

/// A pod's place in the cluster, as far as this program needs it.
struct placement
{
    std::string pod;
    std::string node;
    std::vector<std::string> images;
};

placement placement_of(const typed_object<core_v1::pod>& p)
{
    placement out{kubecoro::to_string(p.key()), std::string(p->spec().nodeName()), {}};
    for (const auto container : p->spec().containers()) out.images.emplace_back(container.image());
    return out;
}

/// A handle for any thread: copies share the objects.
kubecoro::indexer<placement> make_placements()
{
    return kubecoro::indexer<placement>([](const placement& p) { return p.pod; }, // cache.NewIndexer(keyFunc, Indexers)
                                        {{"node", [](const placement& p) { return std::vector{p.node}; }},
                                         {"image", [](const placement& p) { return p.images; }}});
}

} // namespace

asio::awaitable<kubecoro::result<>> run(kubecoro::client client)
{
    const auto everywhere = client.resource<core_v1::pod>();
    KUBECORO_TRY(auto pods, co_await everywhere.list_all());
    std::vector<placement> all;
    for (const auto& p : pods.items) all.push_back(placement_of(p));

    const auto placements = make_placements();
    KUBECORO_TRY(placements.replace(std::move(all))); // at once for readers on other threads

    KUBECORO_TRY(const auto nodes, placements.index_values("node")); // fails if there is no such index
    for (const auto& node : nodes) {
        std::cout << node << ':';
        for (const auto& key : placements.index_keys("node", node).value()) std::cout << ' ' << key; // sorted
        std::cout << '\n';
    }

    auto moved = placements.update({"shop/cart", "n3", {"cart", "proxy"}});
    if (!moved) co_return moved;
    if (const auto cart = placements.get("shop/cart")) std::cout << "cart is now on " << cart->node << '\n';
    for (const auto& p : placements.by_index("image", "proxy").value()) std::cout << p.pod << " runs a proxy\n";

    const auto unknown = placements.by_index("zone", "z1");
    if (!unknown) std::cout << unknown.error().message() << '\n';
    placements.remove("jobs/report");
    std::cout << placements.size() << " placements\n";
    co_return kubecoro::result<>();
}
