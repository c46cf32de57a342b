#include "check/make_scenario.hpp"

#include "check/manifest_files.hpp"
#include "world/world.hpp"

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/client/detail/no_server.hpp>
#include <kubecoro/client/manifests.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace asio = boost::asio;
namespace json = boost::json;

namespace kubecoro::testing::detail {
namespace {

constexpr std::string_view author = "user";
constexpr duration first_work = std::chrono::seconds{5};
constexpr std::size_t shortest_secret = 6;

using manifests = std::vector<json::value>;

std::string text_at(const json::value& v, std::string_view outer, std::string_view name = {})
{
    const auto* at = v.is_object() ? v.get_object().if_contains(outer) : nullptr;
    if (at && !name.empty()) at = at->is_object() ? at->get_object().if_contains(name) : nullptr;
    return at && at->is_string() ? std::string(at->get_string()) : std::string();
}

json::value namespace_object(const std::string& name)
{
    return {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}};
}

/// Namespaces that the objects name, and that of the operator.
manifests namespaces_of(const std::string& own, const std::vector<const manifests*>& all)
{
    std::set<std::string> names{own, "default"};
    for (const auto* some : all)
        for (const auto& o : *some)
            if (auto ns = text_at(o, "metadata", "namespace"); !ns.empty()) names.insert(std::move(ns));
    manifests out;
    for (const auto& name : names) out.push_back(namespace_object(name));
    return out;
}

void add_secret(std::string text, std::set<std::string>& out)
{
    if (text.size() >= shortest_secret) out.insert(std::move(text));
}

/// Values as they are written, and as they are.
void add_secrets(const manifests& objects, std::set<std::string>& out)
{
    for (const auto& o : objects) {
        if (text_at(o, "kind") != "Secret") continue;
        for (const auto* part : {"data", "stringData"}) {
            const auto* const values = o.get_object().if_contains(part);
            if (!values || !values->is_object()) continue;
            for (const auto& m : values->get_object()) {
                if (!m.value().is_string()) continue;
                const std::string text(m.value().get_string());
                if (const auto plain = bytes::from_base64(text)) add_secret(plain->data, out);
                add_secret(text, out);
            }
        }
    }
}

/// The schemas of the definitions, by "group/version/Kind".
using schemas = std::map<std::string, json::value>;

schemas schemas_of(const manifests& definitions)
{
    schemas out;
    for (const auto& d : definitions) {
        if (text_at(d, "kind") != "CustomResourceDefinition") continue;
        const auto& spec = d.get_object().at("spec");
        const auto* const versions = spec.is_object() ? spec.get_object().if_contains("versions") : nullptr;
        if (!versions || !versions->is_array()) continue;
        for (const auto& v : versions->get_array()) {
            const auto* const schema = v.is_object() ? v.get_object().if_contains("schema") : nullptr;
            const auto* const root =
                schema && schema->is_object() ? schema->get_object().if_contains("openAPIV3Schema") : nullptr;
            const auto name = text_at(spec, "group") + "/" + text_at(v, "name") + "/" + text_at(spec, "names", "kind");
            out.emplace(name, root ? *root : json::value());
        }
    }
    return out;
}

user_object object_at(const resource_type& type, json::value manifest)
{
    user_object out;
    const auto name = text_at(manifest, "metadata", "name");
    auto ns = text_at(manifest, "metadata", "namespace");
    if (type.namespaced && ns.empty()) ns = "default";
    out.collection = type.path_prefix() + (type.namespaced ? "/namespaces/" + ns : "") + "/" + type.plural;
    out.path = out.collection + "/" + name;
    out.key = type.display_name() + " " + (type.namespaced ? ns + "/" : "") + name;
    out.body = json::serialize(manifest);
    return out;
}

/// A server that is filled, and its user.
struct workshop
{
    runner run;
    apiserver::embedded_server server;
    client user;

    explicit workshop(const operator_check_options& o)
        : server(run.executor(), server_options_of(o, run.shared_clock(), 1)),
          user(client_on(run, std::make_shared<apiserver::in_process_transport>(server), logger::silent(),
                         std::string(author)))
    {
    }
    ~workshop() { run.destroy_coroutines(); }
    workshop(const workshop&) = delete;
    workshop& operator=(const workshop&) = delete;

