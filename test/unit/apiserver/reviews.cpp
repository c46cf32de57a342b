// Tests of the reviews of tokens and permissions.
#include "support.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string tokens = "/apis/authentication.k8s.io/v1/tokenreviews";
const std::string authorization = "/apis/authorization.k8s.io/v1/";
const std::string subjects = authorization + "subjectaccessreviews";
const std::string own = authorization + "selfsubjectaccessreviews";
const std::string rules = authorization + "selfsubjectrulesreviews";
const std::string local = authorization + "namespaces/default/localsubjectaccessreviews";
const std::string robot = "/api/v1/namespaces/default/serviceaccounts/robot";

json::value status(server& s, const std::string& at, const std::string& spec)
{
    return s.expect(201, "POST", at, R"({"spec":)" + spec + "}").at("status");
}

std::string problem(server& s, int code, const std::string& at, const std::string& body)
{
    return std::string(s.expect(code, "POST", at, body).at("message").as_string());
}

std::string list_pods(const std::string& who, const std::string& ns = "default")
{
    return "{" + who + R"("resourceAttributes":{"verb":"list","resource":"pods","namespace":")" + ns + R"("}})";
}

/// A token of the service account robot. `spec` follows the kind of the request.
std::string make_token(server& s, const std::string& spec = "{}")
{
    return std::string(
        s.expect(201, "POST", robot + "/token", R"({"spec":)" + spec + "}").at_pointer("/status/token").as_string());
}

std::string asking(const std::string& token, const std::string& more = {})
{
    return R"({"token":")" + token + "\"" + more + "}";
}

} // namespace

