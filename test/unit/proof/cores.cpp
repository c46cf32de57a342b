// The cores of the check: masks and differences of states, plans, reduction, routes, rights.
#include "check/used_rights_core.hpp"
#include "plan/run_plan_core.hpp"
#include "plan/spec_edits_core.hpp"
#include "state/masked_state_core.hpp"
#include "world/stale_reads.hpp"
#include "world/traffic.hpp"

#include <kubecoro/test/catch.hpp>

#include <boost/json/parse.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace kubecoro::testing::detail;
using kubecoro::access_right;

namespace {

std::string line(const std::string& resource, const std::string& object)
{
    return R"({"resource":")" + resource + R"(","object":)" + object + "}\n";
}

masked_state masked(const std::string& dump, const std::vector<std::string>& ignored = {})
{
    return mask(objects_of(dump, {}), ignored);
}

const std::string owner =
    R"({"metadata":{"name":"one","namespace":"a","uid":"u1","resourceVersion":"7","generation":3},)"
    R"("status":{"observedGeneration":3,"at":"2026-01-01T00:00:05Z","ip":"10.0.0.7"}})";

} // namespace

TEST_CASE("proof: two states that came to the same end are equal under their masks", "[proof][core]")
{
    const auto child = [](const std::string& uid, const std::string& of, const std::string& name) {
        return line("configmaps",
                    R"({"metadata":{"name":")" + name + R"(","generateName":"one-","namespace":"a","uid":")" + uid +
                        R"(","resourceVersion":"9","managedFields":[],"ownerReferences":[{"uid":")" + of + R"("}]}})");
    };
    auto other = owner;
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"u1", "v1"}, {"\"7\"", "\"8\""}, {"3", "4"}, {"05Z", "06.5Z"}, {"10.0.0.7", "10.1.0.8"}})
        for (auto at = other.find(from); at != std::string::npos; at = other.find(from, at + to.size()))
            other.replace(at, from.size(), to);
    const auto first = masked(line("notes.x", owner) + child("u2", "u1", "one-abc"));
    CHECK(first == masked(child("v2", "v1", "one-xyz") + line("notes.x", other)));
    CHECK(first.contains("configmaps a/one-(made)"));
    // Two of them are not one, and an owner that is gone is not one that is there.
    CHECK(first != masked(line("notes.x", owner) + child("u2", "u1", "one-abc") + child("u3", "u1", "one-def")));
    CHECK(first != masked(line("notes.x", owner) + child("u2", "u9", "one-abc")));
    CHECK(first !=
          masked(line("notes.x", std::string(owner).replace(owner.find("Generation\":3,"), 14, "Generation\":2,"))));
}

TEST_CASE("proof: a mask leaves out events, Leases, known lines and ignored fields", "[proof][core]")
{
    const auto base = line("configmaps", R"({"metadata":{"name":"there","namespace":"a","uid":"u0"}})");
    const auto dump = R"({"format":"f","resourceVersion":"1"})"
                      "\n" +
                      base + line("events", R"({"metadata":{"name":"e","namespace":"a"}})") +
                      line("leases.coordination.k8s.io", R"({"metadata":{"name":"l","namespace":"a"}})") +
                      line("configmaps", R"({"metadata":{"name":"m","namespace":"a"},"data":{"x":"1","y":"2"}})");
    const auto found = mask(objects_of(dump, lines_of(base)), {"data.x", "secrets data.y"});
    REQUIRE(found.size() == 1);
    CHECK(found.at("configmaps a/m") == R"({"data":{"y":"2"},"metadata":{"name":"m","namespace":"a"}})");
}

TEST_CASE("proof: differences name the object and the first field", "[proof][core]")
{
    const masked_state wanted{{"a", R"({"s":{"n":[1,2]}})"}, {"b", R"({"x":1})"}, {"c", "{}"}};
    const masked_state found{{"a", R"({"s":{"n":[1,3]}})"}, {"c", R"({"y":"z"})"}, {"d", "{}"}};
    using texts = std::vector<std::string>;
    CHECK(differences(wanted, found, 9) == texts{"a: s.n[1] is 3 instead of 2", "b is missing",
                                                 R"(c: y is "z" instead of nothing)", "d is there and should not be"});
    CHECK(differences(wanted, found, 1).size() == 1);
    CHECK(differences(wanted, wanted, 9).empty());
}

