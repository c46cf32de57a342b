// Tests of impersonation, and of the reviews that a user makes of itself.
#include "support.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string who = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const std::string may = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

std::string user_of(server& s, server::headers headers = {})
{
    return json::serialize(s.expect(201, "POST", who, "{}", std::move(headers)).at_pointer("/status/userInfo"));
}

std::string refused(server& s, int status, server::headers headers)
{
    return std::string(s.expect(status, "POST", who, "{}", std::move(headers)).at("message").as_string());
}

} // namespace

TEST_CASE("impersonation: an administrator acts as another, with its groups, uid and extra", "[apiserver][users]")
{
    server s;
    CHECK(user_of(s) == R"({"username":"admin","groups":["system:masters","system:authenticated"]})");
    CHECK(user_of(s, {{"Impersonate-User", "jane"}}) == R"({"username":"jane","groups":["system:authenticated"]})");
    CHECK(user_of(s, {{"Impersonate-User", "jane"},
                      {"Impersonate-Group", "g1"},
                      {"impersonate-group", "g2"},
                      {"Impersonate-Uid", "u1"},
                      {"Impersonate-Extra-Acme.com%2fProject", "p1"},
                      {"Impersonate-Extra-Acme.com%2FProject", "p2"}}) ==
          R"({"username":"jane","uid":"u1","groups":["g1","g2","system:authenticated"],)"
          R"("extra":{"acme.com/project":["p1","p2"]}})");
    CHECK(user_of(s, {{"Impersonate-User", "system:serviceaccount:default:robot"}}) ==
          R"({"username":"system:serviceaccount:default:robot","groups":["system:serviceaccounts",)"
          R"("system:serviceaccounts:default","system:authenticated"]})");
    s.access.add_token("twice", {"jane", {"system:authenticated"}});
    s.token = "twice";
    CHECK(user_of(s) == R"({"username":"jane","groups":["system:authenticated"]})");
    s.token = "admin";
    // The other's permissions count, not one's own.
    s.expect(403, "GET", "/api/v1/pods", {}, {{"Impersonate-User", "jane"}});
    s.access.add_rule({true, "jane", "list", "pods"});
    s.expect(200, "GET", "/api/v1/pods", {}, {{"Impersonate-User", "jane"}});
    CHECK(refused(s, 403, {{"Impersonate-User", "system:anonymous"}}).find("system:anonymous") != std::string::npos);
}

TEST_CASE("impersonation: every part needs the verb impersonate", "[apiserver][users]")
{
    server s;
    s.token = "bob";
    CHECK(
        refused(s, 403, {{"Impersonate-User", "jane"}}) ==
        R"(users "jane" is forbidden: User "bob" cannot impersonate resource "users" in API group "" at the cluster scope)");
    s.access.add_rule({true, "bob", "impersonate", "users"});
    CHECK(user_of(s, {{"Impersonate-User", "jane"}}).find("jane") != std::string::npos);
    CHECK(refused(s, 403, {{"Impersonate-User", "jane"}, {"Impersonate-Group", "system:masters"}})
              .starts_with(R"(groups "system:masters" is forbidden)"));
    CHECK(refused(s, 403, {{"Impersonate-User", "jane"}, {"Impersonate-Uid", "1"}})
              .starts_with(R"(uids.authentication.k8s.io "1" is forbidden)"));
    CHECK(refused(s, 403, {{"Impersonate-User", "jane"}, {"Impersonate-Extra-scopes", "a"}})
              .find(R"(resource "userextras/scopes" in API group "authentication.k8s.io")") != std::string::npos);
    CHECK(refused(s, 403, {{"Impersonate-User", "system:serviceaccount:default:robot"}})
              .find(R"("serviceaccounts" in API group "" in the namespace "default")") != std::string::npos);
    s.access.add_rule({true, "bob", "impersonate", "userextras.authentication.k8s.io/scopes"});
    user_of(s, {{"Impersonate-User", "jane"}, {"Impersonate-Extra-scopes", "a"}});
    s.token = "";
    CHECK(s.ask("POST", who, "{}", {{"Impersonate-User", "jane"}}).status == 403);
}

TEST_CASE("impersonation: without a user name it is refused", "[apiserver][users]")
{
    server s;
    CHECK(refused(s, 400, {{"Impersonate-Group", "g"}}).ends_with("without impersonating a user name"));
    CHECK(user_of(s, {{"Impersonate-User", ""}}).find("admin") != std::string::npos); // as if there were no header
    CHECK(user_of(s, {{"Impersonate-Nonsense", "x"}}).find("admin") != std::string::npos);
}

TEST_CASE("reviews: a user learns what it may do", "[apiserver][users]")
{
    server s;
    const auto allowed = [&](const std::string& spec) {
        return s.expect(201, "POST", may, R"({"spec":)" + spec + "}").at_pointer("/status/allowed").as_bool();
    };
    const std::string list = R"({"resourceAttributes":{"verb":"list","resource":"pods","namespace":"default"}})";
    CHECK(allowed(list));
    s.token = "bob";
    CHECK_FALSE(allowed(list));
    CHECK(allowed(R"({"nonResourceAttributes":{"verb":"get","path":"/version"}})"));
    s.access.add_rule({true, "bob", "list", "pods", "default"});
    CHECK(allowed(list));
    s.expect(400, "POST", may, "[]");
    s.token = "";
    s.expect(403, "POST", may, R"({"spec":)" + list + "}");
}
