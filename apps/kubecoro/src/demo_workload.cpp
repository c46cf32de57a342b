#include "demo_workload.hpp"

#include <boost/json/serialize.hpp>

#include <array>
#include <chrono>
#include <ctime>

namespace kubecoro::tool {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

std::string timestamp(std::chrono::system_clock::time_point now)
{
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    std::tm utc{};
    ::gmtime_r(&seconds, &utc);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text;
}

/// A copy of the object for a new submission: without the members that the server sets.
json::value anew(const object& model, const std::string& name)
{
    json::value body = model.to_json();
    auto& root = body.as_object();
    root.erase("status");
    auto& metadata = root["metadata"].as_object();
    for (const char* key : {"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields",
                            "deletionTimestamp", "deletionGracePeriodSeconds"})
        metadata.erase(key);
    metadata["name"] = name;
    return body;
}

std::string condition(const std::string& type, bool good, const std::string& reason = {})
{
    json::object c{{"type", type},
                   {"status", good ? "True" : "False"},
                   {"lastTransitionTime", timestamp(std::chrono::system_clock::now())}};
    if (!reason.empty()) c["reason"] = reason;
    return json::serialize(c);
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

asio::awaitable<result<object>> workload::find(resource_type type, std::string ns, std::string selector)
{
    list_options options;
    options.label_selector = std::move(selector);
    auto page = co_await api_.list_all(type, ns, options);
    if (!page) co_return page.error();
    if (page->items.empty()) co_return failure(cond::not_found, "no " + type.plural + " in " + ns);
    co_return page->items[random_below(page->items.size())];
}

asio::awaitable<result<std::vector<object>>> workload::pods_of(std::string ns, std::string app)
{
    list_options options;
    options.label_selector = "app=" + app;
    auto page = co_await api_.list_all(core::v1::pod::resource(), ns, options);
    if (!page) co_return page.error();
    if (page->items.empty()) co_return failure(cond::not_found, "no pods of " + app + " in " + ns);
    co_return std::move(page->items);
}

asio::awaitable<result<>> workload::create(resource_type type, json::value body)
{
    const auto* ns = body.at("metadata").as_object().if_contains("namespace");
    std::string where = ns ? std::string(ns->as_string()) : std::string();
    auto made = co_await api_.create(type, where, body);
    if (!made) co_return made.error();
    ++writes_;
    co_return co_await pace_();
}

asio::awaitable<result<>> workload::patch(resource_type type, std::string ns, std::string name, std::string body,
                                          std::string subresource)
{
    auto done = co_await api_.patch(type, ns, name, patch_kind::merge, std::move(body), patch_options(), subresource);
    if (!done) co_return done.error();
    ++writes_;
    co_return co_await pace_();
}

asio::awaitable<result<>> workload::remove(resource_type type, object_key key)
{
    auto done = co_await api_.remove(type, key.ns, key.name);
    if (!done && done.error() != cond::not_found) co_return done.error();
    ++writes_;
    co_return co_await pace_();
}

asio::awaitable<result<>> workload::set_ready(object pod, bool ready)
{
    const auto app = pod["spec"]["containers"][std::size_t{0}]["name"].as_string();
    const std::string container = R"([{"name":")" + std::string(app) + R"(","ready":)" + (ready ? "true" : "false") +
                                  R"(,"restartCount":0,"image":"","imageID":""}])";
    const std::string conditions = "[" + condition("PodScheduled", true) + "," + condition("Initialized", true) + "," +
                                   condition("ContainersReady", ready) + "," + condition("Ready", ready) + "]";
    std::string body = R"({"status":{"phase":"Running","podIP":"10.244.9.)" + std::to_string(2 + random_below(250)) +
                       R"(","conditions":)" + conditions + R"(,"containerStatuses":)" + container + "}}";
    return patch(core::v1::pod::resource(), std::string(pod.ns()), std::string(pod.name()), std::move(body), "status");
}

asio::awaitable<result<>> workload::start_pod_like(object model, std::string replica_set, std::string hash)
{
    json::value body = anew(model, replica_set + "-" + random_name(5));
    auto& metadata = body.as_object()["metadata"].as_object();
    if (auto* labels = metadata.if_contains("labels"); labels && !hash.empty())
        labels->as_object()["pod-template-hash"] = hash;
    if (auto* owners = metadata.if_contains("ownerReferences"))
        owners->as_array().at(0).as_object()["name"] = replica_set;
    object pod = object::from_json(body).value();
    auto made = co_await create(core::v1::pod::resource(), std::move(body));
    if (!made) co_return made;
    co_return co_await set_ready(pod, true);
}

