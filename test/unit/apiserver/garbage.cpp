// Tests of the garbage collector: owners that are gone, propagation policies, circles, and bounded steps.
#include "owners.hpp"
#include "support.hpp"

#include <kubecoro/base/detail/random.hpp>

#include <map>
#include <set>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string maps = "/api/v1/namespaces/default/configmaps";
const std::string nodes = "/api/v1/nodes";

/// Lets the collector finish.
void settle(server& s)
{
    for (int calls = 0; calls < 10'000; ++calls) {
        const auto next = s.state.tick(s.now);
        if (!next || *next > s.now) return;
    }
    FAIL("the collector does not finish");
}

std::string text(const json::value& v, std::string_view pointer)
{
    return std::string(v.at_pointer(json::string_view(pointer.data(), pointer.size())).as_string());
}

/// Creates an object. @return its uid.
std::string make(server& s, const std::string& name, const std::vector<reference>& owners = {},
                 const std::string& more = {}, const std::string& at = maps)
{
    const std::string body =
        R"({"metadata":{"name":")" + name + R"(","ownerReferences":)" + owners_text(owners) + more + "}}";
    return text(s.expect(201, "POST", at, body), "/metadata/uid");
}

/// A child that blocks the foreground deletion of its owner.
std::string make_child(server& s, const std::string& name, const std::string& owner, const std::string& owner_uid)
{
    return make(s, name, {{owner, owner_uid, true}});
}

void remove(server& s, const std::string& name, const std::string& policy = "Background", const std::string& at = maps)
{
    s.expect(200, "DELETE", at + "/" + name, R"({"propagationPolicy":")" + policy + R"("})");
}

bool exists(server& s, const std::string& name, const std::string& at = maps)
{
    return s.ask("GET", at + "/" + name).status == 200;
}

std::string finalizers(server& s, const std::string& name)
{
    const auto object = s.expect(200, "GET", maps + "/" + name);
    const auto* list = object.at("metadata").as_object().if_contains("finalizers");
    return list ? json::serialize(*list) : "";
}

std::string uids_of_owners(server& s, const std::string& name)
{
    const auto object = s.expect(200, "GET", maps + "/" + name);
    std::string out;
    if (const auto* list = object.at("metadata").as_object().if_contains("ownerReferences"))
        for (const auto& each : list->as_array()) out += text(each, "/uid") + " ";
    return out;
}

} // namespace

TEST_CASE("garbage: what belongs to a deleted object goes too, down to the last", "[apiserver][garbage]")
{
    server s;
    const auto a = make(s, "a");
    const auto b = make_child(s, "b", "a", a);
    make_child(s, "c", "b", b);
    make(s, "other");
    settle(s);
    CHECK(exists(s, "c"));
    remove(s, "a");
    CHECK_FALSE(exists(s, "a"));
    CHECK(exists(s, "b")); // later, in steps
    settle(s);
    CHECK_FALSE(exists(s, "b"));
    CHECK_FALSE(exists(s, "c"));
    CHECK(exists(s, "other"));
}

TEST_CASE("garbage: an object whose owner does not exist is deleted", "[apiserver][garbage]")
{
    server s;
    const auto a = make(s, "a");
    s.add_namespace("web");
    make(s, "never", {{"none", "u1"}});
    make(s, "other-uid", {{"a", "u2"}});
    const std::string web = "/api/v1/namespaces/web/configmaps";
    make(s, "elsewhere", {{"a", a}}, {}, web);
    make(s, "good", {{"a", a}});
    settle(s);
    CHECK_FALSE(exists(s, "never"));
    CHECK_FALSE(exists(s, "other-uid"));
    CHECK_FALSE(exists(s, "elsewhere", web));
    CHECK(exists(s, "good"));
    // An owner that is created again under its name is another one.
    remove(s, "a");
    make(s, "a");
    settle(s);
    CHECK_FALSE(exists(s, "good"));
}

