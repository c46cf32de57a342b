#include "check/objects_of_others.hpp"

#include "world/world.hpp"

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/base/try.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <set>
#include <utility>

namespace asio = boost::asio;
namespace json = boost::json;

namespace kubecoro::testing::detail {

using kubecoro::detail::text_in;

namespace {

constexpr duration life_before = std::chrono::seconds{10};
constexpr std::string_view owner_name = "owner-of-others";

/// Fields that a server gives to each object for itself.
void strip(json::object& o)
{
    o.erase("status");
    auto* const spec = o.if_contains("spec");
    if (!spec || !spec->is_object()) return;
    auto& s = spec->get_object();
    for (const auto* name : {"clusterIP", "clusterIPs", "nodeName", "volumeName"}) s.erase(name);
    auto* const ports = s.if_contains("ports");
    if (!ports || !ports->is_array()) return;
    for (auto& p : ports->get_array())
        if (p.is_object()) p.get_object().erase("nodePort");
}

/// @param alike  Whether labels and annotations are those of the operator's object.
json::object metadata_of(const json::object& before, const std::string& name, const std::string& owner_uid, bool alike)
{
    json::object out{{"name", name}, {"namespace", text_in(before, "namespace")}};
    for (const auto* kept : {"labels", "annotations"})
        if (const auto* const v = before.if_contains(kept); v && alike) out[kept] = *v;
    out["ownerReferences"] = json::array{json::object{{"apiVersion", "v1"},
                                                      {"kind", "ConfigMap"},
                                                      {"name", owner_name},
                                                      {"uid", owner_uid},
                                                      {"controller", true},
                                                      {"blockOwnerDeletion", false}}};
    return out;
}

/// The uid of the owner in a namespace, which is made if it is not there.
asio::awaitable<result<std::string>> owner_in(apiserver::embedded_server& server, std::string ns)
{
    const auto collection = "/api/v1/namespaces/" + ns + "/configmaps";
    const std::string name(owner_name);
    auto there = co_await server.execute("GET", collection + "/" + name);
    if (!there) there = co_await server.execute("POST", collection, R"({"metadata":{"name":")" + name + "\"}}");
    if (!there) co_return there.error();
    co_return std::string(text_in(json::parse(*there).at("metadata"), "uid"));
}

asio::awaitable<result<scenario>> add_others(apiserver::embedded_server& server, time_source& time, scenario about,
                                             const std::vector<made_object>& made, bool same_name)
{
    KUBECORO_TRY(co_await server.restore(about.base));
    std::set<std::string> resources;
    for (const auto& m : made) {
        const auto resource = m.key.substr(0, m.key.find(' '));
        auto whole = json::parse(m.text).as_object();
        const auto meta = whole.at("metadata").as_object();
        const std::string ns(text_in(meta, "namespace"));
        if (ns.empty() || !text_in(meta, "generateName").empty()) continue;
        const auto name = (same_name ? "" : "others-") + std::string(text_in(meta, "name"));
        if (!same_name && !resources.insert(resource).second) continue;
        // A namespace that the user makes is not there yet.
        const auto owner = co_await owner_in(server, ns);
        if (!owner) continue;
        whole["metadata"] = metadata_of(meta, name, *owner, !same_name);
        strip(whole);
        if (same_name) whole.erase("data");
        if (co_await server.execute("POST", m.collection, json::serialize(whole)))
            about.others.insert(resource + " " + ns + "/" + name);
    }
    KUBECORO_TRY(co_await sleep_for(time, life_before));
    KUBECORO_TRY(about.base, co_await server.snapshot());
    co_return about;
}

} // namespace

result<scenario> with_others(scenario about, const std::vector<made_object>& made, bool same_name)
{
    runner run;
    apiserver::embedded_server server(run.executor(), server_options_of(*about.options, run.shared_clock(), 2));
    auto out = run.run(add_others(server, run.clock(), std::move(about), made, same_name));
    run.destroy_coroutines();
    return out;
}

} // namespace kubecoro::testing::detail
