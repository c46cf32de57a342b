// Tests of the options of deletions: a body that cannot be understood deletes nothing, a dry run answers as the deletion.
#include "support.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string maps = "/api/v1/namespaces/default/configmaps";
const std::string pods = "/api/v1/namespaces/default/pods";

std::string message_of(const json::value& status) { return std::string(status.at("message").as_string()); }

/// @return the object that a dry run answers with. Requires that it changes nothing.
json::value preview(server& s, const std::string& target)
{
    const auto version = s.state.resource_version();
    auto answered = s.expect(200, "DELETE", target + "?dryRun=All");
    CHECK(s.state.resource_version() == version);
    return answered;
}

bool is_marked(const json::value& object) { return object.at("metadata").as_object().contains("deletionTimestamp"); }

} // namespace

TEST_CASE("delete options: a body that is not understood deletes nothing", "[apiserver][delete]")
{
    server s;
    s.add_config_map("default", "a");
    for (const std::string body : {
             R"({"gracePeriodSeconds":"x"})",
             R"({"preconditions":{"uid":1}})",
             R"({"preconditions":"uid"})",
             R"({"preconditions":{"resourceVersion":5}})",
             R"({"propagationPolicy":1})",
             R"({"dryRun":"All"})",
             R"({"orphanDependents":"true"})",
             R"({"kind":"ConfigMap","apiVersion":"v1"})",
             R"({"kind":7})",
             "[]",
             "5",
             "nonsense",
         })
        for (const std::string& target : {maps + "/a", maps}) {
            INFO("DELETE " << target << " " << body);
            s.expect(400, "DELETE", target, body);
        }
    s.expect(415, "DELETE", maps + "/a", "{}", {{"content-type", "text/plain"}});
    CHECK(message_of(s.expect(400, "DELETE", maps + "/a", R"({"kind":"Foo","apiVersion":"v1"})")) ==
          R"(no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111")");
    CHECK(message_of(s.expect(400, "DELETE", maps + "/a", R"({"gracePeriodSeconds":"x"})"))
              .starts_with("json: gracePeriodSeconds: "));
    s.expect(200, "GET", maps + "/a");
    // The kind belongs to every group, and may be left out.
    s.expect(200, "DELETE", maps + "/a", R"({"kind":"DeleteOptions","apiVersion":"apps/v1","preconditions":null})");
    s.add_config_map("default", "b");
    s.expect(200, "DELETE", maps + "/b", "propagationPolicy: Background\n", {{"content-type", "application/yaml"}});
}

TEST_CASE("delete options: a body takes the place of the parameters", "[apiserver][delete]")
{
    server s;
    for (const std::string name : {"a", "b", "c"}) s.add_config_map("default", name);
    s.expect(422, "DELETE", maps + "/a?propagationPolicy=Foreground&orphanDependents=false");
    s.expect(422, "DELETE", maps + "/a?propagationPolicy=");
    s.expect(422, "DELETE", maps + "/a", R"({"propagationPolicy":"Bogus"})");
    CHECK(message_of(s.expect(400, "DELETE", maps + "/a?gracePeriodSeconds=")) ==
          R"(strconv.ParseInt: parsing "": invalid syntax)");
    s.expect(409, "DELETE", maps + "/a?uid=other");
    s.expect(409, "DELETE", maps + "/a?resourceVersion=1");
    s.expect(200, "GET", maps + "/a");
    s.expect(200, "DELETE", maps + "/a?propagationPolicy=Bogus&uid=other&dryRun=All", "{}");
    s.expect(404, "GET", maps + "/a");
    const auto uid = std::string(s.expect(200, "GET", maps + "/b").at_pointer("/metadata/uid").as_string());
    s.expect(200, "DELETE", maps + "/b?uid=" + uid);
    s.expect(200, "DELETE", maps + "/c?gracePeriodSeconds=%2B5");
}

TEST_CASE("delete options: a negative grace period is a second", "[apiserver][delete]")
{
    server s;
    const auto add = [&](const std::string& name, const std::string& spec) {
        s.expect(201, "POST", pods,
                 R"({"metadata":{"name":")" + name + R"("},"spec":{"nodeName":"n",)" + spec +
                     R"("containers":[{"name":"c","image":"i"}]}})");
    };
    add("p", "");
    const auto marked = s.expect(200, "DELETE", pods + "/p?gracePeriodSeconds=-7");
    CHECK(marked.at_pointer("/metadata/deletionGracePeriodSeconds") == 1);
    CHECK(marked.at_pointer("/metadata/generation") == 2);
    const auto last = s.expect(200, "DELETE", pods + "/p?gracePeriodSeconds=0");
    CHECK(last.at_pointer("/metadata/generation") == 2); // it was raised once, when the deletion began
    s.expect(404, "GET", pods + "/p");
}

TEST_CASE("dry run: a deletion answers with the object that finalizers or a grace period would keep",
          "[apiserver][delete]")
{
    server s;
    s.add_config_map("default", "free");
    s.add_config_map("default", "held", R"("finalizers":["example.com/f"])");
    CHECK(preview(s, maps + "/free").at("kind") == "Status");
    CHECK(is_marked(preview(s, maps + "/held")));

    s.expect(201, "POST", pods,
             R"({"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})");
    const auto pod = preview(s, pods + "/p");
    CHECK(is_marked(pod));
    CHECK(pod.at_pointer("/metadata/deletionGracePeriodSeconds") == 30);
    CHECK_FALSE(is_marked(s.expect(200, "GET", pods + "/p")));

    s.add_namespace("web");
    const auto web = preview(s, "/api/v1/namespaces/web");
    CHECK(is_marked(web));
    CHECK(web.at_pointer("/status/phase") == "Terminating");
    s.expect(201, "POST", "/api/v1/namespaces/web/configmaps", R"({"metadata":{"name":"a"}})");

    const std::string definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    s.expect(201, "POST", definitions,
             R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":)"
             R"({"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,"schema":)"
             R"({"openAPIV3Schema":{"type":"object"}}}]}})");
    CHECK(is_marked(preview(s, definitions + "/widgets.example.com")));
    s.expect(200, "GET", "/apis/example.com/v1/widgets");
}
