// Tests of the warnings about parts of definitions that the embedded server ignores.
#include "support.hpp"

#include <kubecoro/apiserver/detail/cluster_state_core.hpp>
#include <kubecoro/client/manifests.hpp>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const std::string admission = "/apis/admissionregistration.k8s.io/v1/";

/// The definition of widgets. @param spec  The schema of their spec. @param more  Further members of the definition's spec.
std::string widgets(const std::string& spec, const std::string& more = {})
{
    return R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":)"
           R"({"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,"schema":)"
           R"({"openAPIV3Schema":{"type":"object","properties":{"spec":)" +
           spec + "}}}}]" + more + "}}";
}

std::vector<std::string> warnings(const apiserver::http_response& r)
{
    INFO(r.body);
    CHECK(r.status < 300);
    std::vector<std::string> out;
    for (const auto& [name, value] : r.headers)
        if (name == "Warning") out.push_back(value);
    return out;
}

std::string webhook(const std::string& name)
{
    return R"({"name":")" + name +
           R"(","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://a.b"}})";
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE(
    "warnings: a definition with a conversion webhook gets one at each write, its objects and one with rules none",
    "[apiserver][warnings]")
{
    server s;
    const std::string ruled = R"({"type":"object","x-kubernetes-validations":[{"rule":"self.size > 0"}],"properties":)"
                              R"({"size":{"type":"integer"}}})";
    CHECK(warnings(s.ask("POST", crds, widgets(ruled))).empty());
    CHECK(
        warnings(s.ask("POST", "/apis/example.com/v1/namespaces/default/widgets",
                       R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"size":1}})"))
            .empty());
    const server::headers merge{{"Content-Type", std::string(merge_type)}};
    const auto converted = warnings(s.ask("PATCH", crds + "/widgets.example.com",
                                          R"({"spec":{"conversion":{"strategy":"Webhook","webhook":{"clientConfig":)"
                                          R"({"url":"https://a.b/c"},"conversionReviewVersions":["v1"]}}}})",
                                          merge));
    REQUIRE(converted.size() == 1);
    CHECK(has(converted[0], "does not call the conversion webhook"));
    CHECK(warnings(s.get(crds + "/widgets.example.com")).empty());
    CHECK(warnings(s.ask("PATCH", crds + "/widgets.example.com", R"({"metadata":{"labels":{"a":"b"}}})", merge)) ==
          converted);
    CHECK(warnings(s.ask("PATCH", crds + "/widgets.example.com/status", R"({"metadata":{"labels":{"a":"c"}}})", merge))
              .empty());
}

TEST_CASE("warnings: definitions without such parts get none", "[apiserver][warnings]")
{
    server s;
    const std::string plain = R"({"type":"object"})";
    CHECK(warnings(s.ask("POST", crds, widgets(plain, R"(,"conversion":{"strategy":"None"})"))).empty());
    CHECK(warnings(s.ask("POST", admission + "validatingwebhookconfigurations", R"({"metadata":{"name":"none"}})"))
              .empty());
}

TEST_CASE("warnings: admission webhooks, policies, quotas and aggregated APIs are named", "[apiserver][warnings]")
{
    server s;
    const std::string hooks =
        R"({"metadata":{"name":"hooks"},"webhooks":[)" + webhook("a.example.com") + "," + webhook("b.c.d") + "]}";
    for (const std::string kind : {"validating", "mutating"}) {
        const auto all = warnings(s.ask("POST", admission + kind + "webhookconfigurations", hooks));
        REQUIRE(all.size() == 1);
        CHECK(has(all[0], "does not call admission webhooks: a.example.com and 1 more"));
    }
    const auto named = [&](const std::string& target, const std::string& body, std::string_view part) {
        INFO(target);
        const auto all = warnings(s.ask("POST", target, body));
        REQUIRE(all.size() == 1);
        CHECK(has(all[0], part));
    };
    const std::string policy = R"({"metadata":{"name":"p"},"spec":{}})";
    named(admission + "validatingadmissionpolicies", policy, "does not evaluate admission policies");
    named(admission + "validatingadmissionpolicybindings", policy, "ValidatingAdmissionPolicyBinding p");
    named(admission + "mutatingadmissionpolicies", policy, "does not evaluate admission policies");
    named("/api/v1/namespaces/default/resourcequotas", policy, "does not enforce a ResourceQuota");
    named("/api/v1/namespaces/default/limitranges", policy, "does not enforce a LimitRange");
    named(
        "/apis/apiregistration.k8s.io/v1/apiservices",
        R"({"metadata":{"name":"v1.a.b"},"spec":{"group":"a.b","version":"v1","service":{"name":"n","namespace":"m"},)"
        R"("groupPriorityMinimum":1,"versionPriority":1}})",
        "aggregated APIs: v1.a.b");
}

TEST_CASE("warnings: long names are shortened", "[apiserver][warnings]")
{
    server s;
    const std::string name = std::string(240, 'n') + ".b.c";
    const auto hooked = warnings(s.ask("POST", admission + "validatingwebhookconfigurations",
                                       R"({"metadata":{"name":"h"},"webhooks":[)" + webhook(name) + "]}"));
    REQUIRE(hooked.size() == 1);
    CHECK(hooked[0].size() < 1024);
}

TEST_CASE("warnings: manifests that are loaded report them to the caller", "[apiserver][warnings]")
{
    server s;
    const auto loaded = load_manifests("{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}}\n---\n{apiVersion: "
                                       "v1, kind: ConfigMap, metadata: {name: m}}",
                                       "q.yaml");
    REQUIRE(loaded);
    std::vector<std::string> noted;
    REQUIRE(apiserver::apply_manifests(s.state, *loaded, s.now, &noted));
    REQUIRE(noted.size() == 1);
    CHECK(has(noted[0], R"(ResourceQuota "q")"));
}