TEST_CASE("proof: a seed draws the same faults again, and all kinds are drawn", "[proof][core]")
{
    std::set<fault_kind> kinds;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const auto plan = draw_plan(seed, 8, true);
        CHECK(plan == draw_plan(seed, 8, true));
        auto alone = draw_plan(seed, 8, false);
        CHECK(std::equal(alone.begin(), alone.end(), plan.begin()));
        CHECK(!plan.empty());
        for (const auto& f : plan) {
            kinds.insert(f.kind);
            CHECK(f.request <= 11);
        }
    }
    CHECK(kinds.size() == 24);
    const auto all = plans_of_all(4, 2, 3, false);
    REQUIRE(all.size() == 18);
    CHECK(all[16].size() == 10); // each child is deleted, also while it is held, and three of its fields are changed
    CHECK(all[17].size() == 3);
    CHECK(plans_of_all(1, 0, 0, false).size() == 4);
    CHECK(plans_of_all(1, 0, 0, true).size() == 5);
    CHECK(describe(planned_fault{.kind = fault_kind::touched}) == "when settled: a user touches an object");
    CHECK(describe(planned_fault{
              .kind = fault_kind::late_events, .request = 3, .draw = 1, .lasts = std::chrono::seconds{9}}) ==
          "request 3: events arrive late, 9 s");
}

TEST_CASE("proof: a reduction keeps what is needed, within its budget", "[proof][core]")
{
    const auto needs = [](const std::vector<int>& l) {
        return std::count(l.begin(), l.end(), 3) == 1 && std::count(l.begin(), l.end(), 7) == 1;
    };
    std::size_t budget = 100;
    CHECK(reduced<int>({1, 2, 3, 4, 5, 6, 7, 8}, needs, budget) == std::vector<int>{3, 7});
    CHECK(budget > 70);
    budget = 1;
    CHECK(needs(reduced<int>({1, 2, 3, 4, 5, 6, 7, 8}, needs, budget)));
    CHECK(budget == 0);
    budget = 9;
    CHECK(reduced<int>(
              {1, 2}, [](const auto&) { return true; }, budget, 1)
              .size() == 1);
    CHECK(reduced<int>(
              {1, 2}, [](const auto&) { return true; }, budget)
              .empty());
}

TEST_CASE("proof: a request is named in the terms of RBAC", "[proof][core]")
{
    const auto r = route_of("PATCH", "/apis/apps/v1/namespaces/web/deployments/shop/status?fieldManager=x");
    CHECK(r.verb == "patch");
    CHECK(r.key() == "deployments.apps web/shop");
    CHECK(r.subresource == "status");
    CHECK(r.writes());
    CHECK(route_of("GET", "/api/v1/pods?watch=true").verb == "watch");
    CHECK(route_of("GET", "/api/v1/pods").verb == "list");
    CHECK(route_of("GET", "/api/v1/namespaces/web").key() == "namespaces web");
    CHECK(route_of("GET", "/api/v1/namespaces/web/status").key() == "namespaces web");
    CHECK(route_of("DELETE", "/api/v1/namespaces/web/pods").verb == "deletecollection");
    CHECK(route_of("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews").is_review());
    CHECK(route_of("PUT", "/apis/coordination.k8s.io/v1/namespaces/a/leases/l").is_bookkeeping());
    CHECK_FALSE(route_of("PUT", "/apis/flats.example.com/v1/namespaces/a/leases/l").is_bookkeeping());
    CHECK(route_of("GET", "/version").resource.empty());
    CHECK_FALSE(route_of("GET", "/version").writes());
}

