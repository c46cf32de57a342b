// Webhooks of a manager: functions of all forms, their verdicts and edits, their failures and time limits.
#include "manager_fixture.hpp"
#include "site.hpp"

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/core_v1/pod.hpp>
#include <kubecoro/testing/recording.hpp>
#include <kubecoro/webhooks/webhooks.hpp>

#include <boost/json.hpp>

#include <stdexcept>

using namespace manager_test;
using webhooks_test::site;
using webhooks_test::site_v1;
namespace json = boost::json;

namespace {

using checked = asio::awaitable<verdict>;

asio::awaitable<result<webhook_reply>> answered(asio::awaitable<webhook_reply> reply)
{
    co_return co_await std::move(reply);
}

/// A manager with webhooks, and reviews of sites.
struct hooked
{
    world w;
    webhooks hooks{*w.m};

    /// The HTTP answer.
    webhook_reply post(std::string target, std::string body, std::string type = "application/json",
                       std::string method = "POST")
    {
        return w.run
            .run(answered(hooks.answer({std::move(method), std::move(target), std::move(type), std::move(body)})))
            .value();
    }
    /// The response of a review. @param more  Further members of the request.
    json::object review(const std::string& target, std::string_view spec, json::object more = {})
    {
        json::object o{{"apiVersion", "example.com/v2"},
                       {"kind", "Site"},
                       {"metadata", {{"name", "blog"}, {"namespace", "shop"}}},
                       {"spec", json::parse(spec)}};
        json::object request{{"uid", "1"},
                             {"resource", {{"group", "example.com"}, {"version", "v2"}, {"resource", "sites"}}},
                             {"kind", {{"group", "example.com"}, {"version", "v2"}, {"kind", "Site"}}},
                             {"operation", "CREATE"},
                             {"namespace", "shop"},
                             {"name", "blog"},
                             {"userInfo", {{"username", "ann"}}},
                             {"object", std::move(o)}};
        for (auto& m : more) request[m.key()] = m.value();
        const json::object body{
            {"apiVersion", "admission.k8s.io/v1"}, {"kind", "AdmissionReview"}, {"request", std::move(request)}};
        const auto reply = post(target, json::serialize(body));
        REQUIRE(reply.status == 200);
        auto response = json::parse(reply.body).at("response").as_object();
        CHECK(response.at("uid") == "1");
        return response;
    }
};

constexpr auto validating = "/validate-example-com-v2-site";
constexpr auto mutating = "/mutate-example-com-v2-site";

std::string message(const json::object& response)
{
    if (response.at("allowed").as_bool()) return "allowed";
    return std::to_string(response.at("status").at("code").as_int64()) + " " +
           std::string(response.at("status").at("message").as_string());
}

std::string patch(const json::object& response)
{
    if (!response.contains("patch")) return "none";
    return bytes::from_base64(std::string_view(response.at("patch").as_string())).value().data;
}

} // namespace

TEST_CASE("webhooks: validators of all forms", "[webhooks]")
{
    hooked h;
    h.hooks
        .validates<site>([](const site& s) {
            return s.spec.hosts.empty() ? verdict::denied("no hosts") : verdict::allowed().warn("hm");
        })
        .validates<site>(
            [](const site& s, const admission<site>& a) -> result<> {
                if (a.request.user.name == "ann" && !s.spec.hosts.empty()) return {};
                return failure(cond::invalid, "ann has hosts");
            },
            {.name = "ann"})
        .validates<site>(
            [](const admission<site>& a) -> checked {
                const auto& now = a.now.untyped();
                co_return a.before ? verdict::denied("it was " + std::string(a.before.name()), 409, "Conflict")
                                   : verdict::denied("new " + std::string(now.name()));
            },
            {.name = "slow"})
        .validates<site>(
            [](const site& s) -> ended { co_return s.spec.replicas ? result<>() : failure(cond::forbidden, "none"); },
            {.name = "later"});
    auto yes = h.review(validating, R"({"hosts":["a"]})");
    CHECK(message(yes) == "allowed");
    CHECK(yes.at("warnings") == json::array{"hm"});
    CHECK(message(h.review(validating, "{}")) == "403 no hosts");
    CHECK(message(h.review("/validate-example-com-v2-site-ann", R"({"hosts":["a"]})")) == "allowed");
    CHECK(message(h.review("/validate-example-com-v2-site-ann", "{}")) == "422 ann has hosts");
    CHECK(message(h.review("/validate-example-com-v2-site-slow", "{}")) == "403 new blog");
    const json::object old{{"apiVersion", "example.com/v2"}, {"kind", "Site"}, {"metadata", {{"name", "x"}}}};
    CHECK(message(h.review("/validate-example-com-v2-site-slow", "{}", {{"oldObject", old}})) == "409 it was x");
    CHECK(message(h.review("/validate-example-com-v2-site-later", R"({"replicas":1})")) == "allowed");
    CHECK(message(h.review("/validate-example-com-v2-site-later", "{}")) == "403 none");
}

