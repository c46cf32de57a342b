// End-to-end tests of the two forms on the wire: everything that a server holds is the same in JSON and in protobuf.

#include "churn.hpp"
#include "cluster.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/discovery.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <map>

using namespace kubecoro;
using namespace kubecoro::e2e;
using untyped::config_map;
using untyped::pod;

namespace {

// A server without workloads has about twenty kinds with 200 objects; the cases add to both.
constexpr std::size_t fewest_kinds = 25;
constexpr std::size_t fewest_objects = 100;

struct example
{
    resource_type type;
    /// The members beside kind, apiVersion and metadata.
    std::string_view members;
};

constexpr std::string_view pod_members =
    R"("spec":{"containers":[{"name":"c","image":"i","ports":[{"name":"http","containerPort":80}],)"
    R"("resources":{"requests":{"cpu":"100m","memory":"64Mi"},"limits":{"cpu":1.5}},)"
    R"("livenessProbe":{"httpGet":{"path":"/<&>","port":"http"},"periodSeconds":5},)"
    R"("readinessProbe":{"tcpSocket":{"port":80}}}],"nodeSelector":{"a":"b"},)"
    R"("securityContext":{"runAsUser":0,"supplementalGroups":[7,300]}})";

#define KUBECORO_TEMPLATE                                                                                              \
    R"("template":{"metadata":{"labels":{"app":"a"}},"spec":{"containers":[{"name":"c","image":"i"}]}})"
#define KUBECORO_SELECTOR R"("selector":{"matchLabels":{"app":"a"}})"

/// Objects with every form of value: quantities, numbers or texts, times, bytes, inlined members, claim templates.
const std::vector<example>& namespaced_examples()
{
    static const std::vector<example> all{
        {pod::resource(), pod_members},
        {{"", "v1", "secrets", "Secret"}, R"("data":{"k":"AP/+","empty":""},"immutable":true)"},
        {{"", "v1", "services", "Service"},
         R"("spec":{"selector":{"app":"a"},"ports":[{"name":"http","port":80,"targetPort":"http"},)"
         R"({"name":"metrics","port":9090,"targetPort":9091}]})"},
        {{"apps", "v1", "deployments", "Deployment"},
         R"("spec":{"replicas":0,)" KUBECORO_SELECTOR R"(,"strategy":{"rollingUpdate":{"maxSurge":"25%",)"
         R"("maxUnavailable":1}},)" KUBECORO_TEMPLATE "}"},
        {{"apps", "v1", "statefulsets", "StatefulSet"},
         R"("spec":{"serviceName":"s",)" KUBECORO_SELECTOR "," KUBECORO_TEMPLATE
         R"(,"volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],)"
         R"("resources":{"requests":{"storage":"1Gi"}}}}]})"},
        {{"apps", "v1", "daemonsets", "DaemonSet"}, R"("spec":{)" KUBECORO_SELECTOR "," KUBECORO_TEMPLATE "}"},
        {{"batch", "v1", "cronjobs", "CronJob"},
         R"("spec":{"schedule":"@hourly","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never",)"
         R"("containers":[{"name":"c","image":"i"}]}}}}})"},
        {{"networking.k8s.io", "v1", "ingresses", "Ingress"},
         R"("spec":{"rules":[{"host":"a.example","http":{"paths":[{"path":"/","pathType":"Prefix",)"
         R"("backend":{"service":{"name":"s","port":{"number":80}}}}]}}]})"},
        {{"networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy"},
         R"("spec":{"podSelector":{},"ingress":[{"ports":[{"port":"http"},{"port":80}],)"
         R"("from":[{"ipBlock":{"cidr":"10.0.0.0/8"}}]}]})"},
        {{"policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget"},
         R"("spec":{"minAvailable":"50%",)" KUBECORO_SELECTOR "}"},
        {{"coordination.k8s.io", "v1", "leases", "Lease"},
         R"("spec":{"holderIdentity":"me","leaseDurationSeconds":15,"renewTime":"2026-01-31T12:00:00.123456Z"})"},
        {{"autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler"},
         R"("spec":{"maxReplicas":3,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"},)"
         R"("metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization",)"
         R"("averageUtilization":50}}}]})"},
        // Last: it gives limits to later pods.
        {{"", "v1", "limitranges", "LimitRange"},
         R"("spec":{"limits":[{"type":"Container","default":{"cpu":"500m"}}]})"}};
    return all;
}

