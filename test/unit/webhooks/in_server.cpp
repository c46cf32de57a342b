// The embedded server asks webhooks: order, selectors, failures, time limits, and writes of others meanwhile.
#include "manager_fixture.hpp"
#include "site.hpp"

#include <kubecoro/api/crd.hpp>
#include <kubecoro/api/edit.hpp>
#include <kubecoro/client/writing.hpp>
#include <kubecoro/webhooks/webhooks.hpp>

#include <boost/json.hpp>

using namespace manager_test;
using webhooks_test::site;
namespace json = boost::json;

namespace {

/// A server with the kind Site, which asks these webhooks.
struct asked
{
    world w;
    webhooks hooks{*w.m, {.address = "0"}};
    bool reachable = true;
    std::vector<webhook_server> found;

    asked()
    {
        w.server.call_webhooks([this](const webhook_server& at) -> result<client> {
            found.push_back(at);
            if (!reachable) return failure(cond::unreachable, "refused");
            return hooks.in_process();
        });
        put(detail_definition(), "", definition_of<site>().value());
    }
    static resource_type detail_definition()
    {
        return {"apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", false};
    }
    /// Stores the webhook configurations. @param edit  Changes each webhook.
    void install(const std::function<void(json::object&)>& edit = {})
    {
        for (auto o : hooks.manifests()) {
            if (o.at("kind") == "Service") continue;
            for (auto& each : o.at("webhooks").as_array())
                if (edit) edit(each.as_object());
            const bool mutating = o.at("kind") == "MutatingWebhookConfiguration";
            put({"admissionregistration.k8s.io", "v1",
                 mutating ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations",
                 std::string(o.at("kind").as_string()), false},
                "", o);
        }
    }
    void put(const resource_type& type, const std::string& ns, const json::value& o)
    {
        REQUIRE(w.run.run(w.cluster.create(type, ns, o)));
    }
    static json::object site_of(std::string_view spec, std::string_view name = "blog")
    {
        return {{"apiVersion", "example.com/v2"},
                {"kind", "Site"},
                {"metadata", {{"name", name}}},
                {"spec", json::parse(spec)}};
    }
    result<object> create(std::string_view spec, std::string_view name = "blog", write_options how = {})
    {
        return w.run.run(w.cluster.create(site::resource(), "default", site_of(spec, name), how));
    }
    std::string refusal(const result<object>& outcome)
    {
        if (outcome) return "none";
        const auto* status = outcome.error().status();
        return status ? std::to_string(status->code) + " " + status->message : outcome.error().describe();
    }
};

} // namespace

TEST_CASE("server: an object is mutated, then checked by its schema, then validated", "[webhooks][apiserver]")
{
    asked a;
    int seen = 0;
    a.hooks
        .mutates<site>([](site& s) {
            if (s.spec.replicas == 100) s.spec.replicas = 3; // the schema allows 9 at most
        })
        .validates<site>([&](const site& s, const admission<site>& r) {
            seen = s.spec.replicas.value_or(0);
            return r.request.user.name.empty() ? verdict::denied("no user") : verdict::allowed();
        });
    a.install();
    const auto made = a.create(R"({"hosts":[],"replicas":100})");
    REQUIRE(made);
    CHECK((*made)["spec"]["replicas"].as_int64() == 3);
    CHECK(seen == 3);
    CHECK(a.refusal(a.create(R"({"hosts":[],"replicas":50})", "other")).starts_with("422 "));
    CHECK(a.found.front().service == "subject-webhooks");
    CHECK(a.found.front().ns == "default");
}