TEST_CASE("webhooks: a deletion is reviewed by the object as it is", "[webhooks]")
{
    hooked h;
    h.hooks.validates<site>([](const site& s) { return verdict::denied(s.metadata.name.value_or("")); },
                            {.operations = {admission_operation::remove}});
    const json::object old{{"apiVersion", "example.com/v2"}, {"kind", "Site"}, {"metadata", {{"name", "gone"}}}};
    CHECK(message(h.review(validating, "{}", {{"operation", "DELETE"}, {"object", nullptr}, {"oldObject", old}})) ==
          "403 gone");
}

TEST_CASE("webhooks: a schema is a validator, and an update forgives what has not changed", "[webhooks]")
{
    hooked h;
    h.hooks.validates<site>(object_schema::of<site>().value());
    CHECK(message(h.review(validating, R"({"hosts":[],"replicas":3})")) == "allowed");
    const auto no = h.review(validating, R"({"hosts":[],"replicas":30})");
    CHECK(no.at("status").at("code") == 422);
    CHECK(no.at("status").at("details").at("causes").at(0).at("field") == "spec.replicas");
}

TEST_CASE("webhooks: an object with a value that the struct cannot hold is refused, since no function would see it",
          "[webhooks]")
{
    hooked h;
    int calls = 0;
    h.hooks.validates<site>([&](const site&) { ++calls; }).mutates<site>([&](site& s) {
        ++calls;
        s.spec.replicas = 1;
    });
    for (const auto* path : {validating, mutating}) {
        CHECK(message(h.review(path, R"({"replicas":99999999999})")) ==
              "422 spec.replicas: expected a whole number of 32 bits, not 99999999999");
        CHECK(message(h.review(path, R"({"hosts":["a",{"b":1}]})")) ==
              R"(422 spec.hosts[1]: expected a string, not {"b":1})");
        CHECK(message(h.review(path, R"("text")")) == R"(422 spec: expected an object, not "text")");
    }
    CHECK(calls == 0);
    // Unknown fields and nulls are no obstacle.
    CHECK(message(h.review(validating, R"({"replicas":null,"hosts":null,"extra":{"x":1}})")) == "allowed");
    CHECK(calls == 1);
}

TEST_CASE("webhooks: an edit of a struct becomes a patch, which leaves unknown fields alone", "[webhooks]")
{
    hooked h;
    h.hooks
        .mutates<site>([](site& s) {
            if (!s.spec.replicas) s.spec.replicas = 2;
        })
        .mutates<site>(
            [](site& s, const admission<site>& a) -> checked {
                if (a.request.dry_run) co_return verdict::denied("dry");
                s.metadata.labels["by"] = a.request.user.name;
                co_return verdict::allowed();
            },
            {.name = "label"});
    CHECK(patch(h.review(mutating, R"({"hosts":["a"],"extra":{"x":1}})")) ==
          R"([{"op":"add","path":"/spec/replicas","value":2}])");
    CHECK(patch(h.review(mutating, R"({"extra":{"x":1}})")) == R"([{"op":"add","path":"/spec/replicas","value":2}])");
    CHECK(patch(h.review(mutating, R"({"hosts":["a"],"replicas":1})")) == "none");
    CHECK(patch(h.review("/mutate-example-com-v2-site-label", R"({"hosts":[]})")) ==
          R"([{"op":"add","path":"/metadata/labels","value":{"by":"ann"}}])");
    CHECK(message(h.review("/mutate-example-com-v2-site-label", R"({})", {{"dryRun", true}})) == "403 dry");
}

