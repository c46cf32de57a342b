// Tests of the options of deletions: a body that cannot be understood deletes nothing.
#include "support.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string maps = "/api/v1/namespaces/default/configmaps";

std::string message_of(const json::value& status) { return std::string(status.at("message").as_string()); }

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
