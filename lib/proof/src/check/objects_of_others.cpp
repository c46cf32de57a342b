#include "check/objects_of_others.hpp"

#include "world/world.hpp"

#include <kubecoro/apiserver/server.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <set>
#include <utility>

namespace json = boost::json;

namespace kubecoro::testing::detail {
namespace {

constexpr duration life_before = std::chrono::seconds{10};
constexpr std::string_view owner_name = "owner-of-others";

std::string text_in(const json::object& o, std::string_view name)
{
    const auto* const v = o.if_contains(name);
    return v && v->is_string() ? std::string(v->get_string()) : std::string();
}

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
result<std::string> owner_in(runner& run, apiserver::embedded_server& server, const std::string& ns)
{
    const auto collection = "/api/v1/namespaces/" + ns + "/configmaps";
    auto there = run.run(server.execute("GET", collection + "/" + std::string(owner_name)));
    if (!there)
        there =
            run.run(server.execute("POST", collection, R"({"metadata":{"name":")" + std::string(owner_name) + "\"}}"));
    if (!there) return there.error();
    return text_in(json::parse(*there).at("metadata").as_object(), "uid");
}

} // namespace

result<scenario> with_others(scenario about, const std::vector<made_object>& made, bool same_name)
{
    runner run;
    apiserver::embedded_server server(run.executor(), server_options_of(*about.options, run.shared_clock(), 2));
    const struct end
    {
        runner& r;
        ~end() { r.destroy_coroutines(); }
    } at_end{run};
    if (auto done = run.run(server.restore(about.base)); !done) return done.error();
    std::set<std::string> resources;
    for (const auto& m : made) {
        const auto resource = m.key.substr(0, m.key.find(' '));
        auto whole = json::parse(m.text).as_object();
        const auto meta = whole.at("metadata").as_object();
        const auto ns = text_in(meta, "namespace");
        if (ns.empty() || !text_in(meta, "generateName").empty()) continue;
        const auto name = (same_name ? "" : "others-") + text_in(meta, "name");
        if (!same_name && !resources.insert(resource).second) continue;
        // A namespace that the user makes is not there yet.
        const auto owner = owner_in(run, server, ns);
        if (!owner) continue;
        whole["metadata"] = metadata_of(meta, name, *owner, !same_name);
        strip(whole);
        if (same_name) whole.erase("data");
        if (run.run(server.execute("POST", m.collection, json::serialize(whole))))
            about.others.insert(resource + " " + ns + "/" + name);
    }
    run.advance(life_before);
    auto got_about_base = run.run(server.snapshot());
    if (!got_about_base) return got_about_base.error();
    about.base = std::move(*got_about_base);
    return about;
}

} // namespace kubecoro::testing::detail
