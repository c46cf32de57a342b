#include "callers.hpp"

#include <kubecoro/api/list_watch_source.hpp>
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/client/apply.hpp>
#include <kubecoro/client/discovery.hpp>
#include <kubecoro/client/log_stream.hpp>
#include <kubecoro/client/manifests.hpp>
#include <kubecoro/client/struct_edit.hpp>
#include <kubecoro/client/subresources.hpp>
#include <kubecoro/client/table.hpp>
#include <kubecoro/client/typed_client.hpp>
#include <kubecoro/client/writing.hpp>

#include <boost/json/parse.hpp>

namespace callers_test {
namespace {

resource_type maps() { return config_map::resource(); }
resource_type deployments() { return untyped::deployment::resource(); }
const object_key one{"default", "one"};

constexpr auto two = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"two"}})";
constexpr auto changed = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one"},"data":{"a":"2"}})";
constexpr auto patched = R"({"data":{"a":"2"}})";

write_options applying() { return {.field_manager = "tester"}; }
config_map typed_map(const std::string& name) { return {.metadata = {.name = name}, .data = {{"a", "2"}}}; }

object here(world& w) { return w.must(w.cluster.get(maps(), "default", "one")); }
void edit(boost::json::object& o) { o["data"] = {{"a", "2"}}; }
void edit_struct(config_map& m) { m.data["a"] = "2"; }

std::vector<boost::json::value> manifests() { return {boost::json::parse(changed)}; }
/// Something that a call makes first, and whose own call counts.
template<class T, class Call>
decltype(auto) with(world& w, asio::awaitable<result<std::unique_ptr<T>>> make, Call call)
{
    std::shared_ptr<T> made = w.must(std::move(make));
    return call(w.keep(std::move(made)));
}

log_options following()
{
    log_options o;
    o.follow = true;
    return o;
}

request asked() { return {.method = "GET", .target = "/version"}; }

discovery& kinds_of(world& w) { return w.keep(std::make_shared<discovery>(w.cluster)); }

list_watch_source& source(world& w)
{
    return w.keep(w.cluster.provider()->open(maps(), source_scope{.ns = "default"}));
}

resource_client<object> bound(world& w) { return w.cluster.resource(maps(), "default"); }
resource_client<config_map> typed(world& w) { return w.cluster.resource<config_map>("default"); }

/// The log of a container that has written a line.
log_stream& log_of(world& w)
{
    w.must(w.server.append_log({"default", "web", "main"}, "a line\n"));
    return with(w, pod_logs(w.cluster, "default", "web", following()), [](log_stream& s) -> log_stream& { return s; });
}

} // namespace