TEST_CASE("token review: a known token is its user's, any other stands for no user", "[apiserver][reviews]")
{
    server s;
    const auto good = status(s, tokens, asking("bob"));
    CHECK(json::serialize(good) ==
          R"({"authenticated":true,"user":{"username":"bob","groups":["system:authenticated"]},)"
          R"("audiences":["https://kubernetes.default.svc"]})");
    CHECK(json::serialize(status(s, tokens, asking("nobody"))) == R"({"user":{},"error":"invalid bearer token"})");
    CHECK(json::serialize(status(s, tokens, asking("bob", R"(,"audiences":["elsewhere"])"))) ==
          R"({"user":{},"error":"invalid bearer token"})");
    CHECK(problem(s, 400, tokens, "{}") == "token is required for TokenReview in authentication");
    CHECK(problem(s, 400, tokens, R"({"spec":{"token":""}})") == "token is required for TokenReview in authentication");
    s.access.add_token("late", {"late", {}, {}}, s.now);
    CHECK(status(s, tokens, asking("late")).as_object().contains("error"));
    s.token = "bob";
    CHECK(s.ask("POST", tokens, R"({"spec":{"token":"admin"}})").status == 403);
}

TEST_CASE("token review: a service account's token counts for its audiences, while what it is bound to exists",
          "[apiserver][reviews]")
{
    server s;
    s.expect(201, "POST", "/api/v1/namespaces/default/serviceaccounts", R"({"metadata":{"name":"robot"}})");
    s.expect(201, "POST", "/api/v1/namespaces/default/pods",
             R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
    const auto plain = status(s, tokens, asking(make_token(s)));
    CHECK(plain.at_pointer("/user/username") == "system:serviceaccount:default:robot");
    CHECK(
        plain.at_pointer("/user/extra/authentication.kubernetes.io~1credential-id/0").as_string().starts_with("JTI="));

    const std::string bound =
        make_token(s, R"({"audiences":["a","b"],"boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":"p"}})");
    const auto meant = status(s, tokens, asking(bound, R"(,"audiences":["b","c"])"));
    CHECK(json::serialize(meant.at("audiences")) == R"(["b"])");
    CHECK(meant.at_pointer("/user/extra/authentication.kubernetes.io~1pod-name/0") == "p");
    CHECK(status(s, tokens, asking(bound)).at("error") ==
          R"([invalid bearer token, token audiences ["a" "b"] is invalid for the target audiences )"
          R"(["https://kubernetes.default.svc"]])");
    s.expect(200, "DELETE", "/api/v1/namespaces/default/pods/p");
    CHECK(status(s, tokens, asking(bound, R"(,"audiences":["b"])")).at("error") ==
          "[invalid bearer token, service account token has been invalidated]");
}

TEST_CASE("access review: another's permissions are asked for by user or group", "[apiserver][reviews]")
{
    server s;
    const auto allowed = [&](const std::string& at, const std::string& spec) {
        return status(s, at, spec).at("allowed").as_bool();
    };
    CHECK_FALSE(allowed(subjects, list_pods(R"("user":"bob",)")));
    s.access.add_rule({true, "bob", "list", "pods", "default"});
    CHECK(allowed(subjects, list_pods(R"("user":"bob",)")));
    CHECK_FALSE(allowed(subjects, list_pods(R"("user":"bob",)", "other")));
    CHECK_FALSE(allowed(subjects, list_pods(R"("user":"eve",)")));
    CHECK(allowed(subjects, list_pods(R"("groups":["system:masters"],)")));
    CHECK(allowed(subjects, R"({"user":"eve","nonResourceAttributes":{"verb":"get","path":"/version"}})"));
    CHECK_FALSE(allowed(subjects, R"({"user":"eve","nonResourceAttributes":{"verb":"get","path":"/metrics"}})"));
    CHECK(allowed(local, list_pods(R"("user":"bob",)")));
    // Asking about others is a permission of its own; asking about oneself is not.
    s.token = "bob";
    CHECK(s.ask("POST", subjects, R"({"spec":)" + list_pods(R"("user":"bob",)") + "}").status == 403);
    CHECK(allowed(own, list_pods({})));
}

TEST_CASE("access review: a question without a meaning is refused", "[apiserver][reviews]")
{
    server s;
    CHECK(problem(s, 422, subjects, R"({"spec":{"user":"bob"}})") ==
          R"(SubjectAccessReview.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: )"
          "exactly one of nonResourceAttributes or resourceAttributes must be specified");
    CHECK(problem(s, 422, subjects, R"({"spec":)" + list_pods({}) + "}").find("at least one of user or group") !=
          std::string::npos);
    CHECK(problem(s, 422, subjects,
                  R"({"spec":{"user":"u","resourceAttributes":{"verb":"get"},"nonResourceAttributes":{"verb":"get"}}})")
              .find("cannot be specified in combination with resourceAttributes") != std::string::npos);
    CHECK(problem(s, 422, local, R"({"spec":)" + list_pods(R"("user":"u",)", "other") + "}")
              .find("must match metadata.namespace") != std::string::npos);
    CHECK(problem(s, 422, local, R"({"spec":{"user":"u","nonResourceAttributes":{"verb":"get","path":"/"}}})")
              .find("disallowed on this kind of request") != std::string::npos);
    CHECK(problem(s, 400, local, R"({"metadata":{"namespace":"x"},"spec":)" + list_pods(R"("user":"u",)") + "}")
              .find("does not match the namespace sent on the request") != std::string::npos);
    CHECK(s.ask("GET", subjects).status == 405);
    CHECK(s.ask("POST", authorization + "localsubjectaccessreviews", "{}").status == 405);
}

TEST_CASE("access review: a forbidding rule applies to reviews of oneself as well", "[apiserver][reviews]")
{
    server s;
    s.access.add_rule({false, "bob"});
    s.token = "bob";
    CHECK(s.ask("POST", own, R"({"spec":)" + list_pods({}) + "}").status == 403);
}

TEST_CASE("rules review: a user lists what it may do", "[apiserver][reviews]")
{
    server s;
    CHECK(problem(s, 400, rules, "{}") == "no namespace on request");
    const auto all = status(s, rules, R"({"namespace":"default"})");
    CHECK(json::serialize(all.at_pointer("/resourceRules/0")) ==
          R"({"verbs":["*"],"apiGroups":["*"],"resources":["*"]})");
    CHECK(json::serialize(all.at_pointer("/nonResourceRules/0")) == R"({"verbs":["*"],"nonResourceURLs":["*"]})");

    s.token = "bob";
    s.access.add_rule({true, "bob", "get", "deployments.apps/scale", "default"});
    s.access.add_rule({true, "bob", "list", "pods", "other"});
    s.access.add_rule({true, "bob", "watch", "pods"});
    s.access.add_rule({true, "eve", "list", "secrets"});
    const auto some = status(s, rules, R"({"namespace":"default"})");
    CHECK(json::serialize(some.at_pointer("/resourceRules/0")) ==
          R"({"verbs":["get"],"apiGroups":["apps"],"resources":["deployments/scale"]})");
    CHECK(json::serialize(some.at_pointer("/resourceRules/1")) ==
          R"({"verbs":["watch"],"apiGroups":["*"],"resources":["pods"]})");
    CHECK(some.at_pointer("/resourceRules/2/resources/0") == "selfsubjectreviews");
    CHECK(some.at("incomplete") == false);
    CHECK(json::serialize(some.at("nonResourceRules")).find(R"(["/healthz"])") != std::string::npos);
    s.access.add_rule({false, "bob", "delete"});
    CHECK(status(s, rules, R"({"namespace":"default"})").at("incomplete") == true);
}

TEST_CASE("reviews: discovery names them, with the only verb they have", "[apiserver][reviews]")
{
    server s;
    const auto found = s.expect(200, "GET", "/apis/authorization.k8s.io/v1");
    REQUIRE(found.at("resources").as_array().size() == 4);
    for (const auto& each : found.at("resources").as_array())
        CHECK(json::serialize(each.at("verbs")) == R"(["create"])");
    CHECK(found.at_pointer("/resources/0/name") == "localsubjectaccessreviews");
    CHECK(found.at_pointer("/resources/0/namespaced") == true);
    const auto r =
        s.ask("POST", own, R"({"spec":)" + list_pods({}) + "}", {{"Accept", "application/vnd.kubernetes.protobuf"}});
    CHECK(r.status == 201);
    CHECK(r.body.starts_with("k8s"));
}