TEST_CASE("server: a denial, an update, a deletion and a dry run", "[webhooks][apiserver]")
{
    asked a;
    lines seen;
    a.hooks.validates<site>(
        [&](const admission<site>& r) -> result<> {
            seen.push_back(std::string(to_string(r.request.operation)) + (r.request.dry_run ? " dry" : "") +
                           (r.before ? " before" : "") + (r.now ? " now" : ""));
            if (r.request.operation == admission_operation::remove) return failure(cond::forbidden, "keep it");
            if (r.now && r.now.untyped()["spec"]["hosts"].size() > 1) return failure(cond::invalid, "one host only");
            return {};
        },
        {.operations = {admission_operation::create, admission_operation::update, admission_operation::remove}});
    a.install();
    CHECK(a.create(R"({"hosts":[]})"));
    CHECK(a.refusal(a.create(R"({"hosts":["a","b"]})", "two")) ==
          "422 admission webhook \"validate.sites.example.com\" denied the request: one host only");
    CHECK(a.create(R"({"hosts":[]})", "dry", {.dry_run = true}));
    CHECK(a.w.run.run(retry_on_conflict(a.w.cluster, site::resource(), {"default", "blog"},
                                        [](json::object& o) { field(o, "spec", "replicas") = 2; })));
    const auto removed = a.w.run.run(a.w.cluster.remove(site::resource(), "default", "blog"));
    CHECK(a.refusal(removed) == "403 admission webhook \"validate.sites.example.com\" denied the request: keep it");
    CHECK(seen == lines{"CREATE now", "CREATE now", "CREATE dry now", "UPDATE before now", "DELETE before"});
}

TEST_CASE("server: warnings of webhooks are headers of the answer", "[webhooks][apiserver]")
{
    asked a;
    a.hooks.validates<site>([](const site&) { return verdict::allowed().warn("say \"hm\""); });
    a.install();
    const auto answer = a.w.run
                            .run(a.w.cluster.raw({.method = "POST",
                                                  .target = "/apis/example.com/v2/namespaces/default/sites",
                                                  .content_type = "application/json",
                                                  .body = json::serialize(asked::site_of(R"({"hosts":[]})"))}))
                            .value();
    CHECK(answer.head.status == 201);
    CHECK(answer.head.header("warning") == R"(299 - "say \"hm\"")");
}

TEST_CASE("server: failure policies, in the words of a kube-apiserver", "[webhooks][apiserver]")
{
    asked a;
    a.hooks.validates<site>([](const site&) {});
    SECTION("Fail")
    {
        a.install();
        a.reachable = false;
        CHECK(a.refusal(a.create(R"({"hosts":[]})")) ==
              "500 Internal error occurred: failed calling webhook \"validate.sites.example.com\": failed to call "
              "webhook: "
              "Post \"https://subject-webhooks.default.svc:443/validate-example-com-v2-site?timeout=10s\": "
              "unreachable: refused");
    }
    SECTION("Ignore")
    {
        a.install([](json::object& each) { each["failurePolicy"] = "Ignore"; });
        a.reachable = false;
        CHECK(a.create(R"({"hosts":[]})"));
    }
}

TEST_CASE("server: a webhook that takes too long has failed", "[webhooks][apiserver]")
{
    asked a;
    // The program gives its function more time than the server waits.
    a.hooks.validates<site>([&](const site&) -> ended { return sleep_for(*a.w.m->time(), 20s); }, {.timeout = 30s});
    a.install([](json::object& each) { each["timeoutSeconds"] = 2; });
    const auto began = a.w.run.clock().now();
    // It knows the limit, and says so before.
    CHECK(a.refusal(a.create(R"({"hosts":[]})")).find("timed_out") != std::string::npos);
    CHECK(a.w.run.clock().now() - began == 1800ms);
}