TEST_CASE("proof: rights that no request used are named, but for those that no request shows", "[proof][core]")
{
    used_rights used;
    used.add(route_of("PATCH", "/apis/apps/v1/namespaces/web/deployments/shop/status"));
    used.add(route_of("GET", "/api/v1/pods"));
    used.add(route_of("GET", "/api/v1/nodes?watch=1"));
    used.add(route_of("GET", "/api/v1/secrets?watch=1"), true);
    const std::vector<access_right> declared{
        {.resource = "pods", .verbs = {"get", "update", "list", "watch"}},
        {.group = "apps", .resource = "deployments/status", .verbs = {"get", "update", "patch"}},
        {.group = "apps", .resource = "deployments/finalizers", .verbs = {"update"}},
        {.resource = "nodes", .verbs = {"list", "watch"}},
        {.resource = "secrets", .verbs = {"list", "watch"}},
        {.resource = "events", .verbs = {"create"}}};
    CHECK(used.unused(declared) == std::vector<std::string>{"get pods", "list nodes", "update pods", "watch pods"});
}

TEST_CASE("proof: lists that a cache may answer are those of its version", "[proof][core]")
{
    CHECK(stale_list("/api/v1/pods?limit=5&resourceVersion=0", 7) ==
          "/api/v1/pods?resourceVersion=7&resourceVersionMatch=Exact");
    CHECK(!stale_list("/api/v1/pods", 7));
    CHECK(!stale_list("/api/v1/pods?resourceVersion=0", 0));
    CHECK(is_refused_watch("/api/v1/pods?watch=1&resourceVersion=7", 7));
    CHECK(!is_refused_watch("/api/v1/pods?watch=1&resourceVersion=8", 7));
}

TEST_CASE("proof: each property of a spec is changed within its schema, and back", "[proof][core]")
{
    const auto schema = boost::json::parse(R"({"properties":{"spec":{"required":["text"],"properties":{
        "text":{"type":"string","maxLength":2},"full":{"type":"string","maxLength":1},"mode":{"enum":["a","b"]},
        "n":{"type":"integer","minimum":0,"maximum":3},"on":{"type":"boolean"},"at":{"type":"string","format":"date-time"},
        "labels":{"type":"object","additionalProperties":{"type":"string"}},"items":{"items":{"type":"string"}},
        "inner":{"properties":{"m":{"type":"integer","maximum":7}}}}}}})");
    const auto object =
        boost::json::parse(R"({"spec":{"text":"x","full":"y","mode":"a","n":3,"items":["i"],"inner":{"m":7}}})");
    std::vector<std::string> seen;
    for (const auto& e : edits_of(schema, object)) seen.push_back(e.patch + " " + e.back);
    using texts = std::vector<std::string>;
    CHECK(seen == texts{R"({"spec":{"text":"xx"}} {"spec":{"text":"x"}})",
                        R"({"spec":{"full":null}} {"spec":{"full":"y"}})",
                        R"({"spec":{"mode":"b"}} {"spec":{"mode":"a"}})",
                        R"({"spec":{"mode":null}} {"spec":{"mode":"a"}})", R"({"spec":{"n":2}} {"spec":{"n":3}})",
                        R"({"spec":{"n":null}} {"spec":{"n":3}})", R"({"spec":{"on":true}} {"spec":{"on":null}})",
                        R"({"spec":{"labels":{"added":"x"}}} {"spec":{"labels":{"added":null}}})",
                        R"({"spec":{"items":["i","x"]}} {"spec":{"items":["i"]}})",
                        R"({"spec":{"items":null}} {"spec":{"items":["i"]}})",
                        R"({"spec":{"inner":null}} {"spec":{"inner":{"m":7}}})",
                        R"({"spec":{"inner":{"m":6}}} {"spec":{"inner":{"m":7}}})",
                        R"({"spec":{"inner":{"m":null}}} {"spec":{"inner":{"m":7}}})"});
}

TEST_CASE("proof: another value is given to plain fields that were sent", "[proof][core]")
{
    const auto sent = boost::json::parse(
        R"({"kind":"Secret","metadata":{"labels":{"l":"1"}},"data":{"a":"MQ=="},"spec":{"n":1,"list":[1]}})");
    CHECK(other_value(sent, 0) == R"({"data":{"a":"b3RoZXI="}})");
    CHECK(other_value(sent, 1) == R"({"spec":{"n":2}})");
    CHECK(other_value(sent, 2) == R"({"data":{"a":"b3RoZXI="}})");
    CHECK(!other_value(boost::json::value(), 0));
}