TEST_CASE("webhooks: bytes that are no text break no answer, and lose no edit", "[webhooks]")
{
    hooked h;
    h.hooks.validates<site>([](const site&) { return verdict::denied("a\xff"); }).mutates<site>([](site& s) {
        s.metadata.labels["a"] = "b";
        s.spec.hosts.push_back("a\xff");
    });
    CHECK(message(h.review(validating, "{}")) == "403 a\xef\xbf\xbd");
    CHECK(message(h.review(mutating, R"({"hosts":["a"]})")) ==
          "500 the webhook failed: internal: the edited spec.hosts is no JSON");
}

TEST_CASE("webhooks: a failure or an exception is an answer, and is logged", "[webhooks]")
{
    hooked h;
    h.hooks.validates<site>([](const site&) -> result<> { return failure(cond::unreachable, "no database"); })
        .validates<site>([](const site&) -> verdict { throw std::runtime_error("a defect"); }, {.name = "throws"})
        .validates<site>([](const site&) -> result<> { return failure(cond::internal, "the rules"); },
                         {.name = "lenient", .ignore_failures = true})
        .mutates<site>([](site&) -> ended {
            throw std::runtime_error("another");
            co_return result<>();
        });
    CHECK(message(h.review(validating, "{}")) == "500 the webhook failed: unreachable: no database");
    CHECK(message(h.review("/validate-example-com-v2-site-throws", "{}")).find("a defect") != std::string::npos);
    CHECK(message(h.review(mutating, "{}")).find("another") != std::string::npos);
    const auto yes = h.review("/validate-example-com-v2-site-lenient", "{}");
    CHECK(message(yes) == "allowed");
    CHECK(std::string(yes.at("warnings").at(0).as_string()).find("the rules") != std::string::npos);
    CHECK(h.w.log.count("a webhook failed") == 4);
}

TEST_CASE("webhooks: a function ends with the time that the server gives it", "[webhooks]")
{
    hooked h;
    duration left{};
    h.hooks.validates<site>([&](const admission<site>& a) -> ended {
        left = a.request.deadline - h.w.run.clock().now();
        co_return co_await sleep_for(*h.w.m->time(), 1h);
    });
    const auto began = h.w.run.clock().now();
    CHECK(message(h.review(std::string(validating) + "?timeout=3s", "{}")).find("timed_out") != std::string::npos);
    CHECK(left == 2800ms);
    CHECK(h.w.run.clock().now() - began == 2800ms);
    (void)h.review(validating, "{}");
    CHECK(left == 9800ms);
}

TEST_CASE("webhooks: what is no review of theirs is refused in words", "[webhooks]")
{
    hooked h;
    h.hooks.validates<site>([](const site&) {});
    CHECK(h.post("/validate", "{}").status == 404);
    CHECK(h.post("/convert", "{}").status == 404);
    CHECK(h.post(validating, "", "application/json", "GET").status == 405);
    CHECK(h.post(validating, "{}", "text/yaml").status == 415);
    const auto bad = h.post(validating, "{");
    CHECK(bad.status == 400);
    CHECK(bad.content_type.starts_with("text/plain"));
    CHECK(bad.body.starts_with("the review is no JSON object"));
    const auto other = h.post(
        validating,
        R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"1","operation":"CREATE",
            "resource":{"group":"","version":"v1","resource":"pods"},"kind":{"kind":"Pod"},"object":{}}})");
    CHECK(other.status == 400);
    CHECK(other.body == "the webhook validate.sites.example.com does not review pods/ of v1\n");
}

