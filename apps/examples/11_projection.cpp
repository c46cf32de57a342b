// Smaller objects: metadata only, paths dropped while decoding, and a custom transform.
#include "example.hpp"

#include <kubecoro/base/try.hpp>
#include <kubecoro/core_v1/pod.hpp>

namespace asio = boost::asio;
using kubecoro::core_v1::container;
using kubecoro::core_v1::pod;

namespace {

/// Keeps no more of the containers than name and image. A transform is for any kind: it takes and returns `object`.
kubecoro::object only_images(const kubecoro::object& o)
{
    auto p = kubecoro::read_struct<pod>(o).value(); // a failure is thrown: the object is stored as it arrived
    for (auto& c : p.spec.containers) c = container{.name = c.name, .image = c.image};
    return kubecoro::to_object(p).value();
}

} // namespace

asio::awaitable<kubecoro::result<>> run(kubecoro::client client)
{
    kubecoro::informer_factory informers(client);
    //[projection
    kubecoro::informer_options lean{.namespaces = {"shop"}};
    lean.decode.drop_managed_fields = true;
    lean.decode.prune.drop = {"status", "metadata.annotations"};
    lean.transform = only_images;
    auto pods = informers.get<pod>(lean);

    kubecoro::informer_options metadata{.namespaces = {"shop"}};
    metadata.storage.policy = kubecoro::storage::metadata_only;
    auto names = informers.get<pod>(metadata);
    //]
    informers.start();
    KUBECORO_TRY(co_await informers.has_synced());

    const auto cart = pods.lister().get("shop", "cart");
    for (const auto c : cart->spec().containers())
        std::cout << c.name() << " runs " << c.image() << ", its ports are " << (c.ports().empty() ? "dropped" : "kept")
                  << '\n';
    std::cout << "status " << (cart->status() ? "kept" : "dropped") << ", failed transforms "
              << pods.stats().transform_failures << '\n';
    const auto bare = names.lister().get("shop", "cart");
    std::cout << "metadata only: " << bare.key() << ", app " << bare->metadata().labels()["app"] << ", spec "
              << (bare->spec() ? "kept" : "absent") << '\n';
    co_return co_await informers.stop();
}
