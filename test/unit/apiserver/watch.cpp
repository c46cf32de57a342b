// Tests of watches: contents and order of events, bookmarks, and the end.
#include "state/resource_store.hpp"
#include "support.hpp"

using namespace kubecoro;
using namespace kubecoro::test;
using strings = std::vector<std::string>;

namespace {

const std::string maps = "/api/v1/namespaces/default/configmaps";

std::string version(const server& s) { return std::to_string(s.state.resource_version()); }

void relabel(server& s, const std::string& name, const std::string& label)
{
    s.patch(maps + "/" + name, R"({"metadata":{"labels":{"app":")" + label + R"("}}})");
}

} // namespace

TEST_CASE("watch: events after a version are replayed, then live events follow", "[apiserver][watch]")
{
    server s; // The four initial namespaces take versions 1 to 4.
    s.add_config_map("default", "a");
    const auto from = version(s);
    s.patch(maps + "/a", R"({"data":{"x":"1"}})");
    s.add_config_map("default", "b");
    s.add_config_map("kube-system", "elsewhere");
    auto watch = s.watch(maps + "?watch=1&resourceVersion=" + from);
    CHECK(watch->resource() == "configmaps");
    CHECK(brief(lines(watch->next(s.now))) == strings{"MODIFIED a@6", "ADDED b@7"});
    CHECK(watch->next(s.now).lines.empty());
    s.expect(200, "DELETE", maps + "/a");
    CHECK(brief(lines(watch->next(s.now))) == strings{"DELETED a@9"});
}

TEST_CASE("watch: without a version the objects come first, in key order, and a bookmark ends them",
          "[apiserver][watch]")
{
    server s;
    for (const auto* name : {"b", "a", "a-b", "a.b", "a0", "aa"}) s.add_config_map("default", name);
    const strings ordered{"ADDED a@6", "ADDED a-b@7", "ADDED a.b@8", "ADDED a0@9", "ADDED aa@10", "ADDED b@5"};
    auto plain = s.watch(maps + "?watch=1");
    CHECK(brief(lines(plain->next(s.now))) == ordered);
    auto streamed = s.watch(maps + "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
                                   "allowWatchBookmarks=true");
    s.add_config_map("default", "later");
    auto got = lines(streamed->next(s.now));
    REQUIRE(got.size() == 8);
    CHECK(got[6] == R"({"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":)"
                    R"({"resourceVersion":"10","annotations":{"k8s.io/initial-events-end":"true"}}}})");
    CHECK(brief(got[7]) == "ADDED later@11");
    auto quiet = s.watch(maps + "?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan");
    CHECK(quiet->next(s.now).lines.empty());
}

TEST_CASE("watch: an empty collection streams only its bookmark", "[apiserver][watch]")
{
    server s;
    auto watch = s.watch(maps + "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
                                "allowWatchBookmarks=true");
    CHECK(brief(lines(watch->next(s.now))) == strings{"BOOKMARK @4"});
}

TEST_CASE("watch: leaving the selection is a deletion with the last matching state and the version of the change",
          "[apiserver][watch]")
{
    server s;
    s.add_config_map("default", "a", R"("labels":{"app":"web"})");
    s.add_config_map("default", "b", R"("labels":{"app":"db"})");
    auto watch = s.watch(maps + "?watch=1&labelSelector=app%3Dweb&resourceVersion=" + version(s));
    relabel(s, "b", "cache");
    relabel(s, "a", "db");
    relabel(s, "a", "other");
    relabel(s, "a", "web");
    s.expect(200, "DELETE", maps + "/b");
    const auto got = lines(watch->next(s.now));
    CHECK(brief(got) == strings{"DELETED a@8", "ADDED a@10"});
    CHECK(got[0].find(R"("labels":{"app":"web"})") != std::string::npos);
}

