// Smaller objects: metadata only, paths dropped while decoding, and a custom transform.
#include "example.hpp"

#include <boost/json.hpp>

namespace asio = boost::asio;
using kubecoro::core::v1::pod;

namespace {

//[transform
/// Replaces the containers by their number.
kubecoro::object count_containers(const kubecoro::object& o)
{
    auto json = o.to_json();
    auto& spec = json.at("spec").as_object();
    spec["containers"] = spec.at("containers").as_array().size();
    return *kubecoro::object::from_json(json);
}
//]

} // namespace

asio::awaitable<kubecoro::result<>> run(kubecoro::client client)
{
    kubecoro::informer_factory informers(client);
    //[projection
    kubecoro::informer_options lean{.namespaces = {"shop"}};
    lean.decode.drop_managed_fields = true;
    lean.decode.prune.drop = {"status", "metadata.annotations"};
    lean.transform = count_containers;
    auto pods = informers.get<pod>(lean);

    kubecoro::informer_options metadata{.namespaces = {"shop"}};
    metadata.storage.policy = kubecoro::storage::metadata_only;
    auto names = informers.get<pod>(metadata);
    //]
    informers.start();
    auto synced = co_await informers.has_synced();
    if (!synced) co_return synced;

    const auto cart = pods.lister().get("shop", "cart");
    std::cout << "containers " << cart["spec"]["containers"].as_int64() << ", status "
              << (cart["status"] ? "kept" : "dropped") << ", failed transforms " << pods.stats().transform_failures
              << '\n';
    const auto bare = names.lister().get("shop", "cart");
    std::cout << "metadata only: " << bare.key() << ", app " << bare.labels()["app"].as_string() << ", spec "
              << (bare["spec"] ? "kept" : "absent") << '\n';
    co_return co_await informers.stop();
}
