// Conformance cases: reviews of tokens and permissions. The user is an administrator, in the group system:masters.
#include "cluster_under_test.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/repeat.hpp>

#include <kubecoro/base/try.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <chrono>
#include <string>

using namespace kubecoro;
using namespace kubecoro::conformance;

namespace json = boost::json;

namespace {

const std::string authorization = "/apis/authorization.k8s.io/v1/";

struct reply
{
    int code = 0;
    json::object body;

    [[nodiscard]] const json::value& status() const { return body.at("status"); }
    [[nodiscard]] std::string message() const { return std::string(body.at("message").as_string()); }
    [[nodiscard]] bool allowed() const { return status().at("allowed").as_bool(); }
};

/// Sends a review. `spec` is JSON.
reply review(cluster_under_test& c, const std::string& target, const std::string& spec)
{
    request r{
        .method = "POST", .target = target, .content_type = "application/json", .body = R"({"spec":)" + spec + "}"};
    const auto got = c.run(c.api().raw(std::move(r)));
    REQUIRE(got);
    INFO(got->body);
    return {got->head.status, json::parse(got->body).as_object()};
}

reply token_review(cluster_under_test& c, const std::string& token, const std::string& more = {})
{
    return review(c, "/apis/authentication.k8s.io/v1/tokenreviews", R"({"token":")" + token + "\"" + more + "}");
}

/// A token of a new service account.
std::string token_of(cluster_under_test& c, const std::string& account, const std::string& spec = "{}")
{
    const auto made =
        c.run(c.in_ns(untyped::service_account::resource())
                  .create(R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":")" + account + "\"}}"));
    REQUIRE(made);
    const auto got = review(c, "/api/v1/namespaces/" + c.ns() + "/serviceaccounts/" + account + "/token", spec);
    REQUIRE(got.code == 201);
    return std::string(got.status().at("token").as_string());
}

std::string pods(const cluster_under_test& c, const std::string& who = {})
{
    return "{" + who + R"("resourceAttributes":{"verb":"list","resource":"pods","namespace":")" + c.ns() + "\"}}";
}

/// Whether a list of texts has one.
bool has(const json::value& list, const std::string& one)
{
    for (const auto& text : list.as_array())
        if (text.as_string() == json::string_view(one)) return true;
    return false;
}

} // namespace

TEST_CASE("token review: a service account's token stands for it, with its groups", "[conformance][reviews]")
{
    cluster_under_test c;
    const auto good = token_review(c, token_of(c, "robot"));
    CHECK(good.code == 201);
    CHECK(good.body.at("kind") == "TokenReview");
    CHECK(good.status().at("authenticated") == true);
    const auto user = good.status().at("user");
    CHECK(user.at("username").as_string() == json::string_view("system:serviceaccount:" + c.ns() + ":robot"));
    const auto robot = c.run(c.in_ns(untyped::service_account::resource()).get("robot"));
    REQUIRE(robot);
    CHECK(user.at("uid").as_string() == json::string_view(robot->uid()));
    for (const auto& group : {std::string("system:serviceaccounts"), "system:serviceaccounts:" + c.ns(),
                              std::string("system:authenticated")})
        CHECK(has(user.at("groups"), group));
    CHECK(good.status().at("audiences").as_array().size() == 1);
    CHECK_FALSE(good.status().as_object().contains("error"));
}

TEST_CASE("token review: a token of no one is answered, not refused", "[conformance][reviews]")
{
    cluster_under_test c;
    const auto bad = token_review(c, "no-such-token");
    CHECK(bad.code == 201);
    CHECK_FALSE(bad.status().as_object().contains("authenticated"));
    CHECK(bad.status().at("user").as_object().empty());
    CHECK(std::string(bad.status().at("error").as_string()).find("invalid bearer token") != std::string::npos);
    const auto none = review(c, "/apis/authentication.k8s.io/v1/tokenreviews", "{}");
    CHECK(none.code == 400);
    CHECK(none.message() == "token is required for TokenReview in authentication");
}

TEST_CASE("token review: a token counts for its audiences", "[conformance][reviews]")
{
    cluster_under_test c;
    const auto token = token_of(c, "robot", R"({"audiences":["one","two"]})");
    const auto meant = token_review(c, token, R"(,"audiences":["two","three"])");
    CHECK(meant.status().at("authenticated") == true);
    CHECK(json::serialize(meant.status().at("audiences")) == R"(["two"])");
    CHECK_FALSE(token_review(c, token).status().as_object().contains("authenticated"));
    CHECK_FALSE(token_review(c, token, R"(,"audiences":["three"])").status().as_object().contains("authenticated"));
}