const std::vector<example>& cluster_examples()
{
    static const std::vector<example> all{
        {{"storage.k8s.io", "v1", "storageclasses", "StorageClass", false},
         R"("provisioner":"example.com/p","parameters":{"a":"b"})"},
        {{"scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", false}, R"("value":-5,"description":"d")"},
        {{"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration",
          false},
         R"("webhooks":[{"name":"w.example.com","clientConfig":{"url":"https://127.0.0.1:1/"},)"
         R"("rules":[{"apiGroups":["none.example.com"],"apiVersions":["v1"],"operations":["CREATE"],)"
         R"("resources":["things"]}],"failurePolicy":"Ignore","sideEffects":"None",)"
         R"("admissionReviewVersions":["v1"]}])"}};
    return all;
}

#undef KUBECORO_TEMPLATE
#undef KUBECORO_SELECTOR

constexpr std::string_view rich_schema =
    R"({"type":"object","properties":{"spec":{"type":"object","required":["a"],"properties":{)"
    R"("a":{"type":"number","minimum":0.5,"maximum":1e21,"default":1.5},"b":{"x-kubernetes-int-or-string":true},)"
    R"("c":{"type":"object","additionalProperties":{"type":"string"}},)"
    R"("d":{"type":"array","items":{"type":"string","enum":["x","<y>",""]}},)"
    R"("e":{"type":"object","nullable":true,"x-kubernetes-preserve-unknown-fields":true}}}}})";

void make_example(cluster& c, const example& e, const std::string& ns, const std::string& name)
{
    const auto json = R"({"apiVersion":")" + e.type.api_version() + R"(","kind":")" + e.type.kind +
                      R"(","metadata":{"name":")" + name + R"(","labels":{"e2e":"forms"}},)" + std::string(e.members) +
                      "}";
    INFO(json);
    REQUIRE_NOTHROW(c.make(e.type, ns, name, json));
}

/// Counts the objects that are equal in both forms, and describes the first that is not.
class comparison
{
public:
    void add(const std::vector<object>& json, const std::vector<object>& protobuf)
    {
        // Objects may change between two requests: only the same state is compared.
        std::map<std::string, object> states;
        for (const auto& o : json) states.emplace(state_of(o), o);
        std::size_t equal = 0;
        for (const auto& o : protobuf) {
            const auto same = states.find(state_of(o));
            if (o.uid().empty() || same == states.end()) continue;
            if (o.is_partial())
                ++partial;
            else if (compare(same->second, o))
                ++equal;
        }
        objects += equal;
        kinds += equal != 0;
    }

    std::size_t kinds = 0;
    std::size_t objects = 0;
    /// Objects of a server that is newer than our schemas.
    std::size_t partial = 0;
    std::string first_difference = {};

private:
    static std::string state_of(const object& o)
    {
        return std::string(o.uid()) + "@" + std::string(o.resource_version());
    }

    bool compare(const object& json, const object& protobuf)
    {
        const bool equal = json.root() == protobuf.root() && json.to_json() == protobuf.to_json();
        if (!equal && first_difference.empty())
            first_difference = "JSON: " + json.to_text() + "\nprotobuf: " + protobuf.to_text();
        return equal;
    }
};

/// Clients that ask for one form each, and the resources that the server lists.
struct both_forms
{
    explicit both_forms(cluster& of) : c(of), json(connect(wire_form::json)), protobuf(connect(wire_form::protobuf))
    {
        resources = c.run(discover(c.api())).value().resources;
        REQUIRE(resources.size() > fewest_kinds);
    }

    /// The resources that have all of the verbs.
    [[nodiscard]] std::vector<resource_type> with(std::initializer_list<std::string_view> verbs) const
    {
        std::vector<resource_type> out;
        for (const auto& r : resources)
            if (std::ranges::all_of(verbs, [&r](auto verb) { return std::ranges::count(r.verbs, verb) != 0; }))
                out.push_back(r.type);
        return out;
    }

    /// Opens the resource as an informer does: without reading partial objects again.
    [[nodiscard]] std::shared_ptr<list_watch_source> source(const client& who, const resource_type& type,
                                                            wire_form form, bool metadata_only) const
    {
        source_scope scope;
        scope.decode.form = form;
        scope.metadata_only = metadata_only;
        return who.provider()->open(type, scope);
    }

    [[nodiscard]] result<std::vector<object>> list(const client& who, const resource_type& type, wire_form form,
                                                   bool metadata_only)
    {
        list_options options;
        auto page = c.run(source(who, type, form, metadata_only)->list(options));
        // A kind that cannot be watched has no versions, which a source requires.
        const auto watched = with({"watch"});
        if (!page && std::ranges::count(watched, type) == 0) {
            options.metadata_only = metadata_only;
            page = c.run(who.list(type, {}, options));
        }
        if (!page) return page.error();
        return page->items;
    }

