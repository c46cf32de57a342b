// Lists pods once: typed, read in place, without decoding into structs.
#include "example.hpp"

#include <kubecoro/core_v1/pod.hpp>

namespace asio = boost::asio;
using kubecoro::core_v1::pod;

asio::awaitable<kubecoro::result<>> run(kubecoro::client client)
{
    // All namespaces, page by page.
    const auto everywhere = client.resource<pod>();
    //[try
    KUBECORO_TRY(auto pods, co_await everywhere.list_all()); // declares `pods`, or leaves with the failure
    //]
    for (const auto& p : pods.items) {
        const auto node = p->spec().nodeName();
        std::cout << p.key() << " on " << (node.empty() ? "(no node)" : node) << '\n';
    }

    // Server-side selection: only matching objects are transferred.
    kubecoro::list_options only;
    only.label_selector = "app in (cart, search)";
    const auto in_shop = client.resource<pod>("shop");
    KUBECORO_TRY(auto some, co_await in_shop.list(only));
    std::cout << some.items.size() << " of them serve the shop\n";
    co_return kubecoro::result<>();
}
