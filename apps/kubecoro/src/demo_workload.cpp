#include "demo_workload.hpp"

#include <kubecoro/api/described.hpp>
#include <kubecoro/api/selector.hpp>
#include <kubecoro/apps_v1/deployment.hpp>
#include <kubecoro/apps_v1/replica_set.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/node.hpp>

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

/// The custom resource whose definition is one of the demo's manifests.
namespace kubecoro::tool::shop {

struct campaign_spec
{
    std::optional<std::int64_t> discount;
    std::string region;
};
BOOST_DESCRIBE_STRUCT(campaign_spec, (), (discount, region))

struct campaign_status
{
    std::string phase;
    std::optional<std::int64_t> redeemed;
};
BOOST_DESCRIBE_STRUCT(campaign_status, (), (phase, redeemed))

struct campaign
{
    static resource_type resource() { return {"shop.example.com", "v1", "campaigns", "Campaign", true}; }
    meta_v1::object_meta metadata;
    campaign_spec spec;
    campaign_status status;
};
BOOST_DESCRIBE_STRUCT(campaign, (), (metadata, spec, status))

} // namespace kubecoro::tool::shop

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

/// Metadata for a new object that is like another one: without the fields that the server sets.
meta_v1::object_meta metadata_like(const meta_v1::object_meta& model, std::string name)
{
    return {.name = std::move(name),
            .namespace_ = model.namespace_,
            .labels = model.labels,
            .annotations = model.annotations,
            .ownerReferences = model.ownerReferences};
}

template<class Condition>
Condition condition(const char* type, bool good, std::optional<std::string> reason = {})
{
    return {.type = type,
            .status = good ? "True" : "False",
            .lastTransitionTime = timestamp(std::chrono::system_clock::now()),
            .reason = std::move(reason)};
}

} // namespace

workload::workload(client api, std::uint64_t seed, std::function<asio::awaitable<result<>>()> pace)
    : api_(std::move(api)), random_(seed), pace_(std::move(pace))
{
}

std::string workload::random_name(std::size_t length)
{
    constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
    std::string out;
    while (out.size() < length) out += letters[random_below(letters.size())];
    return out;
}

template<class T>
asio::awaitable<result<typed_object<T>>> workload::find(std::string ns, std::string selector)
{
    const list_options which{.label_selector = std::move(selector)};
    const auto all = api_.resource<T>(ns);
    KUBECORO_TRY(auto page, co_await all.list_all(which));
    if (page.items.empty()) co_return failure(cond::not_found, "no " + all.type().plural + " in " + ns);
    co_return page.items[random_below(page.items.size())];
}

asio::awaitable<result<std::vector<typed_object<core_v1::pod>>>> workload::pods_of(std::string ns, std::string app)
{
    const list_options which{.label_selector = "app=" + app};
    const auto all = api_.resource<core_v1::pod>(ns);
    KUBECORO_TRY(auto page, co_await all.list_all(which));
    if (page.items.empty()) co_return failure(cond::not_found, "no pods of " + app + " in " + ns);
    co_return std::move(page.items);
}

asio::awaitable<result<>> workload::paced(asio::awaitable<result<object>> write)
{
    KUBECORO_TRY(co_await std::move(write));
    ++writes_;
    co_return co_await pace_();
}

template<class T>
asio::awaitable<result<>> workload::create(T wanted)
{
    return paced(api_.create(T::resource(), wanted.metadata.namespace_.value_or(""), to_text(wanted)));
}

template<class T>
asio::awaitable<result<>> workload::patch(std::string ns, std::string name, T change, std::string subresource)
{
    return paced(api_.patch(T::resource(), std::move(ns), std::move(name), patch_kind::merge, to_text(change),
                            write_options(), std::move(subresource)));
}

template<class T>
asio::awaitable<result<>> workload::remove(object_key key)
{
    auto gone = co_await paced(api_.remove(T::resource(), key.ns, key.name));
    if (!gone && gone.error() != cond::not_found) co_return gone;
    co_return result<>();
}

asio::awaitable<result<>> workload::set_ready(typed_object<core_v1::pod> pod, bool ready)
{
    using core_v1::pod_condition;
    core_v1::pod change;
    change.status.phase = "Running";
    change.status.podIP = "10.244.9." + std::to_string(2 + random_below(250));
    change.status.conditions = {
        condition<pod_condition>("PodScheduled", true), condition<pod_condition>("Initialized", true),
        condition<pod_condition>("ContainersReady", ready), condition<pod_condition>("Ready", ready)};
    for (const auto container : pod->spec().containers())
        change.status.containerStatuses.push_back({.name = std::string(container.name()),
                                                   .ready = ready,
                                                   .restartCount = 0,
                                                   .image = std::string(container.image()),
                                                   .imageID = ""});
    return patch(std::string(pod.ns()), std::string(pod.name()), std::move(change), "status");
}

asio::awaitable<result<>> workload::start_pod_like(typed_object<core_v1::pod> model, std::string replica_set,
                                                   std::string hash)
{
    KUBECORO_TRY(auto wanted, read_struct(model));
    wanted.metadata = metadata_like(wanted.metadata, replica_set + "-" + random_name(5));
    wanted.status = {};
    if (!hash.empty()) wanted.metadata.labels["pod-template-hash"] = hash;
    if (!wanted.metadata.ownerReferences.empty()) wanted.metadata.ownerReferences.front().name = replica_set;
    KUBECORO_TRY(auto pod, to_object(wanted));
    KUBECORO_TRY(co_await create(wanted));
    co_return co_await set_ready(pod, true);
}