    /// True if the server has the kind in protobuf.
    [[nodiscard]] bool is_served(const resource_type& type, bool metadata_only)
    {
        list_options options;
        options.limit = 1;
        options.metadata_only = metadata_only;
        auto r = request_builder(type, {}, wire_form::protobuf).list(options).value();
        const auto got = c.run(c.api().raw(std::move(r))).value();
        return got.head.header("content-type").starts_with("application/vnd.kubernetes.protobuf");
    }

    cluster& c;
    client json;
    client protobuf;
    std::vector<discovered_resource> resources;

private:
    client connect(wire_form form)
    {
        client_options options;
        options.decode.form = form;
        return c.connect(cluster::config("KUBECORO_E2E_KUBECONFIG").value(), options);
    }
};

/// Makes an example of each kind that the server has, and a definition.
void make_examples(both_forms& both)
{
    cluster& c = both.c;
    const auto served = both.with({"create"});
    const auto has = [&served](const example& e) { return std::ranges::count(served, e.type) != 0; };
    const auto ns = c.make_namespace("forms");
    for (const auto& e : namespaced_examples())
        if (has(e)) make_example(c, e, ns, "example");
    for (const auto& e : cluster_examples())
        if (has(e)) make_example(c, e, {}, c.unique("example"));
    const auto type = untyped::custom_resource_definition::resource();
    const auto group = c.unique("forms") + ".kubecoro.dev";
    c.make(type, {}, "things." + group,
           R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.)" +
               group + R"("},"spec":{"group":")" + group +
               R"(","scope":"Namespaced","names":{"plural":"things","kind":"Thing"},"versions":[{"name":"v1",)"
               R"("served":true,"storage":true,"schema":{"openAPIV3Schema":)" +
               std::string(rich_schema) + "}}]}}");
}

/// Compares every list of the server.
void compare_lists(both_forms& both, bool metadata_only)
{
    comparison found;
    std::size_t in_protobuf = 0;
    for (const auto& type : both.with({"list"})) {
        INFO(type.display_name() << " " << type.version);
        const auto json = both.list(both.json, type, wire_form::json, metadata_only);
        const auto protobuf = both.list(both.protobuf, type, wire_form::protobuf, metadata_only);
        REQUIRE(json);
        REQUIRE(protobuf);
        in_protobuf += both.is_served(type, metadata_only);
        found.add(*json, *protobuf);
        CHECK(found.first_difference == "");
        found.first_difference.clear();
    }
    if (found.partial != 0) WARN(found.partial << " objects have fields that this version does not know");
    CHECK(in_protobuf >= fewest_kinds);
    CHECK(found.kinds >= fewest_kinds);
    CHECK(found.objects >= fewest_objects);
}

/// The events of a watch.
struct heard
{
    std::vector<std::string> types = {};
    std::vector<object> objects = {};
};

/// Reads events until one is the last. Bookmarks count only for that, because servers send them at will.
template<class Last>
boost::asio::awaitable<result<heard>> read_until(std::unique_ptr<watch_stream> from, Last is_last)
{
    static constexpr std::array<const char*, 6> names{"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR", "?"};
    heard out;
    for (;;) {
        KUBECORO_TRY(auto batch, co_await from->next());
        if (batch.empty()) co_return failure(cond::unreachable, "the watch ended early");
        for (auto& event : batch) {
            if (event.type == watch_event_type::error) co_return event.to_failure();
            if (event.type != watch_event_type::bookmark) {
                out.types.push_back(names[static_cast<std::size_t>(event.type)]);
                out.objects.push_back(event.obj);
            }
            if (is_last(event)) co_return out;
        }
    }
}

bool ends_list(const watch_event& e) { return e.ends_initial_events(); }

result<heard> streamed_list(both_forms& both, const client& who, const resource_type& type, wire_form form)
{
    watch_options options;
    options.send_initial_events = true;
    options.match = version_match::not_older_than;
    options.timeout = std::chrono::seconds{30};
    auto opened = both.c.run(both.source(who, type, form, false)->watch(options));
    if (!opened) return opened.error();
    return both.c.run(read_until(std::move(*opened), ends_list));
}

/// Discovery may still name definitions of tests before, whose removal has begun.
template<class T>
bool is_gone(const result<T>& r)
{
    return !r && r.error() == cond::not_found;
}

} // namespace

TEST_CASE("forms: every list of the server is the same in JSON and in protobuf", "[forms]")
{
    cluster c;
    both_forms both(c);
    make_examples(both);
    compare_lists(both, false);
}