asio::awaitable<result<>> workload::rollout(std::string ns, std::string app, std::size_t pods)
{
    auto old = co_await pods_of(ns, app);
    if (!old) co_return old.error();
    const std::string hash = random_name(10);
    const std::string set = app + "-" + hash;
    const std::string image =
        "shop/" + app + ":" + std::to_string(5 + random_below(5)) + "." + std::to_string(random_below(20)) + ".0";
    auto done = co_await patch(apps::v1::deployment::resource(), ns, app,
                               R"({"spec":{"template":{"metadata":{"annotations":{"image":")" + image + R"("}}}}})");
    if (!done) co_return done;
    auto model = co_await find(apps::v1::replica_set::resource(), ns, "app=" + app);
    if (!model) co_return model.error();
    json::value replica_set = anew(*model, set);
    done = co_await create(apps::v1::replica_set::resource(), std::move(replica_set));
    if (!done) co_return done;
    for (std::size_t i = 0; i != pods && i != old->size(); ++i) {
        const object& gone = (*old)[i];
        done = co_await start_pod_like(gone, set, hash);
        if (!done) co_return done;
        done = co_await remove(core::v1::pod::resource(), object_key(gone.key()));
        if (!done) co_return done;
    }
    const std::string count = std::to_string(old->size());
    co_return co_await patch(apps::v1::deployment::resource(), ns, app,
                             R"({"status":{"observedGeneration":3,"updatedReplicas":)" + count + "}}", "status");
}

asio::awaitable<result<>> workload::scale(std::string ns, std::string app, int change)
{
    auto pods = co_await pods_of(ns, app);
    if (!pods) co_return pods.error();
    const auto now = static_cast<int>(pods->size());
    const int wanted = std::max(1, now + change);
    auto done = co_await patch(apps::v1::deployment::resource(), ns, app,
                               R"({"spec":{"replicas":)" + std::to_string(wanted) + "}}");
    if (!done) co_return done;
    const object& model = pods->front();
    const auto hash = std::string(model.labels()["pod-template-hash"].as_string());
    for (int i = now; i < wanted; ++i) {
        done = co_await start_pod_like(model, app + "-" + hash, hash);
        if (!done) co_return done;
    }
    for (int i = now; i > wanted; --i) {
        done = co_await remove(core::v1::pod::resource(), object_key((*pods)[static_cast<std::size_t>(i - 1)].key()));
        if (!done) co_return done;
    }
    co_return result<>();
}

asio::awaitable<result<>> workload::node_outage(std::string node, std::size_t pods)
{
    list_options on_node;
    on_node.field_selector = "spec.nodeName=" + node;
    auto page = co_await api_.list_all(core::v1::pod::resource(), "", on_node);
    if (!page) co_return page.error();
    for (const bool ready : {false, true}) {
        const std::string body = R"({"status":{"conditions":[)" +
                                 condition("Ready", ready, ready ? "KubeletReady" : "NodeStatusUnknown") + "]}}";
        auto done = co_await patch(core::v1::node::resource(), "", node, body, "status");
        if (!done) co_return done;
        for (std::size_t i = 0; i != pods && i != page->items.size(); ++i) {
            done = co_await set_ready(page->items[i], ready);
            if (!done) co_return done;
        }
    }
    co_return result<>();
}

asio::awaitable<result<>> workload::configure(std::string ns, std::size_t count)
{
    for (std::size_t i = 0; i != count; ++i) {
        auto chosen = co_await find(core::v1::config_map::resource(), ns, "tier");
        if (!chosen) co_return chosen.error();
        std::string body = R"({"data":{"version":")" + random_name(8) + R"("}})";
        auto done = co_await patch(core::v1::config_map::resource(), ns, std::string(chosen->name()), std::move(body));
        if (!done) co_return done;
    }
    co_return result<>();
}

asio::awaitable<result<>> workload::campaign(std::string name, std::size_t changes)
{
    const resource_type campaigns{"shop.example.com", "v1", "campaigns", "Campaign", true};
    json::object spec{{"discount", 10 + random_below(40)}, {"region", "north"}};
    json::value body{{"apiVersion", "shop.example.com/v1"},
                     {"kind", "Campaign"},
                     {"metadata", {{"name", name}, {"namespace", "shop"}}},
                     {"spec", std::move(spec)}};
    auto done = co_await create(campaigns, std::move(body));
    for (std::size_t i = 1; done && i <= changes; ++i) {
        std::string status = R"({"status":{"phase":"Running","redeemed":)" + std::to_string(i * 100) + "}}";
        done = co_await patch(campaigns, "shop", name, std::move(status), "status");
    }
    if (!done) co_return done;
    co_return co_await remove(campaigns, object_key("shop", name));
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