asio::awaitable<result<>> workload::rollout(std::string ns, std::string app, std::size_t pods)
{
    KUBECORO_TRY(auto old, co_await pods_of(ns, app));
    const std::string hash = random_name(10);
    const std::string set = app + "-" + hash;
    apps_v1::deployment change;
    change.spec.template_.metadata.annotations["image"] =
        "shop/" + app + ":" + std::to_string(5 + random_below(5)) + "." + std::to_string(random_below(20)) + ".0";
    KUBECORO_TRY(co_await patch(ns, app, change));

    KUBECORO_TRY(auto model, co_await find<apps_v1::replica_set>(ns, "app=" + app));
    KUBECORO_TRY(auto replicas, read_struct(model));
    replicas.metadata = metadata_like(replicas.metadata, set);
    replicas.status = {};
    KUBECORO_TRY(co_await create(replicas));
    for (std::size_t i = 0; i != pods && i != old.size(); ++i) {
        KUBECORO_TRY(co_await start_pod_like(old[i], set, hash));
        const object_key gone(old[i].key());
        KUBECORO_TRY(co_await remove<core_v1::pod>(gone));
    }
    apps_v1::deployment reached;
    reached.status.observedGeneration = 3;
    reached.status.updatedReplicas = static_cast<int>(old.size());
    co_return co_await patch(ns, app, reached, "status");
}

asio::awaitable<result<>> workload::scale(std::string ns, std::string app, int change)
{
    KUBECORO_TRY(auto pods, co_await pods_of(ns, app));
    const auto now = static_cast<int>(pods.size());
    const int wanted = std::max(1, now + change);
    apps_v1::deployment scaled;
    scaled.spec.replicas = wanted;
    KUBECORO_TRY(co_await patch(ns, app, scaled));
    const auto& model = pods.front();
    const std::string hash(model->metadata().labels()["pod-template-hash"]);
    for (int i = now; i < wanted; ++i) KUBECORO_TRY(co_await start_pod_like(model, app + "-" + hash, hash));
    for (int i = now; i > wanted; --i) {
        const object_key gone(pods[static_cast<std::size_t>(i - 1)].key());
        KUBECORO_TRY(co_await remove<core_v1::pod>(gone));
    }
    co_return result<>();
}

asio::awaitable<result<>> workload::node_outage(std::string node, std::size_t pods)
{
    const list_options on_node{.field_selector = field_selector({{"spec.nodeName", true, node}}).to_string()};
    const auto everywhere = api_.resource<core_v1::pod>();
    KUBECORO_TRY(auto page, co_await everywhere.list_all(on_node));
    for (const bool ready : {false, true}) {
        core_v1::node change;
        change.status.conditions = {
            condition<core_v1::node_condition>("Ready", ready, ready ? "KubeletReady" : "NodeStatusUnknown")};
        KUBECORO_TRY(co_await patch("", node, change, "status"));
        for (std::size_t i = 0; i != pods && i != page.items.size(); ++i)
            KUBECORO_TRY(co_await set_ready(page.items[i], ready));
    }
    co_return result<>();
}

asio::awaitable<result<>> workload::configure(std::string ns, std::size_t count)
{
    for (std::size_t i = 0; i != count; ++i) {
        KUBECORO_TRY(auto chosen, co_await find<core_v1::config_map>(ns, "tier"));
        core_v1::config_map change;
        change.data["version"] = random_name(8);
        const std::string name(chosen.name());
        KUBECORO_TRY(co_await patch(ns, name, change));
    }
    co_return result<>();
}

asio::awaitable<result<>> workload::campaign(std::string name, std::size_t changes)
{
    const shop::campaign begun{
        .metadata = {.name = name, .namespace_ = "shop"},
        .spec = {.discount = static_cast<std::int64_t>(10 + random_below(40)), .region = "north"},
        .status = {}};
    KUBECORO_TRY(co_await create(begun));
    for (std::size_t i = 1; i <= changes; ++i) {
        shop::campaign change;
        change.status = {.phase = "Running", .redeemed = static_cast<std::int64_t>(i * 100)};
        KUBECORO_TRY(co_await patch("shop", name, change, "status"));
    }
    const object_key key("shop", name);
    co_return co_await remove<shop::campaign>(key);
}

asio::awaitable<result<>> workload::anything()
{
    constexpr std::array<std::array<const char*, 2>, 6> apps{{{"web", "search"},
                                                              {"web", "gateway"},
                                                              {"shop", "orders"},
                                                              {"shop", "stock"},
                                                              {"jobs", "worker-slow"},
                                                              {"web", "images"}}};
    const auto& app = apps[random_below(apps.size())];
    switch (random_below(6)) {
    case 0:
        return rollout(app[0], app[1], 2);
    case 1:
        return scale(app[0], app[1], 2);
    case 2:
        return scale(app[0], app[1], -2);
    case 3:
        return node_outage("node-b" + std::to_string(1 + random_below(4)), 3);
    case 4:
        return configure("shop", 4);
    default:
        return campaign("flash-" + random_name(4), 3);
    }
}

} // namespace kubecoro::tool
