// Tests of the options of deletions: a body that cannot be understood deletes nothing, a dry run answers as the deletion,
// and grace periods.
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
    const char separator = target.find('?') == std::string::npos ? '?' : '&';
    auto answered = s.expect(200, "DELETE", target + separator + "dryRun=All");
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

TEST_CASE("delete options: those of the query do not count beside a body", "[apiserver][delete]")
{
    server s;
    s.add_config_map("default", "a");
    s.expect(200, "DELETE", maps + "/a?dryRun=All", "{}");
    s.expect(404, "GET", maps + "/a");
    s.add_config_map("default", "b");
    s.expect(200, "DELETE", maps + "/b?dryRun=All");
    s.expect(200, "DELETE", maps + "/b", R"({"dryRun":["All"]})");
    s.expect(200, "GET", maps + "/b");
}

TEST_CASE("delete options: an empty precondition holds for no object", "[apiserver][delete]")
{
    server s;
    s.add_config_map("default", "a");
    for (const std::string member : {"uid", "resourceVersion"})
        s.expect(409, "DELETE", maps + "/a", R"({"preconditions":{")" + member + R"(":""}})");
    s.expect(200, "DELETE", maps + "/a", R"({"preconditions":{"uid":null}})");
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

namespace {

std::string bound_pod(const std::string& name)
{
    return R"({"metadata":{"name":")" + name + R"("},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})";
}

/// The grace period, the time of the deletion and the generation of an object that is being deleted.
std::string end_of(const json::value& object)
{
    const auto& metadata = object.at("metadata");
    return json::serialize(metadata.at("deletionGracePeriodSeconds")) + " " +
           std::string(metadata.at("deletionTimestamp").as_string()).substr(11, 8) + " " +
           json::serialize(metadata.at("generation"));
}

struct patient_server : server
{
    patient_server() : server({.history = 100, .seed = 1, .pod_termination = {}}) {}
    /// The end of a pod after a deletion, which a dry run has to foretell.
    std::string remove(const std::string& query)
    {
        const auto foretold = end_of(preview(*this, pods + "/p" + query));
        const auto done = end_of(expect(200, "DELETE", pods + "/p" + query));
        CHECK(foretold == done);
        return done;
    }
};

} // namespace

TEST_CASE("deletion: a negative grace period of a pod is a second", "[apiserver][delete]")
{
    patient_server s;
    s.expect(201, "POST", pods, bound_pod("p"));
    CHECK(s.remove("?gracePeriodSeconds=-5") == "1 06:00:01 2");
    s.expect(200, "GET", pods + "/p");
}

TEST_CASE("deletion: a further one may only shorten the grace period of a pod", "[apiserver][delete]")
{
    patient_server s;
    s.expect(201, "POST", pods, bound_pod("p"));
    CHECK(s.remove("?gracePeriodSeconds=60") == "60 06:01:00 2");
    s.now += std::chrono::seconds{10};
    const auto version = s.state.resource_version();
    for (const std::string query :
         {"", "?gracePeriodSeconds=60", "?gracePeriodSeconds=90", "?propagationPolicy=Foreground"}) {
        INFO(query);
        CHECK(s.remove(query) == "60 06:01:00 2"); // not the 30 seconds of the pod
    }
    CHECK(s.state.resource_version() == version);
    CHECK(s.remove("?gracePeriodSeconds=40") == "40 06:00:40 2"); // from the first deletion on
    CHECK(s.remove("?gracePeriodSeconds=5") == "1 06:00:10 2");   // not in the past
    // One that has ended waits for its node, which deletes it with a period of 0.
    s.patch(pods + "/p/status", R"({"status":{"phase":"Succeeded"}})");
    CHECK(s.remove("") == "1 06:00:10 2");
    s.expect(200, "DELETE", pods + "/p?gracePeriodSeconds=0");
    s.expect(404, "GET", pods + "/p");
}

TEST_CASE("deletion: a pod without a kubelet goes at its sooner end", "[apiserver][delete]")
{
    server s({.history = 100, .seed = 1, .pod_termination = std::chrono::seconds{20}});
    s.expect(201, "POST", pods, bound_pod("p"));
    s.expect(200, "DELETE", pods + "/p");
    s.expect(200, "DELETE", pods + "/p?gracePeriodSeconds=2");
    s.now += std::chrono::seconds{2};
    (void)s.state.tick(s.now);
    s.expect(404, "GET", pods + "/p");
}