TEST_CASE("token review: a token ends with its service account", "[conformance][reviews]")
{
    cluster_under_test c;
    const auto token = token_of(c, "robot");
    REQUIRE(token_review(c, token).status().at("authenticated") == true);
    REQUIRE(c.run(c.in_ns(untyped::service_account::resource()).remove("robot")));
    // The server may remember its answer for some seconds.
    const auto gone = c.run(poll_until(*real_clock(), {.interval = std::chrono::milliseconds{200}},
                                       [&]() -> boost::asio::awaitable<result<bool>> {
                                           request r{.method = "POST",
                                                     .target = "/apis/authentication.k8s.io/v1/tokenreviews",
                                                     .content_type = "application/json",
                                                     .body = R"({"spec":{"token":")" + token + "\"}}"};
                                           KUBECORO_TRY(const auto got, co_await c.api().raw(std::move(r)));
                                           const auto status = json::parse(got.body).at("status").as_object();
                                           co_return !status.contains("authenticated");
                                       }));
    CHECK(gone);
}

TEST_CASE("access review: the group of administrators may, a user without a role may not", "[conformance][reviews]")
{
    cluster_under_test c;
    const auto subjects = authorization + "subjectaccessreviews";
    const auto local = authorization + "namespaces/" + c.ns() + "/localsubjectaccessreviews";
    for (const auto& at : {subjects, local}) {
        INFO(at);
        const auto masters = review(c, at, pods(c, R"("groups":["system:masters"],)"));
        CHECK(masters.code == 201);
        CHECK(masters.allowed());
        const auto eve = review(c, at, pods(c, R"("user":"eve",)"));
        CHECK(eve.code == 201);
        CHECK_FALSE(eve.allowed());
        CHECK_FALSE(eve.status().as_object().contains("denied"));
    }
    const auto path = [&](const std::string& p) {
        return review(
                   c, subjects,
                   R"({"user":"eve","groups":["system:authenticated"],"nonResourceAttributes":{"verb":"get","path":")" +
                       p + "\"}}")
            .allowed();
    };
    CHECK(path("/version"));
    CHECK(path("/healthz"));
    CHECK_FALSE(path("/metrics"));
}

TEST_CASE("access review: about oneself", "[conformance][reviews]")
{
    cluster_under_test c;
    const auto own = review(c, authorization + "selfsubjectaccessreviews", pods(c));
    CHECK(own.code == 201);
    CHECK(own.body.at("kind") == "SelfSubjectAccessReview");
    CHECK(own.allowed());
    CHECK(own.body.at("spec").at("resourceAttributes").at("verb") == "list");
}

TEST_CASE("access review: a question without a meaning is refused", "[conformance][reviews]")
{
    cluster_under_test c;
    const auto subjects = authorization + "subjectaccessreviews";
    const auto invalid = [&](const std::string& at, const std::string& spec, const std::string& why) {
        const auto got = review(c, at, spec);
        INFO(json::serialize(got.body));
        CHECK(got.code == 422);
        CHECK(got.body.at("reason") == "Invalid");
        CHECK(got.message().find(why) != std::string::npos);
    };
    invalid(subjects, R"({"user":"bob"})",
            "exactly one of nonResourceAttributes or resourceAttributes must be specified");
    invalid(subjects, pods(c), "at least one of user or group must be specified");
    invalid(subjects, R"({"user":"u","resourceAttributes":{"verb":"get"},"nonResourceAttributes":{"verb":"get"}})",
            "cannot be specified in combination with resourceAttributes");
    invalid(authorization + "selfsubjectaccessreviews", "{}",
            "exactly one of nonResourceAttributes or resourceAttributes must be specified");
    invalid(authorization + "namespaces/" + c.ns() + "/localsubjectaccessreviews",
            R"({"user":"u","nonResourceAttributes":{"verb":"get","path":"/"}})", "disallowed on this kind of request");
}

