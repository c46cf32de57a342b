// Tests of deletions of namespaces and definitions with many objects, which take several steps.
#include "support.hpp"

#include "state/resource_store.hpp"

#include <kubecoro/test/allocations.hpp>

#include <new>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const std::string widgets = "/apis/example.com/v1/namespaces/default/widgets";

struct crowded : server
{
    /// Creates objects without requests, which would take longer.
    void fill(const std::string& resource, const std::string& version, const std::string& ns, int count)
    {
        for (int i = 0; i < count; ++i)
            REQUIRE(state
                        .create({state.find(resource), version, ns},
                                json::value{{"metadata", {{"name", "o" + std::to_string(i)}}}}, {}, now)
                        .has_value());
    }
    void define()
    {
        expect(
            201, "POST", definitions,
            R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":)"
            R"({"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,"schema":)"
            R"({"openAPIV3Schema":{"type":"object"}}}]}})");
    }
    /// @return the number of calls until nothing is left to do.
    int settle()
    {
        int calls = 0;
        while (state.tick(now)) ++calls;
        return calls;
    }
    std::size_t count(const std::string& resource) { return state.objects(resource).size(); }
};

} // namespace

TEST_CASE("namespaces: one with many objects is emptied in steps", "[apiserver][namespaces]")
{
    crowded s;
    s.add_namespace("full");
    s.fill("configmaps", "v1", "full", 2'000);
    s.fill("secrets", "v1", "full", 100);
    s.fill("secrets", "v1", "default", 1);
    s.expect(201, "POST", "/api/v1/namespaces/full/secrets",
             R"({"metadata":{"name":"held","finalizers":["example.com/hold"]}})");
    s.expect(200, "DELETE", "/api/v1/namespaces/full");
    CHECK(s.count("configmaps") == 1'000);
    s.expect(403, "POST", "/api/v1/namespaces/full/configmaps", R"({"metadata":{"name":"late"}})");
    REQUIRE(s.state.tick(s.now));
    CHECK(s.count("configmaps") == 800);

    SECTION("until it goes with its last object")
    {
        CHECK(s.settle() >= 4);
        CHECK(s.count("configmaps") == 0);
        CHECK(s.count("secrets") == 2);
        CHECK(s.expect(200, "GET", "/api/v1/namespaces/full").at_pointer("/status/phase") == "Terminating");
        s.patch("/api/v1/namespaces/full/secrets/held", R"({"metadata":{"finalizers":null}})");
        s.expect(404, "GET", "/api/v1/namespaces/full");
        CHECK(s.count("secrets") == 1);
    }
    SECTION("in a restored state too")
    {
        const auto saved = s.state.dump();
        REQUIRE(s.state.restore(saved, s.now));
        s.settle();
        CHECK(s.count("configmaps") == 0);
        CHECK(s.count("secrets") == 2);
    }
}

TEST_CASE("crd: a definition with many objects goes in steps, and none are created meanwhile", "[apiserver][crd]")
{
    crowded s;
    s.define();
    s.fill("widgets.example.com", "v1", "default", 1'500);
    s.expect(200, "DELETE", definitions + "/widgets.example.com");
    CHECK(s.count("widgets.example.com") == 500);
    const std::string widget = R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"}})";
    const auto refused = s.expect(403, "POST", widgets, widget);
    CHECK(refused.at("message") == R"(widgets.example.com "a" is forbidden: create not allowed while custom resource )"
                                   "definition is terminating");

    SECTION("until it is gone")
    {
        s.settle();
        s.expect(404, "GET", definitions + "/widgets.example.com");
        CHECK(s.get(widgets).status == 404);
        s.define();
        s.expect(201, "POST", widgets, widget);
    }
    SECTION("in a restored state too")
    {
        const auto saved = s.state.dump();
        REQUIRE(s.state.restore(saved, s.now));
        s.settle();
        s.expect(404, "GET", definitions + "/widgets.example.com");
    }
}

TEST_CASE("garbage: large objects are examined in smaller steps", "[apiserver][garbage]")
{
    crowded s;
    const auto owner =
        s.expect(201, "POST", "/api/v1/namespaces/default/configmaps", R"({"metadata":{"name":"owner"}})");
    const json::array owners{
        {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", "owner"}, {"uid", owner.at_pointer("/metadata/uid")}}};
    for (int i = 0; i < 20; ++i)
        REQUIRE(s.state
                    .create({s.state.find("secrets"), "v1", "default"},
                            json::value{{"metadata",
                                         {{"name", "o" + std::to_string(i)},
                                          {"ownerReferences", owners},
                                          {"annotations", {{"a", std::string(200'000, 'x')}}}}}},
                            {}, s.now)
                    .has_value());
    s.settle();
    s.expect(200, "DELETE", "/api/v1/namespaces/default/configmaps/owner");
    REQUIRE(s.state.tick(s.now));
    CHECK(s.count("secrets") > 10);
    CHECK(s.count("secrets") < 20);
    s.settle();
    CHECK(s.count("secrets") == 0);
}

TEST_CASE("namespaces: a deletion goes on after any of its steps has run out of memory", "[apiserver][namespaces]")
{
    crowded s;
    const auto namespaces = s.state.find("namespaces");
    bool ran_out = true;
    for (std::uint64_t nth = 1; ran_out; ++nth) {
        REQUIRE(nth < 10'000);
        const std::string name = "n" + std::to_string(nth);
        s.add_namespace(name);
        ran_out = false;
        fail_allocation(nth);
        try {
            (void)s.state.remove({namespaces, "v1", {}, name}, {}, s.now);
        } catch (const std::bad_alloc&) {
            ran_out = true;
        }
        fail_allocation(0);
        s.settle();
        INFO(nth);
        const auto left = namespaces->find(apiserver::storage_key("", name));
        CHECK((!left || !left->deleting));
    }
}