TEST_CASE("webhooks: reviews in progress are bounded", "[webhooks]")
{
    hooked h;
    webhooks one(*h.w.m);
    one.validates<site>([&](const site&) -> ended { co_return co_await sleep_for(*h.w.m->time(), 1s); });
    std::vector<int> codes;
    const auto ask = [&]() -> ended {
        const std::string body =
            R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"1","operation":"CREATE",
                "resource":{"group":"example.com","version":"v2","resource":"sites"},"kind":{"kind":"Site"},
                "object":{"apiVersion":"example.com/v2","kind":"Site"}}})";
        codes.push_back((co_await one.answer({.target = validating, .body = body})).status);
        co_return result<>();
    };
    std::vector<kt::task<void>> all;
    for (int i = 0; i <= 256; ++i) all.push_back(h.w.run.spawn(ask()));
    h.w.run.advance(2s);
    REQUIRE(codes.size() == 257);
    CHECK(codes.front() == 429);
    CHECK(std::count(codes.begin(), codes.end(), 200) == 256);
    CHECK(h.w.run.run(ask()));
    CHECK(codes.back() == 200);
}

TEST_CASE("webhooks: conversions by way of the hub", "[webhooks]")
{
    hooked h;
    CHECK_FALSE(h.w.m->serves()); // it has not started
    CHECK_FALSE(h.w.m->serves_for_lists());
    h.hooks.converts<site_v1, site>(webhooks_test::to_hub, webhooks_test::from_hub);
    CHECK(h.w.m->serves_for_lists());
    const json::object v1{{"apiVersion", "example.com/v1"},
                          {"kind", "Site"},
                          {"metadata", {{"name", "a"}}},
                          {"spec", {{"host", "h"}, {"other", 5}}}};
    const auto v2 = h.hooks.convert(v1, "v2").value();
    CHECK(v2.at("spec") == json::parse(R"({"hosts":["h"],"other":5})"));
    CHECK(h.hooks.convert(v2, "v1").value() == v1);
    CHECK(h.hooks.convert(v1, "v1").value() == v1);
    CHECK(h.hooks.convert(v1, "v3").error() == cond::not_found);
    const json::object body{
        {"apiVersion", "apiextensions.k8s.io/v1"},
        {"kind", "ConversionReview"},
        {"request", {{"uid", "4"}, {"desiredAPIVersion", "example.com/v2"}, {"objects", {v1, v2}}}}};
    const auto reply = h.post("/convert?timeout=30s", json::serialize(body));
    CHECK(reply.status == 200);
    CHECK(json::parse(reply.body).at("response").at("convertedObjects") == json::array{v2, v2});
}

TEST_CASE("webhooks: a user's mistake throws", "[webhooks]")
{
    hooked h;
    const auto fine = [](const site&) {};
    h.hooks.validates<site>(fine);
    CHECK_THROWS_WITH(h.hooks.validates<site>(fine), Catch::Contains("is there already"));
    CHECK_THROWS_WITH(h.hooks.validates<site>(fine, {.name = "A"}), Catch::Contains("no DNS label"));
    CHECK_THROWS_WITH(h.hooks.validates<site>(fine, {.name = "b", .timeout = 31s}), Catch::Contains("from 1 to 30 s"));
    CHECK_THROWS_WITH(h.hooks.validates<site>(fine, {.name = "e", .subresource = "*"}),
                      Catch::Contains("no name of one"));
    CHECK_THROWS_WITH(h.hooks.validates<site>(fine, {.name = "c", .operations = {}}), Catch::Contains("no operation"));
    CHECK_THROWS_WITH(h.hooks.mutates<site>([](site&) {}, {.operations = {admission_operation::remove}}),
                      Catch::Contains("cannot mutate"));
    h.hooks.converts<site_v1, site>(webhooks_test::to_hub, webhooks_test::from_hub);
    CHECK_THROWS_WITH((h.hooks.converts<site_v1, site>(webhooks_test::to_hub, webhooks_test::from_hub)),
                      Catch::Contains("is there already"));
}