TEST_CASE("rules review: an administrator's rules allow everything", "[conformance][reviews]")
{
    cluster_under_test c;
    const auto at = authorization + "selfsubjectrulesreviews";
    const auto own = review(c, at, R"({"namespace":")" + c.ns() + "\"}");
    CHECK(own.code == 201);
    CHECK(own.body.at("kind") == "SelfSubjectRulesReview");
    bool all = false, all_paths = false;
    for (const auto& rule : own.status().at("resourceRules").as_array())
        all = all || (has(rule.at("verbs"), "*") && has(rule.at("apiGroups"), "*") && has(rule.at("resources"), "*"));
    for (const auto& rule : own.status().at("nonResourceRules").as_array())
        all_paths = all_paths || (has(rule.at("verbs"), "*") && has(rule.at("nonResourceURLs"), "*"));
    CHECK(all);
    CHECK(all_paths);
    CHECK(own.status().at("incomplete") == false);
    const auto nowhere = review(c, at, "{}");
    CHECK(nowhere.code == 400);
    CHECK(nowhere.message() == "no namespace on request");
}

TEST_CASE("reviews: nothing is kept, so there is nothing to get or list", "[conformance][reviews]")
{
    cluster_under_test c;
    for (const auto* plural : {"subjectaccessreviews", "selfsubjectaccessreviews", "selfsubjectrulesreviews"}) {
        INFO(plural);
        const auto got = c.run(c.api().raw({.method = "GET", .target = authorization + plural}));
        REQUIRE(got);
        CHECK(got->head.status == 405);
        CHECK(json::parse(got->body).at("reason") == "MethodNotAllowed");
    }
}

TEST_CASE("roles: a binding grants its role's verbs, resources and names to a service account",
          "[conformance][reviews]")
{
    cluster_under_test c;
    const auto create = [&](const std::string& plural, const std::string& more) {
        request r{.method = "POST",
                  .target = "/apis/rbac.authorization.k8s.io/v1/namespaces/" + c.ns() + "/" + plural,
                  .content_type = "application/json",
                  .body = R"({"metadata":{"name":"robots"},)" + more + "}"};
        const auto made = c.run(c.api().raw(std::move(r)));
        REQUIRE(made);
        REQUIRE(made->head.status == 201);
    };
    create("roles", R"("rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["list"]},)"
                    R"({"apiGroups":["apps"],"resources":["*/scale"],"verbs":["*"]},)"
                    R"({"apiGroups":[""],"resources":["configmaps"],"resourceNames":["mine"],"verbs":["get"]}])");
    create("rolebindings", R"("roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"robots"},)"
                           R"("subjects":[{"kind":"ServiceAccount","name":"robot","namespace":")" +
                               c.ns() + R"("}])");
    const auto may = [&](const std::string& attributes, const std::string& account = "robot") {
        const auto spec = R"({"user":"system:serviceaccount:)" + c.ns() + ":" + account +
                          R"(","resourceAttributes":{"namespace":")" + c.ns() + "\"," + attributes + "}}";
        return review(c, authorization + "subjectaccessreviews", spec).allowed();
    };
    const std::string list_pods = R"("verb":"list","resource":"pods")";
    // A server of a cluster learns of roles by a watch.
    const auto known = c.run(poll_until(
        *real_clock(), {.interval = std::chrono::milliseconds{50}}, [&]() -> boost::asio::awaitable<result<bool>> {
            request r{
                .method = "POST", .target = authorization + "subjectaccessreviews", .content_type = "application/json"};
            r.body = R"({"spec":)" + pods(c, R"("user":"system:serviceaccount:)" + c.ns() + R"(:robot",)") + "}";
            KUBECORO_TRY(const auto got, co_await c.api().raw(std::move(r)));
            const auto body = json::parse(got.body);
            co_return body.at_pointer("/status/allowed").as_bool();
        }));
    REQUIRE(known);
    CHECK(may(list_pods));
    CHECK_FALSE(may(list_pods, "other"));
    CHECK_FALSE(may(R"("verb":"watch","resource":"pods")"));
    CHECK_FALSE(may(R"("verb":"list","resource":"pods","subresource":"status")"));
    CHECK(may(R"("verb":"update","group":"apps","resource":"deployments","subresource":"scale")"));
    CHECK_FALSE(may(R"("verb":"update","group":"apps","resource":"deployments")"));
    CHECK(may(R"("verb":"get","resource":"configmaps","name":"mine")"));
    CHECK_FALSE(may(R"("verb":"get","resource":"configmaps","name":"other")"));
    CHECK_FALSE(may(R"("verb":"get","resource":"configmaps")"));
}
