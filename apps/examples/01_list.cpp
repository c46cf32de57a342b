// Lists pods once: typed by a tag, read in place, without decoding into structs.
#include "example.hpp"

namespace asio = boost::asio;
using kubecoro::core::v1::pod;

asio::awaitable<kubecoro::result<>> run(kubecoro::client client)
{
    // All namespaces, page by page.
    //[try
    KUBECORO_TRY(auto pods,
                 co_await client.list_all(pod::resource(), "")); // declares `pods`, or leaves with the failure
    //]
    for (const kubecoro::object& p : pods.items)
        std::cout << p.key() << " on " << p["spec"]["nodeName"].as_string("(no node)") << '\n';

    // Server-side selection: only matching objects are transferred.
    kubecoro::list_options only;
    only.label_selector = "app in (cart, search)";
    KUBECORO_TRY(auto some, co_await client.list(pod::resource(), "shop", only));
    std::cout << some.items.size() << " of them serve the shop\n";
    co_return kubecoro::result<>();
}