TEST_CASE("garbage: an update that names an absent owner is examined", "[apiserver][garbage]")
{
    server s;
    make(s, "a");
    settle(s);
    s.patch(maps + "/a", R"({"metadata":{"ownerReferences":)" + owners_text({{"none", "u1"}}) + "}}");
    settle(s);
    CHECK_FALSE(exists(s, "a"));
}

TEST_CASE("garbage: an object with several owners loses those that are gone and goes with the last",
          "[apiserver][garbage]")
{
    server s;
    const auto a = make(s, "a");
    const auto b = make(s, "b");
    make(s, "child", {{"a", a}, {"b", b}});
    settle(s);
    remove(s, "a");
    settle(s);
    CHECK(uids_of_owners(s, "child") == b + " ");
    remove(s, "b");
    settle(s);
    CHECK_FALSE(exists(s, "child"));
    // The same with an owner that waits for its dependents.
    const auto c = make(s, "c");
    const auto d = make(s, "d");
    make(s, "held", {{"c", c, true}, {"d", d, true}});
    settle(s);
    remove(s, "c", "Foreground");
    settle(s);
    CHECK_FALSE(exists(s, "c"));
    CHECK(uids_of_owners(s, "held") == d + " ");
}

TEST_CASE("garbage: cluster-scoped owners have dependents everywhere, and cannot depend on a namespace",
          "[apiserver][garbage]")
{
    server s;
    const auto n = make(s, "n", {}, {}, nodes);
    make(s, "on-n", {{"n", n, false, "Node"}});
    const auto a = make(s, "a");
    make(s, "m", {{"a", a}}, {}, nodes);
    make(s, "absent", {{"none", "u1"}}, {}, nodes);
    settle(s);
    CHECK(exists(s, "on-n"));
    CHECK(exists(s, "absent", nodes));
    remove(s, "n", "Background", nodes);
    remove(s, "a");
    settle(s);
    CHECK_FALSE(exists(s, "on-n"));
    CHECK(exists(s, "m", nodes)); // its owner could never be found
}

TEST_CASE("garbage: owners of an unknown kind are left alone, those of a removed kind are gone", "[apiserver][garbage]")
{
    server s;
    make(s, "child", {{"x", "u1", false, "Gizmo", "example.com/v1"}});
    const std::string crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    s.expect(201, "POST", crds,
             R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":)"
             R"({"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,"schema":)"
             R"({"openAPIV3Schema":{"type":"object"}}}]}})");
    const auto w = text(s.expect(201, "POST", "/apis/example.com/v1/namespaces/default/widgets",
                                 R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"}})"),
                        "/metadata/uid");
    // Another version of the owner's group names it as well.
    make(s, "of-widget", {{"w", w, false, "Widget", "example.com/v2"}});
    settle(s);
    CHECK(exists(s, "child"));
    CHECK(exists(s, "of-widget"));
    s.expect(200, "DELETE", crds + "/widgets.example.com");
    settle(s);
    CHECK_FALSE(exists(s, "of-widget"));
    CHECK(exists(s, "child"));
}

TEST_CASE("garbage: a foreground deletion waits for the dependents that block it", "[apiserver][garbage]")
{
    server s;
    const auto a = make(s, "a");
    make(s, "blocks", {{"a", a, true}}, R"(,"finalizers":["example.com/hold"])");
    make(s, "free", {{"a", a}}, R"(,"finalizers":["example.com/hold"])");
    settle(s);
    remove(s, "a", "Foreground");
    CHECK(finalizers(s, "a") == R"(["foregroundDeletion"])");
    settle(s);
    CHECK(exists(s, "a"));
    for (const std::string child : {"blocks", "free"})
        CHECK(s.expect(200, "GET", maps + "/" + child).at("metadata").as_object().contains("deletionTimestamp"));
    s.patch(maps + "/blocks", R"({"metadata":{"finalizers":null}})");
    settle(s);
    CHECK_FALSE(exists(s, "a"));
    CHECK(exists(s, "free"));
}

