#include "select/objects_of.hpp"

#include "print/json_lines.hpp"
#include "print/objects.hpp"

#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/try.hpp>

namespace kubecoro::tool {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

std::string kind_and_name(const json::value& object)
{
    return printable(text_member(object, {"kind"}), 80) + " \"" +
           printable(text_member(object, {"metadata", "name"}), 80) + "\"";
}

std::string chosen_namespace(const cluster_flags& cluster, const client& api)
{
    return cluster.ns.empty() ? api.default_namespace() : cluster.ns;
}

/// The target for an object of a file.
asio::awaitable<result<target>> place_of(client api, const json::value& object, const cluster_flags& cluster)
{
    if (auto same = co_await check_namespace(api, object, cluster); !same) co_return same.error();
    target out;
    auto name = text_member(object, {"metadata", "name"});
    if (name.empty())
        co_return failure(cond::invalid, "an object of kind " + printable(text_member(object, {"kind"}), 80) +
                                             " has no metadata.name");
    out.names.push_back(std::move(name));
    auto type = co_await api.resource_of(text_member(object, {"apiVersion"}), text_member(object, {"kind"}));
    if (!type) co_return type.error().because(kind_and_name(object));
    const auto own = text_member(object, {"metadata", "namespace"});
    if (type->namespaced) out.ns = own.empty() ? chosen_namespace(cluster, api) : own;
    out.type = std::move(*type);
    co_return out;
}

asio::awaitable<result<std::vector<target>>> targets_in_files(const client& api, const object_flags& f, problems& wrong)
{
    KUBECORO_TRY(auto documents, read_manifests(f.files));
    if (documents.empty()) co_return failure(cond::invalid, "the files have no objects");
    std::vector<target> out;
    for (const auto& document : documents) {
        auto place = co_await place_of(api, document, f.cluster);
        if (!place && place.error() == cond::cancelled) co_return place.error();
        if (!place && (!f.ignore_not_found || place.error() != cond::not_found)) wrong.add(place.error());
        if (!place) continue;
        const bool continues = !out.empty() && out.back().type == place->type && out.back().ns == place->ns;
        if (continues)
            out.back().names.push_back(std::move(place->names.front()));
        else
            out.push_back(std::move(*place));
    }
    co_return out;
}

asio::awaitable<result<std::vector<target>>> targets_of(const client& api, const object_flags& f, problems& wrong)
{
    if (!f.files.names.empty()) co_return co_await targets_in_files(api, f, wrong);
    std::string ns;
    if (!f.scope.all_namespaces) ns = chosen_namespace(f.cluster, api);
    co_return co_await resolve(api, f.wanted, std::move(ns));
}

} // namespace

asio::awaitable<result<located>> locate(const object_flags& flags, verb_context context, problems& wrong)
{
    KUBECORO_TRY(auto api, connect(flags.cluster, context));
    context.doing("asking the server for its resources");
    KUBECORO_TRY(auto targets, co_await targets_of(api, flags, wrong));
    co_return located{std::move(api), std::move(targets)};
}

std::string found_object::shown() const { return object_name(type_prefix(which.type), which.name); }

asio::awaitable<result<std::vector<found_object>>> objects_of(client api, std::vector<target> targets,
                                                              scope_flags scope)
{
    std::vector<found_object> out;
    for (const auto& t : targets) {
        for (const auto& name : t.names) {
            found_object one;
            one.which.type = t.type;
            one.which.ns = t.ns;
            one.which.name = name;
            out.push_back(std::move(one));
        }
        if (!t.names.empty()) continue;
        auto options = scope.selected();
        options.metadata_only = true;
        KUBECORO_TRY(auto listed, co_await api.list_all(t.type, t.ns, options));
        for (const auto& o : listed.items) {
            found_object one;
            one.which.type = t.type;
            one.which.ns = o.ns();
            one.which.name = o.name();
            one.uid = o.uid();
            out.push_back(std::move(one));
        }
    }
    co_return out;
}

asio::awaitable<result<>> check_namespace(client api, const json::value& object, const cluster_flags& cluster)
{
    const auto own = text_member(object, {"metadata", "namespace"});
    if (own.empty() || cluster.ns.empty() || own == cluster.ns) co_return result<>{};
    // That of a cluster-scoped object is ignored.
    const auto type = co_await api.resource_of(text_member(object, {"apiVersion"}), text_member(object, {"kind"}));
    if (type && !type->namespaced) co_return result<>{};
    co_return failure(cond::invalid,
                      kind_and_name(object) + " is in namespace " + printable(own, 80) + ", but -n says " + cluster.ns);
}

} // namespace kubecoro::tool