rows of_client()
{
    return {
        {"api/list_watch_source.hpp list", [](world& w) { return source(w).list(list_options{}); }},
        {"api/list_watch_source.hpp watch", [](world& w) { return source(w).watch(watch_options{}); }},
        {"api/list_watch_source.hpp next",
         [](world& w) { return with(w, source(w).watch(watch_options{}), [](watch_stream& s) { return s.next(); }); }},
        {"client/apply.hpp migrate_to_apply",
         [](world& w) {
             return migrate_to_apply(w.cluster, maps(), "default", "one", apply_migration{.to = "tester"});
         }},
        {"client/client.hpp get", [](world& w) { return w.cluster.get(maps(), "default", "one"); }},
        {"client/client.hpp get", [](world& w) { return bound(w).get("one"); }},
        {"client/client.hpp list", [](world& w) { return w.cluster.list(maps(), "default"); }},
        {"client/client.hpp list_all", [](world& w) { return w.cluster.list_all(maps(), "default"); }},
        {"client/client.hpp watch", [](world& w) { return w.cluster.watch(maps(), "default"); }},
        {"client/client.hpp create", [](world& w) { return w.cluster.create(maps(), "default", two); }},
        {"client/client.hpp create_subresource",
         [](world& w) {
             return w.cluster.create_subresource(untyped::pod::resource(), "default", "web", "eviction", "{}");
         }},
        {"client/client.hpp update", [](world& w) { return w.cluster.update(maps(), "default", "one", changed); }},
        {"client/client.hpp create_struct", [](world& w) { return typed(w).create(typed_map("two")); }},
        {"client/client.hpp update_struct", [](world& w) { return typed(w).update(typed_map("one")); }},
        {"client/client.hpp patch",
         [](world& w) { return w.cluster.patch(maps(), "default", "one", patch_kind::merge, patched); }},
        {"client/client.hpp apply",
         [](world& w) { return w.cluster.apply(maps(), "default", "one", changed, applying()); }},
        {"client/client.hpp remove", [](world& w) { return w.cluster.remove(maps(), "default", "one"); }},
        {"client/client.hpp remove_collection",
         [](world& w) { return w.cluster.remove_collection(maps(), "default"); }},
        {"client/client.hpp raw", [](world& w) { return w.cluster.raw(asked()); }},
        {"client/client.hpp send", [](world& w) { return w.cluster.send(asked()); }},
        {"client/client.hpp resource_of", [](world& w) { return w.cluster.resource_of("unknown/v1", "Thing"); }},
        {"client/discovery.hpp discover", [](world& w) { return discover(w.cluster); }},
        {"client/discovery.hpp find_resource", [](world& w) { return find_resource(w.cluster, "cm"); }},
        {"client/discovery.hpp get_server_version", [](world& w) { return get_server_version(w.cluster); }},
        {"client/discovery.hpp list_openapi", [](world& w) { return list_openapi(w.cluster); }},
        {"client/discovery.hpp get_openapi", [](world& w) { return get_openapi(w.cluster, openapi_document{}); }},
        {"client/discovery.hpp resources", [](world& w) { return kinds_of(w).resources(); }},
        {"client/discovery.hpp resource_for", [](world& w) { return kinds_of(w).resource_for("cm"); }},
        {"client/discovery.hpp candidates_for", [](world& w) { return kinds_of(w).candidates_for("cm"); }},
        {"client/discovery.hpp resource_of", [](world& w) { return kinds_of(w).resource_of("v1", "ConfigMap"); }},
        {"client/discovery.hpp in_category", [](world& w) { return kinds_of(w).in_category("all"); }},
        {"client/log_stream.hpp next",
         [](world& w) {
             w.must(w.server.append_log({"default", "web", "main"}, "a line\n"));
             return w.keep(std::make_shared<followed_log>(w.cluster, "default", "web")).next();
         }},
        {"client/log_stream.hpp next", [](world& w) { return log_of(w).next(); }},
        {"client/log_stream.hpp read_some", [](world& w) { return log_of(w).read_some(); }},
        {"client/log_stream.hpp pod_logs", [](world& w) { return pod_logs(w.cluster, "default", "web"); }},
        {"client/manifests.hpp apply_all", [](world& w) { return apply_all(w.cluster, manifests(), applying()); }},
        {"client/manifests.hpp apply_each",
         [](world& w) {
             return apply_each(w.cluster, manifests(), applying(), "default",
                               [](const applied_manifest&) { return true; });
         }},
        {"client/struct_edit.hpp get_or_none", [](world& w) { return get_or_none<config_map>(w.cluster, one); }},
        {"client/struct_edit.hpp remove_and_wait",
         [](world& w) { return remove_and_wait<config_map>(w.cluster, one); }},
        {"client/struct_edit.hpp create_or_update",
         [](world& w) { return create_or_update<config_map>(w.cluster, one, edit_struct); }},
        {"client/struct_edit.hpp create_or_patch",
         [](world& w) { return create_or_patch<config_map>(w.cluster, one, edit_struct); }},
        {"client/struct_edit.hpp retry_on_conflict",
         [](world& w) { return retry_on_conflict<config_map>(w.cluster, one, edit_struct); }},
        {"client/struct_edit.hpp edit_status",
         [](world& w) { return edit_status<config_map>(w.cluster, here(w), edit_struct); }},
        {"client/subresources.hpp get_scale",
         [](world& w) { return get_scale(w.cluster, deployments(), "default", "web"); }},
        {"client/subresources.hpp set_scale",
         [](world& w) { return set_scale(w.cluster, deployments(), "default", "web", 2); }},
        {"client/subresources.hpp evict", [](world& w) { return evict(w.cluster, "default", "web"); }},
        {"client/subresources.hpp create_token", [](world& w) { return create_token(w.cluster, "default", "robot"); }},
        {"client/subresources.hpp add_ephemeral_container",
         [](world& w) {
             const auto container = boost::json::parse(R"({"name":"look","image":"busybox"})");
             return add_ephemeral_container(w.cluster, "default", "web", container);
         }},
        {"client/subresources.hpp bind_pod", [](world& w) { return bind_pod(w.cluster, "default", "web", "n1"); }},
        {"client/table.hpp get_table", [](world& w) { return get_table(w.cluster, maps(), "default", "one"); }},
        {"client/table.hpp list_table", [](world& w) { return list_table(w.cluster, maps(), "default"); }},
        {"client/table.hpp watch_table", [](world& w) { return watch_table(w.cluster, maps(), "default"); }},
        {"client/table.hpp next",
         [](world& w) {
             return with(w, watch_table(w.cluster, maps(), "default"), [](table_watch& t) { return t.next(); });
         }},
        {"client/transport.hpp send", [](world& w) { return w.cluster.send(asked()); }},
        {"client/transport.hpp read_some",
         [](world& w) { return with(w, w.cluster.send(asked()), [](answer& a) { return a.read_some(); }); }},
        {"client/typed_client.hpp get", [](world& w) { return typed(w).get("one"); }},
        {"client/typed_client.hpp list", [](world& w) { return typed(w).list(); }},
        {"client/typed_client.hpp list_all", [](world& w) { return typed(w).list_all(); }},
        {"client/typed_client.hpp create", [](world& w) { return typed(w).create(typed_map("two")); }},
        {"client/typed_client.hpp update", [](world& w) { return typed(w).update(typed_map("one")); }},
        {"client/typed_client.hpp apply", [](world& w) { return typed(w).apply(typed_map("one"), applying()); }},
        {"client/writing.hpp get_or_none", [](world& w) { return get_or_none(w.cluster, maps(), one); }},
        {"client/writing.hpp create_or_update",
         [](world& w) { return create_or_update(w.cluster, maps(), one, edit); }},
        {"client/writing.hpp create_or_patch", [](world& w) { return create_or_patch(w.cluster, maps(), one, edit); }},
        {"client/writing.hpp retry_on_conflict",
         [](world& w) { return retry_on_conflict(w.cluster, maps(), one, edit); }},
        {"client/writing.hpp patch_status",
         [](world& w) {
             return patch_status(w.cluster, here(w), {{"replicas", 1}});
         }},
        {"client/writing.hpp edit_status", [](world& w) { return edit_status(w.cluster, here(w), edit); }},
        {"client/writing.hpp ensure_finalizer",
         [](world& w) { return ensure_finalizer(w.cluster, here(w), "example.com/f"); }},
        {"client/writing.hpp remove_finalizer",
         [](world& w) { return remove_finalizer(w.cluster, here(w), "example.com/f"); }},
        {"client/writing.hpp remove_and_wait", [](world& w) { return remove_and_wait(w.cluster, maps(), one); }},
        {"client/writing.hpp wait_until_gone", [](world& w) { return wait_until_gone(w.cluster, maps(), one); }},
    };
}

} // namespace callers_test