TEST_CASE("garbage: a dependent that no longer blocks lets its owner go", "[apiserver][garbage]")
{
    server s;
    const auto a = make(s, "a");
    make(s, "b", {{"a", a, true}}, R"(,"finalizers":["example.com/hold"])");
    remove(s, "a", "Foreground");
    settle(s);
    REQUIRE(exists(s, "a"));
    s.patch(maps + "/b", R"({"metadata":{"ownerReferences":)" + owners_text({{"a", a, false}}) + "}}");
    settle(s);
    CHECK_FALSE(exists(s, "a"));
}

TEST_CASE("garbage: a foreground deletion goes down, from the leaves to the root", "[apiserver][garbage]")
{
    server s;
    const auto a = make(s, "a");
    const auto b = make_child(s, "b", "a", a);
    make(s, "c", {{"b", b, true}}, R"(,"finalizers":["example.com/hold"])");
    settle(s);
    remove(s, "a", "Foreground");
    settle(s);
    CHECK(finalizers(s, "a") == R"(["foregroundDeletion"])");
    CHECK(finalizers(s, "b") == R"(["foregroundDeletion"])");
    auto w = s.watch(maps + "?watch=1&resourceVersion=" + std::to_string(s.state.resource_version()));
    s.patch(maps + "/c", R"({"metadata":{"finalizers":null}})");
    settle(s);
    std::string order;
    for (const auto& line : lines(w->next(s.now)))
        if (brief(line).starts_with("DELETED")) order += brief(line).substr(8, 1);
    CHECK(order == "cba");
}

TEST_CASE("garbage: a circle of owners can be deleted, whatever the policy", "[apiserver][garbage]")
{
    for (const std::string policy : {"Background", "Foreground", "Orphan"}) {
        CAPTURE(policy);
        server s;
        const auto a = make(s, "a");
        const auto b = make_child(s, "b", "a", a);
        const auto c = make_child(s, "c", "b", b);
        s.patch(maps + "/a", R"({"metadata":{"ownerReferences":)" + owners_text({{"c", c, true}}) + "}}");
        settle(s);
        CHECK(exists(s, "a"));
        remove(s, "a", policy);
        settle(s);
        CHECK_FALSE(exists(s, "a"));
        CHECK(exists(s, "b") == (policy == "Orphan"));
        CHECK(exists(s, "c") == (policy == "Orphan"));
    }
}

TEST_CASE("garbage: circles end as well if every member was deleted in the foreground, but chains keep their order",
          "[apiserver][garbage]")
{
    server s;
    const auto a = make(s, "a");
    const auto b = make_child(s, "b", "a", a);
    s.patch(maps + "/a", R"({"metadata":{"ownerReferences":)" + owners_text({{"b", b, true}}) + "}}");
    settle(s);
    remove(s, "b", "Foreground");
    remove(s, "a", "Foreground");
    settle(s);
    CHECK(s.state.objects("configmaps").empty());
    const auto own = make(s, "own");
    s.patch(maps + "/own", R"({"metadata":{"ownerReferences":)" + owners_text({{"own", own, true}}) + "}}");
    remove(s, "own", "Foreground");
    settle(s);
    CHECK_FALSE(exists(s, "own"));

    const auto top = make(s, "top");
    const auto middle = make_child(s, "middle", "top", top);
    make(s, "leaf", {{"middle", middle, true}}, R"(,"finalizers":["example.com/hold"])");
    remove(s, "middle", "Foreground");
    remove(s, "top", "Foreground");
    settle(s);
    CHECK(exists(s, "top"));
    CHECK(exists(s, "middle"));
}

TEST_CASE("garbage: orphans lose their owner and stay", "[apiserver][garbage]")
{
    server s;
    const auto a = make(s, "a");
    const auto b = make(s, "b");
    make(s, "one", {{"a", a, true}});
    make(s, "two", {{"a", a, true}, {"b", b}});
    settle(s);
    remove(s, "a", "Orphan");
    CHECK(finalizers(s, "a") == R"(["orphan"])");
    settle(s);
    CHECK_FALSE(exists(s, "a"));
    CHECK(uids_of_owners(s, "one").empty());
    CHECK(uids_of_owners(s, "two") == b + " ");
}