TEST_CASE("webhooks: their manifests", "[webhooks]")
{
    hooked h;
    webhooks hooks(*h.w.m, {.address = ":9000", .ns = "ops"});
    hooks
        .validates<site>(
            [](const site&) {},
            {.namespaces = label_selector::parse("env in (a,b),!test").value(), .ignore_failures = true, .timeout = 5s})
        .mutates<core_v1::pod>([](core_v1::pod&) {},
                               {.name = "first", .subresource = "status", .reinvoke = true, .has_side_effects = true})
        .converts<site_v1, site>(webhooks_test::to_hub, webhooks_test::from_hub);
    const auto all = hooks.manifests();
    REQUIRE(all.size() == 4);
    CHECK(all[0] ==
          json::parse(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"subject-webhooks","namespace":"ops"},
        "spec":{"selector":{"app.kubernetes.io/name":"subject"},"ports":[{"name":"webhooks","port":443,"targetPort":9000}]}})"));
    CHECK(all[1] ==
          json::parse(R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingWebhookConfiguration",
        "metadata":{"name":"subject"},"webhooks":[{"name":"mutate.first.status.pods.core","admissionReviewVersions":["v1"],
        "clientConfig":{"service":{"name":"subject-webhooks","namespace":"ops","path":"/mutate--v1-pod-status-first","port":443}},
        "failurePolicy":"Fail","matchPolicy":"Equivalent","namespaceSelector":{},"objectSelector":{},
        "rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE","UPDATE"],"resources":["pods/status"],"scope":"Namespaced"}],
        "sideEffects":"NoneOnDryRun","timeoutSeconds":10,"reinvocationPolicy":"IfNeeded"}]})"));
    const auto& validating_hook = all[2].at("webhooks").at(0);
    CHECK(validating_hook.at("name") == "validate.sites.example.com");
    CHECK(validating_hook.at("failurePolicy") == "Ignore");
    CHECK(validating_hook.at("timeoutSeconds") == 5);
    CHECK(
        validating_hook.at("namespaceSelector") ==
        json::parse(
            R"({"matchExpressions":[{"key":"env","operator":"In","values":["a","b"]},{"key":"test","operator":"DoesNotExist"}]})"));
    CHECK(all[3].at("metadata").at("name") == "sites.example.com");
    CHECK(all[3].at("spec").at("conversion").at("webhook").at("clientConfig").at("service").at("path") == "/convert");
    // As text; the first webhooks of the fixture have none. The patch of a definition must not be applied as a whole.
    const auto text = h.w.m->manifests();
    CHECK(text.find("kind: Service\n") != std::string::npos);
    CHECK(text.find("---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\n") !=
          std::string::npos);
    CHECK(text.find("kind: CustomResourceDefinition") == std::string::npos);
    CHECK(text.find("\n# kubectl patch crd sites.example.com --type=merge --patch '{\"spec\":{\"conversion\":") !=
          std::string::npos);
}

TEST_CASE("webhooks: their rights are those to their Secret, configurations and definitions", "[webhooks]")
{
    world w;
    webhooks hooks(*w.m, {.ns = "ops"});
    hooks.validates<site>([](const site&) {}).converts<site_v1, site>(webhooks_test::to_hub, webhooks_test::from_hub);
    std::string text;
    for (const auto& r : w.m->rights()) text += describe(r) + "\n";
    CHECK(text == "create secrets in the namespace ops\n"
                  "get, watch, update secrets named subject-webhooks in the namespace ops\n"
                  "create validatingwebhookconfigurations of admissionregistration.k8s.io\n"
                  "get, update validatingwebhookconfigurations of admissionregistration.k8s.io named subject\n"
                  "get, update customresourcedefinitions of apiextensions.k8s.io named sites.example.com\n");
    world other;
    webhooks none(*other.m, {.address = "0"});
    none.validates<site>([](const site&) {});
    CHECK(other.m->rights().empty());
}
