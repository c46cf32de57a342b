// Reading an informer's store by key, by selector or by a custom index, without requests to the server.
#include "example.hpp"

#include <kubecoro/core_v1/pod.hpp>

#include <algorithm>
#include <set>

namespace asio = boost::asio;
using kubecoro::core_v1::pod;

asio::awaitable<kubecoro::result<>> run(kubecoro::client client)
{
    kubecoro::informer_factory informers(client);
    auto pods = informers.get<pod>();
    auto indexed = pods.add_index("node", [](const kubecoro::typed_object<pod>& p, auto out) {
        out(p->spec().nodeName()); // indexes each pod by the name of its node
    });
    if (!indexed) co_return indexed;

    informers.start();
    auto synced = co_await pods.has_synced();
    if (synced) {
        auto lister = pods.lister(); // cheap, usable from any thread
        const std::set<std::string> by_name = [&] {
            auto values = lister.index_values("node");
            return std::set<std::string>(values.begin(), values.end());
        }();
        for (const auto& node : by_name) {
            std::set<std::string> names;
            for (const auto& p : lister.by_index("node", node)) names.insert(kubecoro::to_string(p.key()));
            std::cout << node << ':';
            for (const auto& name : names) std::cout << ' ' << name;
            std::cout << '\n';
        }
        std::cout << "in shop: " << lister.list_in("shop").size() << '\n';
        if (auto cart = lister.get("shop", "cart")) std::cout << "cart runs on " << cart->spec().nodeName() << '\n';
    }
    auto stopped = co_await informers.stop();
    co_return synced ? stopped : synced;
}