TEST_CASE("garbage: a policy that is stated later replaces the first", "[apiserver][garbage]")
{
    server s;
    const auto a = make(s, "a");
    make(s, "b", {{"a", a, true}}, R"(,"finalizers":["example.com/hold"])");
    remove(s, "a", "Foreground");
    settle(s);
    REQUIRE(exists(s, "a"));
    remove(s, "a");
    CHECK_FALSE(exists(s, "a"));
    // Without a policy that of the object's finalizers counts.
    make(s, "c", {}, R"(,"finalizers":["orphan"])");
    s.expect(200, "DELETE", maps + "/c");
    CHECK(finalizers(s, "c") == R"(["orphan"])");
    settle(s);
    CHECK_FALSE(exists(s, "c"));
    make(s, "d", {}, R"(,"finalizers":["orphan","example.com/hold"])");
    remove(s, "d");
    CHECK(finalizers(s, "d") == R"(["example.com/hold"])");
}

TEST_CASE("garbage: a job without a policy leaves its pods, as in Kubernetes", "[apiserver][garbage]")
{
    server s;
    const std::string jobs = "/apis/batch/v1/namespaces/default/jobs";
    const std::string pods = "/api/v1/namespaces/default/pods";
    const std::string spec = R"("spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]})";
    const auto job =
        text(s.expect(201, "POST", jobs, R"({"metadata":{"name":"j"},"spec":{"template":{)" + spec + "}}}"),
             "/metadata/uid");
    s.expect(201, "POST", pods,
             R"({"metadata":{"name":"p","ownerReferences":)" + owners_text({{"j", job, true, "Job", "batch/v1"}}) +
                 "}," + spec + "}");
    s.expect(200, "DELETE", jobs + "/j");
    settle(s);
    CHECK_FALSE(exists(s, "j", jobs));
    CHECK_FALSE(s.expect(200, "GET", pods + "/p").at("metadata").as_object().contains("ownerReferences"));
}

TEST_CASE("garbage: an owner in the foreground waits for pods that terminate", "[apiserver][garbage]")
{
    server s;
    const auto a = make(s, "a");
    const std::string pods = "/api/v1/namespaces/default/pods";
    s.expect(201, "POST", pods,
             R"({"metadata":{"name":"p","ownerReferences":)" + owners_text({{"a", a, true}}) +
                 R"(},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})");
    settle(s);
    remove(s, "a", "Foreground");
    settle(s);
    CHECK(exists(s, "a"));
    CHECK(s.expect(200, "GET", pods + "/p").at_pointer("/metadata/deletionGracePeriodSeconds") == 30);
    s.now += std::chrono::seconds{1};
    settle(s);
    CHECK_FALSE(exists(s, "p", pods));
    CHECK_FALSE(exists(s, "a"));
    // A pod can be deleted in the foreground itself: it ends after its grace period.
    s.expect(201, "POST", pods,
             R"({"metadata":{"name":"q"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})");
    remove(s, "q", "Foreground", pods);
    settle(s);
    CHECK(exists(s, "q", pods));
    s.now += std::chrono::seconds{1};
    settle(s);
    CHECK_FALSE(exists(s, "q", pods));
}

TEST_CASE("garbage: many dependents are deleted in bounded steps", "[apiserver][garbage]")
{
    for (const std::string policy : {"Background", "Foreground", "Orphan"}) {
        CAPTURE(policy);
        server s;
        const auto a = make(s, "a");
        for (int i = 0; i < 1000; ++i) make_child(s, "c" + std::to_string(i), "a", a);
        settle(s);
        auto version = s.state.resource_version();
        remove(s, "a", policy);
        CHECK(s.state.resource_version() == version + 1);
        int ticks = 0;
        for (bool more = true; more; ++ticks) {
            version = s.state.resource_version();
            const auto next = s.state.tick(s.now);
            more = next.has_value();
            CHECK(s.state.resource_version() - version <= 250);
        }
        CHECK(ticks >= 5);
        CHECK(s.state.objects("configmaps").size() == (policy == "Orphan" ? 1000 : 0));
    }
}