TEST_CASE("server: selectors of namespaces and objects", "[webhooks][apiserver]")
{
    asked a;
    a.hooks
        .validates<site>([](const site&) { return verdict::denied("by namespace"); },
                         {.name = "a", .namespaces = label_selector::parse("checked=yes").value()})
        .validates<site>([](const site&) { return verdict::denied("by object"); },
                         {.name = "b", .objects = label_selector::parse("checked").value()});
    a.install();
    CHECK(a.create(R"({"hosts":[]})"));
    auto labelled = asked::site_of(R"({"hosts":[]})", "labelled");
    set_label(labelled, "checked", "");
    CHECK(a.refusal(a.w.run.run(a.w.cluster.create(site::resource(), "default", labelled))).ends_with("by object"));
    REQUIRE(a.w.run.run(retry_on_conflict(a.w.cluster, namespace_::resource(), {"", "default"},
                                          [](json::object& o) { set_label(o, "checked", "yes"); })));
    CHECK(a.refusal(a.create(R"({"hosts":[]})", "other")).ends_with("by namespace"));
}

TEST_CASE("server: a webhook is asked again about later changes if it wants that", "[webhooks][apiserver]")
{
    asked a;
    lines seen;
    const auto note = [&](const char* name) { return [&seen, name](site&) { seen.push_back(name); }; };
    a.hooks.mutates<site>(note("first"), {.name = "a", .reinvoke = true})
        .mutates<site>(note("once"), {.name = "b"})
        .mutates<site>(
            [&](site& s) {
                seen.push_back("last");
                s.spec.replicas = 2;
            },
            {.name = "c", .reinvoke = true});
    a.install();
    CHECK(a.create(R"({"hosts":[]})"));
    CHECK(seen == lines{"first", "once", "last", "first"});
}

TEST_CASE("server: a change by others while webhooks are asked begins the write again", "[webhooks][apiserver]")
{
    asked a;
    int asked_times = 0;
    a.hooks.mutates<site>(
        [&](site& s) -> ended {
            ++asked_times;
            s.metadata.labels["seen"] = std::to_string(asked_times);
            co_return co_await sleep_for(*a.w.m->time(), 1s);
        },
        {.operations = {admission_operation::update}});
    REQUIRE(a.create(R"({"hosts":[]})"));
    a.install();
    const auto patch = [&](std::string_view text) {
        return a.w.cluster.patch(site::resource(), "default", "blog", patch_kind::merge, json::parse(text));
    };
    auto first = a.w.run.spawn(patch(R"({"spec":{"replicas":2}})"));
    a.w.run.advance(500ms);
    auto second = a.w.run.spawn(patch(R"({"spec":{"hosts":["b"]}})"));
    a.w.run.advance(10s);
    REQUIRE(first.done());
    REQUIRE(second.done());
    CHECK(first.outcome());
    CHECK(second.outcome());
    CHECK(asked_times == 3);
    const auto now = a.w.run.run(a.w.cluster.get(site::resource(), "default", "blog")).value();
    CHECK(now["spec"]["replicas"].as_int64() == 2);
    CHECK(now["spec"]["hosts"].size() == 1);
    CHECK(now.labels()["seen"].as_string() == "3");
}

TEST_CASE("server: a generated name and built-in kinds are reviewed, configurations are not", "[webhooks][apiserver]")
{
    asked a;
    lines seen;
    a.hooks.validates<site>([&](const admission<site>& r) { seen.push_back(r.request.key.name.substr(0, 5)); })
        .mutates<config_map>([](config_map& m) { m.data["added"] = "1"; });
    a.install([](json::object& each) {
        if (each.at("name") == "validate.sites.example.com") return;
        each["rules"].as_array().push_back(json::parse(
            R"({"apiGroups":["*"],"apiVersions":["*"],"operations":["CREATE"],"resources":["validatingwebhookconfigurations"],"scope":"*"})"));
    });
    auto named = asked::site_of(R"({"hosts":[]})");
    named["metadata"] = json::object{{"generateName", "site-"}};
    CHECK(a.w.run.run(a.w.cluster.create(site::resource(), "default", named)));
    CHECK(seen == lines{"site-"});
    a.w.put("map");
    const auto map = a.w.run.run(a.w.cluster.get(config_map::resource(), "default", "map")).value();
    CHECK(map["data"]["added"].as_string() == "1");
}
