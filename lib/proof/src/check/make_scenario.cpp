#include "check/make_scenario.hpp"

#include "world/world.hpp"

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/detail/manifest_files.hpp>
#include <kubecoro/client/detail/no_server.hpp>
#include <kubecoro/client/manifests.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace asio = boost::asio;
namespace json = boost::json;

namespace kubecoro::testing::detail {

using kubecoro::detail::array_in;
using kubecoro::detail::member_in;
using kubecoro::detail::object_in;
using kubecoro::detail::text_in;

namespace {

constexpr std::string_view author = "user";
constexpr duration first_work = std::chrono::seconds{5};
constexpr std::size_t shortest_secret = 6;

using manifests = std::vector<json::value>;

bool is_text(std::string_view source) { return source.starts_with('{') || source.find('\n') != std::string_view::npos; }

/// The objects of all of them, in order; files of a folder by name.
result<manifests> load_all(const std::vector<std::string>& sources)
{
    manifests out;
    for (const auto& each : sources) {
        auto some =
            is_text(each) ? load_manifests(each, "manifest") : kubecoro::detail::read_manifests({.names = {each}});
        if (!some) return some.error();
        std::move(some->begin(), some->end(), std::back_inserter(out));
    }
    return out;
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
            if (const auto ns = text_in(member_in(o, "metadata"), "namespace"); !ns.empty()) names.emplace(ns);
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
        if (text_in(o, "kind") != "Secret") continue;
        for (const auto* part : {"data", "stringData"}) {
            const auto* const values = object_in(o, part);
            if (!values) continue;
            for (const auto& m : *values) {
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
        const auto* const spec = member_in(d, "spec");
        const auto* const versions = array_in(spec, "versions");
        if (text_in(d, "kind") != "CustomResourceDefinition" || !versions) continue;
        for (const auto& v : *versions) {
            const auto* const schema = member_in(member_in(v, "schema"), "openAPIV3Schema");
            std::string name(text_in(spec, "group"));
            name.append("/").append(text_in(v, "name")).append("/").append(text_in(member_in(spec, "names"), "kind"));
            out.emplace(std::move(name), schema ? *schema : json::value());
        }
    }
    return out;
}

user_object object_at(const resource_type& type, json::value manifest)
{
    user_object out;
    const auto* const meta = member_in(manifest, "metadata");
    const std::string name(text_in(meta, "name"));
    std::string ns(text_in(meta, "namespace"));
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
};

result<std::vector<access_right>> rights_of(workshop& w, const scenario& s)
{
    auto managing = s.replicas.managing;
    managing.name = s.replicas.name;
    managing.time = w.run.shared_clock();
    managing.log = logger::silent();
    auto offline = client_on(w.run, std::make_shared<kubecoro::detail::no_server>(), logger::silent(), s.replicas.name);
    manager m(offline, std::move(managing));
    if (const auto filled = (*s.replicas.add)(m, offline); !filled)
        return failure(cond::misconfigured, "the set-up of the operator failed: " + filled.error().describe());
    return m.rights();
}

asio::awaitable<result<user_object>> object_of_user(client user, json::value o, const schemas& custom)
{
    const std::string version(text_in(o, "apiVersion")), kind(text_in(o, "kind"));
    if (text_in(member_in(o, "metadata"), "name").empty())
        co_return failure(cond::invalid, "an object of the kind " + kind + " has no name");
    KUBECORO_TRY(const auto type, co_await user.resource_of(version, kind));
    const auto schema = custom.find(version + "/" + kind);
    auto edits = schema == custom.end() ? std::vector<spec_edit>() : edits_of(schema->second, o);
    auto made = object_at(type, std::move(o));
    made.custom = schema != custom.end();
    made.edits = std::move(edits);
    co_return made;
}

asio::awaitable<result<scenario>> prepare(workshop& w, scenario s, std::vector<access_right> rights)
{
    const auto& options = *s.options;
    KUBECORO_TRY(auto definitions, load_all(options.definitions));
    KUBECORO_TRY(auto objects, load_all(options.objects));
    KUBECORO_TRY(auto granted,
                 load_manifests(rbac_manifest(rights, {.name = s.replicas.name, .ns = s.replicas.name}), "rights"));
    s.rights = std::move(rights);
    add_secrets(definitions, s.secrets);
    add_secrets(objects, s.secrets);
    const auto custom = schemas_of(definitions);
    auto namespaces = namespaces_of(s.replicas.name, {&definitions, &objects});
    for (auto* each : {&namespaces, &definitions, &granted}) {
        write_options how;
        how.field_manager = author;
        KUBECORO_TRY(co_await apply_all(w.user, std::move(*each), std::move(how)));
    }
    for (auto& o : objects) {
        KUBECORO_TRY(auto made, co_await object_of_user(w.user, std::move(o), custom));
        s.objects.push_back(std::move(made));
    }
    KUBECORO_TRY(co_await sleep_for(w.run.clock(), first_work));
    KUBECORO_TRY(s.base, co_await w.server.snapshot());
    co_return s;
}

} // namespace

result<scenario> make_scenario(const detail::operator_function& add, const operator_check_options& options)
{
    scenario s;
    s.options = &options;
    s.replicas.add = &add;
    s.replicas.name = options.name.empty() ? "operator" : options.name;
    s.replicas.managing = options.managing;
    if (auto& ns = s.replicas.managing.leader_election.ns; ns.empty()) ns = s.replicas.name;
    s.replicas.managing.shards = {};
    s.account = "system:serviceaccount:" + s.replicas.name + ":" + s.replicas.name;
    workshop w(options);
    auto rights = rights_of(w, s);
    if (!rights) return rights.error();
    return w.run.run(prepare(w, std::move(s), std::move(*rights)));
}

} // namespace kubecoro::testing::detail