TEST_CASE("garbage: without the collector owners wait for ever, as with a kube-apiserver alone", "[apiserver][garbage]")
{
    server s{{.garbage_collection = false}};
    const auto a = make(s, "a");
    make_child(s, "b", "a", a);
    make(s, "c", {{"none", "u1"}});
    remove(s, "a", "Foreground");
    settle(s);
    CHECK(finalizers(s, "a") == R"(["foregroundDeletion"])");
    CHECK(exists(s, "c"));
}

TEST_CASE("garbage: a restored state is examined", "[apiserver][garbage]")
{
    server before;
    const auto a = make(before, "a");
    const auto b = make_child(before, "b", "a", a);
    make_child(before, "c", "b", b);
    const auto d = make(before, "d");
    make_child(before, "e", "d", d);
    settle(before);
    remove(before, "a");
    remove(before, "d", "Foreground");
    server s;
    make(s, "old");
    REQUIRE(s.state.restore(before.state.dump(), s.now));
    settle(s);
    CHECK(s.state.objects("configmaps").empty());
}

namespace {

/// Random objects, owners and deletions; then everything that should be gone is gone, and nothing else.
void run_history(std::uint64_t seed)
{
    CAPTURE(seed);
    detail::random_source random(seed);
    server s;
    std::map<std::string, std::string> uids;
    const auto pick = [&]() -> std::string {
        auto it = uids.begin();
        std::advance(it, static_cast<std::ptrdiff_t>(random() % uids.size()));
        return it->first;
    };
    const auto references = [&] {
        std::vector<reference> out;
        for (auto n = random() % 3; n > 0 && !uids.empty(); --n) {
            const auto name = pick();
            out.push_back({name, uids[name], random() % 2 == 0});
        }
        return out;
    };
    for (int step = 0; step < 60; ++step) {
        const auto what = random() % 10;
        if (what < 5 || uids.empty()) {
            const std::string name = "o" + std::to_string(step);
            uids[name] = make(s, name, references());
        } else if (what < 7) {
            (void)s.ask("PATCH", maps + "/" + pick(),
                        R"({"metadata":{"ownerReferences":)" + owners_text(references()) + "}}",
                        {{"Content-Type", std::string(merge_type)}});
        } else if (what < 9) {
            static const std::string policies[]{"Background", "Foreground", "Orphan"};
            (void)s.ask("DELETE", maps + "/" + pick(), R"({"propagationPolicy":")" + policies[random() % 3] + R"("})");
        } else {
            (void)s.state.tick(s.now);
        }
    }
    settle(s);
    std::map<std::string, std::string> left; // uids by name
    const auto all = s.expect(200, "GET", maps);
    for (const auto& each : all.at("items").as_array())
        left[text(each, "/metadata/name")] = text(each, "/metadata/uid");
    for (const auto& each : all.at("items").as_array()) {
        const auto& metadata = each.at("metadata").as_object();
        CAPTURE(json::serialize(metadata));
        CHECK_FALSE(metadata.contains("deletionTimestamp"));
        const auto* owners = metadata.if_contains("ownerReferences");
        if (!owners) continue;
        bool solid = false;
        for (const auto& owner : owners->as_array()) {
            const auto found = left.find(text(owner, "/name"));
            solid = solid || (found != left.end() && found->second == text(owner, "/uid"));
        }
        CHECK(solid);
    }
}

} // namespace

TEST_CASE("garbage: random histories leave neither orphans with owners nor owners that wait", "[apiserver][garbage]")
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) run_history(seed);
}