    result<> apply(manifests objects)
    {
        apply_options how;
        how.field_manager = author;
        if (const auto done = run.run(apply_all(user, std::move(objects), std::move(how))); !done) return done.error();
        return {};
    }
};

result<std::vector<access_right>> rights_of(workshop& w, const scenario& s)
{
    auto managing = s.replicas.managing;
    managing.name = s.replicas.name;
    managing.time = w.run.shared_clock();
    managing.log = logger::silent();
    auto offline = client_on(w.run, std::make_shared<kubecoro::detail::no_server>(), logger::silent(), s.replicas.name);
    manager m(std::move(offline), std::move(managing));
    if (const auto filled = (*s.replicas.add)(m); !filled)
        return failure(cond::misconfigured, "the set-up of the operator failed: " + filled.error().describe());
    return m.rights();
}

result<std::vector<user_object>> objects_of_user(workshop& w, manifests objects, const schemas& custom)
{
    std::vector<user_object> out;
    for (auto& o : objects) {
        const auto version = text_at(o, "apiVersion");
        const auto kind = text_at(o, "kind");
        if (text_at(o, "metadata", "name").empty())
            return failure(cond::invalid, "an object of the kind " + kind + " has no name");
        auto got_type = w.run.run(w.user.resource_of(version, kind));
        if (!got_type) return got_type.error();
        const auto type = std::move(*got_type);
        const auto schema = custom.find(version + "/" + kind);
        auto edits = schema == custom.end() ? std::vector<spec_edit>() : edits_of(schema->second, o);
        auto made = object_at(type, std::move(o));
        made.custom = schema != custom.end();
        made.edits = std::move(edits);
        out.push_back(std::move(made));
    }
    return out;
}

} // namespace

result<scenario> make_scenario(const operator_function& add, const operator_check_options& options)
{
    scenario s;
    s.options = &options;
    s.replicas.add = &add;
    s.replicas.name = options.name.empty() ? "operator" : options.name;
    s.replicas.managing = options.managing;
    s.replicas.managing.leader_election = {};
    s.replicas.managing.shards = {};
    s.account = "system:serviceaccount:" + s.replicas.name + ":" + s.replicas.name;

    auto got_definitions = load_all(options.definitions);
    if (!got_definitions) return got_definitions.error();
    auto definitions = std::move(*got_definitions);
    auto got_surroundings = load_all(options.surroundings);
    if (!got_surroundings) return got_surroundings.error();
    auto surroundings = std::move(*got_surroundings);
    auto got_objects = load_all(options.objects);
    if (!got_objects) return got_objects.error();
    auto objects = std::move(*got_objects);
    add_secrets(surroundings, s.secrets);
    add_secrets(objects, s.secrets);
    const auto custom = schemas_of(definitions);

    workshop w(options);
    if (auto done = w.apply(namespaces_of(s.replicas.name, {&surroundings, &objects})); !done) return done.error();
    if (auto done = w.apply(std::move(definitions)); !done) return done.error();
    if (auto done = w.apply(std::move(surroundings)); !done) return done.error();
    auto got_s_rights = rights_of(w, s);
    if (!got_s_rights) return got_s_rights.error();
    s.rights = std::move(*got_s_rights);
    const rbac_options account{.name = s.replicas.name, .ns = s.replicas.name};
    auto got_rights = load_manifests(rbac_manifest(s.rights, account), "rights");
    if (!got_rights) return got_rights.error();
    auto rights = std::move(*got_rights);
    if (auto done = w.apply(std::move(rights)); !done) return done.error();
    auto got_s_objects = objects_of_user(w, std::move(objects), custom);
    if (!got_s_objects) return got_s_objects.error();
    s.objects = std::move(*got_s_objects);
    w.run.advance(first_work);
    auto got_s_base = w.run.run(w.server.snapshot());
    if (!got_s_base) return got_s_base.error();
    s.base = std::move(*got_s_base);
    return s;
}

} // namespace kubecoro::testing::detail