TEST_CASE("watch: leaving a field selection is a deletion", "[apiserver][watch]")
{
    server s;
    const std::string pods = "/api/v1/namespaces/default/pods";
    s.expect(201, "POST", pods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
    auto pending = s.watch(pods + "?watch=1&fieldSelector=status.phase%3DPending&resourceVersion=" + version(s));
    auto named = s.watch(pods + "?watch=1&fieldSelector=metadata.name%3Dother&resourceVersion=" + version(s));
    s.patch(pods + "/p/status", R"({"status":{"phase":"Running"}})");
    const auto got = lines(pending->next(s.now));
    CHECK(brief(got) == strings{"DELETED p@6"});
    CHECK(got[0].find(R"("phase":"Pending")") != std::string::npos);
    CHECK(named->next(s.now).lines.empty());
}

TEST_CASE("watch: a version that is too old gets one error event, then the end", "[apiserver][watch]")
{
    server s({.history = 3});
    for (int i = 0; i < 5; ++i) s.add_config_map("default", "m" + std::to_string(i));
    auto old = s.watch(maps + "?watch=1&resourceVersion=5");
    const auto out = old->next(s.now);
    CHECK(out.ended);
    CHECK(lines(out) ==
          strings{R"x({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)x"
                  R"x("message":"too old resource version: 5 (6)","reason":"Expired","code":410}})x"});
    CHECK(old->next(s.now).ended);
    CHECK(brief(lines(s.watch(maps + "?watch=1&resourceVersion=6")->next(s.now))).size() == 3);
}

TEST_CASE("watch: compaction expires old versions, open watches continue", "[apiserver][watch]")
{
    server s;
    s.add_config_map("default", "a");
    const auto before = version(s);
    auto open = s.watch(maps + "?watch=1&resourceVersion=" + before);
    s.add_config_map("default", "b");
    CHECK(open->next(s.now).lines.size() == 1);
    s.state.compact();
    CHECK(brief(lines(s.watch(maps + "?watch=1&resourceVersion=" + before)->next(s.now))) == strings{"ERROR 410"});
    CHECK(s.watch(maps + "?watch=1&resourceVersion=" + version(s))->next(s.now).lines.empty());
    s.add_config_map("default", "c");
    CHECK(brief(lines(open->next(s.now))) == strings{"ADDED c@7"});
}

TEST_CASE("watch: a watch that falls behind the history ends cleanly", "[apiserver][watch]")
{
    server s({.history = 2});
    auto slow = s.watch(maps + "?watch=1&resourceVersion=" + version(s));
    for (int i = 0; i < 5; ++i) s.add_config_map("default", "m" + std::to_string(i));
    const auto out = slow->next(s.now);
    CHECK(out.ended);
    CHECK(out.lines.empty());
}

TEST_CASE("watch: a version in the future waits for later events", "[apiserver][watch]")
{
    server s;
    auto ahead = s.watch(maps + "?watch=1&resourceVersion=6");
    auto streamed =
        s.watch(maps + "?watch=1&resourceVersion=60&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
    for (const auto* name : {"a", "b", "c"}) s.add_config_map("default", name);
    CHECK(brief(lines(ahead->next(s.now))) == strings{"ADDED c@7"});
    CHECK(streamed->next(s.now).lines.empty());
    REQUIRE(streamed->wake_at());
    s.now = *streamed->wake_at();
    const auto out = streamed->next(s.now);
    CHECK(out.ended);
    CHECK(brief(lines(out)) == strings{"ERROR 504"});
}

TEST_CASE("watch: ends on time, with a bookmark shortly before", "[apiserver][watch]")
{
    server s;
    auto watch = s.watch(maps + "?watch=1&allowWatchBookmarks=true&timeoutSeconds=100&resourceVersion=" + version(s));
    const auto start = s.now;
    s.add_namespace("moves-the-version");
    REQUIRE(watch->wake_at() == start + std::chrono::seconds{60});
    CHECK(brief(lines(watch->next(start + std::chrono::seconds{60}))) == strings{"BOOKMARK @5"});
    REQUIRE(watch->wake_at() == start + std::chrono::seconds{98});
    CHECK(watch->next(start + std::chrono::seconds{98}).lines.empty()); // no change since the last bookmark
    REQUIRE(watch->wake_at() == start + std::chrono::seconds{100});
    const auto out = watch->next(start + std::chrono::seconds{100});
    CHECK(out.ended);
    CHECK(out.lines.empty());
    CHECK_FALSE(watch->wake_at());
}

TEST_CASE("watch: without bookmarks only the end is timed", "[apiserver][watch]")
{
    server s;
    auto watch = s.watch(maps + "?watch=1");
    REQUIRE(watch->wake_at());
    CHECK(*watch->wake_at() >= s.now + std::chrono::minutes{30});
    CHECK(*watch->wake_at() <= s.now + std::chrono::hours{1});
    s.add_namespace("x");
    CHECK(watch->next(s.now + std::chrono::minutes{29}).lines.empty());
}

TEST_CASE("watch: the text of an event is rendered once for all watchers", "[apiserver][watch]")
{
    server s;
    auto one = s.watch(maps + "?watch=1&resourceVersion=" + version(s));
    auto two = s.watch("/api/v1/configmaps?watch=1&resourceVersion=" + version(s));
    s.add_config_map("default", "a");
    const auto a = one->next(s.now), b = two->next(s.now);
    REQUIRE(a.lines.size() == 1);
    REQUIRE(b.lines.size() == 1);
    CHECK(a.lines[0] == b.lines[0]);
}

TEST_CASE("watch: output is bounded and reports when there is more", "[apiserver][watch]")
{
    server s;
    for (int i = 0; i < 4; ++i) s.add_config_map("default", "m" + std::to_string(i));
    auto watch = s.watch(maps + "?watch=1&allowWatchBookmarks=true");
    for (int i = 0; i < 4; ++i) {
        const auto out = watch->next(s.now, 1);
        CHECK(out.lines.size() == (i == 3 ? 2u : 1u));
        CHECK(out.more == (i < 3));
    }
    CHECK(watch->next(s.now).lines.empty());
}

TEST_CASE("watch: outlives the state it was opened on", "[apiserver][watch]")
{
    std::unique_ptr<apiserver::watch_body> watch;
    wall_time now;
    {
        server s;
        s.add_config_map("default", "a");
        watch = s.watch(maps + "?watch=1&allowWatchBookmarks=true");
        now = s.now;
    }
    CHECK(watch->next(now).lines.size() == 2);
    CHECK(watch->next(now + std::chrono::hours{2}).ended);
}

TEST_CASE("watch: metadata only and tables", "[apiserver][watch]")
{
    server s;
    s.add_config_map("default", "a");
    const auto open = [&](const std::string& accept) {
        auto r = s.ask("GET", maps + "?watch=1&allowWatchBookmarks=true", {}, {{"Accept", accept}});
        REQUIRE(r.watch);
        return lines(r.watch->next(s.now));
    };
    const auto partial = open("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io");
    REQUIRE(partial.size() == 2);
    CHECK(partial[0].starts_with(
        R"({"type":"ADDED","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1")"));
    CHECK(partial[0].find("\"data\"") == std::string::npos);
    const auto table = open("application/json;as=Table;v=v1;g=meta.k8s.io");
    REQUIRE(table.size() == 2);
    CHECK(table[0].find(R"("columnDefinitions":[{"name":"Name")") != std::string::npos);
    CHECK(table[0].find(R"("cells":["a",1,"0s"])") != std::string::npos);
    CHECK(table[1].find(R"("columnDefinitions":null,"rows":[{"cells":["",0,"\u003cunknown\u003e"])") !=
          std::string::npos);
}

TEST_CASE("watch: an event in a form of its own is rendered once for all its watchers", "[apiserver][watch]")
{
    server s;
    s.add_config_map("default", "a", R"("labels":{"app":"web"})");
    const std::string table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const std::string partial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
    const std::string since = maps + "?watch=1&resourceVersion=" + version(s);
    const auto open = [&](const std::string& accept, const std::string& more = {}) {
        auto r = s.ask("GET", since + more, {}, {{"Accept", accept}});
        REQUIRE(r.watch);
        return std::move(r.watch);
    };
    const auto taken = [&](const std::unique_ptr<apiserver::watch_body>& watch) { return watch->next(s.now).lines; };
    const auto first = open(table), second = open(table), whole = open(table, "&includeObject=Object");
    const auto names = open(partial), same_names = open(partial), web = open("", "&labelSelector=app%3Dweb"),
               same_web = open("", "&labelSelector=app%3Dweb");
    relabel(s, "a", "db");
    relabel(s, "a", "web");
    auto lines_of_first = taken(first);
    REQUIRE(lines_of_first.size() == 2);
    CHECK(taken(second) == lines_of_first); // the same texts in memory
    CHECK(taken(names) == taken(same_names));
    CHECK(taken(web) == taken(same_web));
    CHECK(lines_of_first[0]->find(R"("columnDefinitions":[)") != std::string::npos);
    CHECK(lines_of_first[1]->find(R"("columnDefinitions":null)") != std::string::npos);
    const auto with_objects = taken(whole);
    CHECK(with_objects != lines_of_first);
    CHECK(with_objects.at(1)->find(R"("data":{"k":"v"})") != std::string::npos);
    // Later they have other ages, and one that begins with the second event needs the columns.
    s.now += std::chrono::seconds{5};
    const auto late = taken(open(table));
    CHECK(late.at(1)->find(R"("5s")") != std::string::npos);
    CHECK(taken(open(table))[1] == late[1]);
    CHECK(taken(open(partial))[1] == taken(open(partial))[1]);
    const auto beyond =
        s.ask("GET", maps + "?watch=1&resourceVersion=" + std::to_string(s.state.resource_version() - 1), {},
              {{"Accept", table}});
    CHECK(beyond.watch->next(s.now).lines.at(0)->find(R"("columnDefinitions":[)") != std::string::npos);
}

TEST_CASE("watch: rendered events are bounded, and go with the history and with other columns", "[apiserver][watch]")
{
    server s({.history = 50});
    s.expect(201, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
             R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":)"
             R"({"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,"schema":)"
             R"({"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})");
    const std::string widgets = "/apis/example.com/v1/namespaces/default/widgets";
    s.expect(201, "POST", widgets, R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"}})");
    const auto store = s.state.find("widgets.example.com");
    const auto watched = [&](const std::string& more = {}) {
        auto r = s.ask("GET", widgets + "?watch=1&resourceVersion=" + std::to_string(store->floor()) + more, {},
                       {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}});
        REQUIRE(r.watch);
        std::string out;
        for (;;) {
            const auto got = r.watch->next(s.now);
            for (const auto& each : got.lines) out += *each;
            if (!got.more) return out;
        }
    };
    watched();
    CHECK(store->rendered().bytes() > 500);
    s.patch("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com",
            R"({"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":)"
            R"("object","x-kubernetes-preserve-unknown-fields":true}},"additionalPrinterColumns":[{"name":"Size",)"
            R"("type":"integer","jsonPath":".size"}]}]}})");
    CHECK(store->rendered().bytes() == 0);
    CHECK(watched().find("\"Size\"") != std::string::npos);

    const std::string large(100'000, 'x');
    for (int i = 0; i < 40; ++i) s.patch(widgets + "/w", R"({"i":)" + std::to_string(i) + R"(,"k":")" + large + "\"}");
    CHECK(watched("&includeObject=Object").size() > 4'000'000);
    CHECK(store->rendered().bytes() <= apiserver::rendered_events::most_bytes);
    CHECK(store->rendered().bytes() > apiserver::rendered_events::most_bytes / 2);
    for (int i = 0; i < 60; ++i) s.patch(widgets + "/w", R"({"k":null,"i":)" + std::to_string(i) + "}");
    CHECK(store->rendered().bytes() == 0);
}

TEST_CASE("watch: changes are announced by resource", "[apiserver][watch]")
{
    server s;
    strings heard;
    s.state.on_change([&](std::string_view resource) { heard.emplace_back(resource); });
    s.add_config_map("default", "a");
    s.expect(201, "POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases", R"({"metadata":{"name":"l"}})");
    s.expect(200, "DELETE", maps + "/a");
    CHECK(heard == strings{"configmaps", "leases.coordination.k8s.io", "configmaps"});
}