TEST_CASE("forms: the metadata of every list is the same in JSON and in protobuf", "[forms]")
{
    cluster c;
    const auto custom = c.widget_type();
    c.define(custom);
    REQUIRE(c.eventually([&] { return c.run(c.api().list(custom, {})).has_value(); }));
    both_forms both(c);
    make_examples(both);
    compare_lists(both, true);
}

TEST_CASE("forms: every object of the server is the same in JSON and in protobuf", "[forms]")
{
    // Enough of the many roles and flow schemas that a server makes for itself.
    constexpr std::size_t most_of_a_kind = 20;
    cluster c;
    both_forms both(c);
    make_examples(both);
    comparison found;
    for (const auto& type : both.with({"list", "get"})) {
        const auto listed = both.list(both.json, type, wire_form::json, true);
        if (is_gone(listed)) continue;
        REQUIRE(listed);
        std::vector<object> json;
        std::vector<object> protobuf;
        for (const auto& o : *listed) {
            if (json.size() == most_of_a_kind) break;
            const std::string ns(o.ns());
            const std::string name(o.name());
            INFO(type.display_name() << " " << ns << "/" << name);
            const auto one = c.run(both.json.get(type, ns, name));
            const auto other = c.run(both.protobuf.get(type, ns, name));
            if (is_gone(one) || is_gone(other)) continue;
            REQUIRE(one);
            REQUIRE(other);
            json.push_back(*one);
            protobuf.push_back(*other);
        }
        INFO(type.display_name() << " " << type.version);
        found.add(json, protobuf);
        CHECK(found.first_difference == "");
        found.first_difference.clear();
    }
    CHECK(found.kinds >= fewest_kinds);
    CHECK(found.objects >= fewest_objects);
}

TEST_CASE("forms: every streamed list is the same in JSON and in protobuf", "[forms]")
{
    cluster c;
    both_forms both(c);
    make_examples(both);
    comparison found;
    for (const auto& type : both.with({"list", "watch"})) {
        INFO(type.display_name() << " " << type.version);
        const auto json = streamed_list(both, both.json, type, wire_form::json);
        if (!json && json.error() == cond::invalid) {
            WARN("skipped: the server does not stream lists");
            return;
        }
        const auto protobuf = streamed_list(both, both.protobuf, type, wire_form::protobuf);
        if (is_gone(json) || is_gone(protobuf)) continue;
        REQUIRE(json);
        REQUIRE(protobuf);
        found.add(json->objects, protobuf->objects);
        CHECK(found.first_difference == "");
        found.first_difference.clear();
    }
    CHECK(found.kinds >= fewest_kinds);
    CHECK(found.objects >= fewest_objects);
}

TEST_CASE("forms: the events of watches are the same in JSON and in protobuf", "[forms]")
{
    cluster c;
    const auto ns = c.make_namespace("events");
    both_forms both(c);
    const bool metadata_only = GENERATE(false, true);
    const auto watched = both.with({"create", "watch"});
    for (const auto& e : namespaced_examples()) {
        if (std::ranges::count(watched, e.type) == 0) continue;
        INFO(e.type.display_name());
        const auto name = std::string(metadata_only ? "metadata" : "whole");
        const auto before = c.run(c.api().list(e.type, ns)).value();
        const auto follow = [&](const client& who, wire_form form) {
            watch_options options;
            options.resource_version = before.resource_version;
            options.timeout = std::chrono::seconds{60};
            auto opened = c.run(both.source(who, e.type, form, metadata_only)->watch(options));
            REQUIRE(opened);
            const auto is_last = [ns, name](const watch_event& event) {
                return event.type == watch_event_type::deleted && event.obj.ns() == ns && event.obj.name() == name;
            };
            return c.start(read_until(std::move(*opened), is_last));
        };
        auto json = follow(both.json, wire_form::json);
        auto protobuf = follow(both.protobuf, wire_form::protobuf);

        make_example(c, e, ns, name);
        for (const auto* value : {R"("<1>")", R"("\u00e4\u2028")", "null"})
            c.run(c.api().patch(e.type, ns, name, patch_kind::merge,
                                std::string(R"({"metadata":{"annotations":{"note":)") + value + "}}}"))
                .value();
        delete_options now;
        now.grace_period = std::chrono::seconds{0};
        c.run(c.api().remove(e.type, ns, name, now)).value();

        const auto in_json = json.get();
        const auto in_protobuf = protobuf.get();
        REQUIRE(in_json);
        REQUIRE(in_protobuf);
        CHECK(in_json->types == in_protobuf->types);
        CHECK(in_json->objects.size() >= 5);
        comparison found;
        found.add(in_json->objects, in_protobuf->objects);
        CHECK(found.first_difference == "");
        CHECK(found.objects + found.partial == in_protobuf->objects.size());
    }
}
