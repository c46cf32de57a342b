// The kept list of resources: when it is read again, and who shares the read.
#include "discovery/discovery_core.hpp"
#include "rest_fixture.hpp"

#include <kubecoro/client/discovery.hpp>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace kubecoro::rest_test;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

const std::string core_group = R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":""},"versions":[)"
                               R"({"version":"v1","resources":[{"resource":"pods","responseKind":{"kind":"Pod"},)"
                               R"("scope":"Namespaced","shortNames":["po"],"categories":["all"]}]}]}]})";
const std::string no_groups = R"({"kind":"APIGroupDiscoveryList","items":[]})";
const std::string widgets =
    R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"example.com"},"versions":[)"
    R"({"version":"v1","resources":[{"resource":"widgets","responseKind":{"kind":"Widget"}}]}]}]})";
const std::string stale_group = R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"m"},"versions":[)"
                                R"({"version":"v1","freshness":"Stale"}]}]})";

struct cached_world : world
{
    client c = make();
    /// The next read finds the core group and these.
    void serve(const std::string& groups)
    {
        net->replies.push_back({.body = {core_group}});
        net->replies.push_back({.body = {groups}});
    }
    std::size_t reads() const { return net->seen.size() / 2; }
};

} // namespace

TEST_CASE("discovery cache core: age, misses, missing groups and invalidation", "[client][discovery]")
{
    discovery_cache_core core;
    const time_point t0{1h};
    const auto whole = std::make_shared<const discovered_resources>();
    CHECK_FALSE(core.current(t0));
    CHECK(core.may_read_after_miss(t0));
    core.on_begin(t0);
    core.on_read(whole, t0);
    CHECK(core.current(t0) == whole);
    CHECK(core.current(t0 + 10min - 1ns) == whole);
    CHECK_FALSE(core.current(t0 + 10min));
    CHECK_FALSE(core.may_read_after_miss(t0 + 10s - 1ns));
    CHECK(core.may_read_after_miss(t0 + 10s));
    // A read that failed counts as well.
    core.on_begin(t0 + 10s);
    CHECK_FALSE(core.may_read_after_miss(t0 + 11s));
    core.invalidate();
    CHECK_FALSE(core.current(t0));
    CHECK(core.may_read_after_miss(t0));
    // A list that was asked for before is not kept.
    core.on_begin(t0);
    core.invalidate();
    core.on_read(whole, t0);
    CHECK_FALSE(core.current(t0));
    core.on_begin(t0);
    core.on_read(whole, t0);
    CHECK(core.current(t0) == whole);

    auto part = std::make_shared<discovered_resources>();
    part->missing.emplace_back();
    core.on_begin(t0);
    core.on_read(part, t0);
    CHECK(core.current(t0 + 10s - 1ns));
    CHECK_FALSE(core.current(t0 + 10s));
}

TEST_CASE("discovery: one read serves many names", "[client][discovery]")
{
    cached_world the;
    the.serve(no_groups);
    const discovery d(the.c);
    CHECK(the.run.run(d.resource_for("po"))->plural == "pods");
    CHECK(the.run.run(d.resource_for("Pod"))->plural == "pods");
    CHECK(the.run.run(d.resource_of("v1", "Pod"))->plural == "pods");
    CHECK(the.run.run(d.candidates_for("pods")).value().size() == 1);
    CHECK(the.run.run(d.in_category("all")).value().size() == 1);
    CHECK(the.run.run(d.in_category("none")).value().empty());
    CHECK(the.run.run(d.resources()).value()->resources.size() == 1);
    const discovery copy = d;
    CHECK(the.run.run(copy.resource_for("pods")));
    CHECK(the.reads() == 1);
    d.invalidate();
    the.serve(no_groups);
    CHECK(the.run.run(copy.resource_for("pods")));
    CHECK(the.reads() == 2);
}

TEST_CASE("discovery: an unknown name causes one fresh read", "[client][discovery]")
{
    cached_world the;
    the.serve(no_groups);
    const discovery d(the.c);
    CHECK(the.run.run(d.resource_for("pods")));
    the.run.advance(1min);
    the.serve(widgets);
    CHECK(the.run.run(d.resource_for("widgets"))->group == "example.com");
    CHECK(the.reads() == 2);
    CHECK(the.run.run(d.resource_of("example.com/v1", "Widget")));
    CHECK(the.reads() == 2);
    // A typing error in a loop does not load the server.
    for (int i = 0; i < 100; ++i) CHECK(the.run.run(d.resource_for("wigdets")).error() == cond::not_found);
    CHECK(the.reads() == 2);
    the.run.advance(10s);
    the.serve(widgets);
    CHECK(the.run.run(d.resource_of("v1", "Nothing")).error() == cond::not_found);
    CHECK(the.run.run(d.resource_of("v1", "Nothing")).error() == cond::not_found);
    CHECK(the.reads() == 3);
    // A name that cannot be one is no miss.
    the.run.advance(1min);
    CHECK(the.run.run(d.resource_for("")).error() == cond::invalid);
    CHECK(the.reads() == 3);
}

TEST_CASE("discovery: a list that is old or incomplete is read again", "[client][discovery]")
{
    cached_world the;
    the.serve(stale_group);
    const discovery d(the.c);
    const auto part = the.run.run(d.resources()).value();
    REQUIRE(part->missing.size() == 1);
    CHECK(part->missing[0].group == "m");
    CHECK(part->resources.size() == 1);
    the.run.advance(9s);
    CHECK(the.run.run(d.resource_for("pods")));
    CHECK(the.reads() == 1);
    the.run.advance(1s);
    the.serve(no_groups);
    CHECK(the.run.run(d.resource_for("pods")));
    CHECK(the.reads() == 2);
    the.run.advance(10min);
    the.serve(no_groups);
    CHECK(the.run.run(d.resource_for("pods")));
    CHECK(the.reads() == 3);
}

TEST_CASE("discovery: a failed read is reported and not kept", "[client][discovery]")
{
    cached_world the;
    the.net->replies = {{.status = 403, .body = {"no"}}};
    const discovery d(the.c);
    CHECK(the.run.run(d.resource_for("pods")).error() == cond::forbidden);
    the.serve(no_groups);
    CHECK(the.run.run(d.resource_for("pods")));
    the.run.advance(1min);
    the.net->replies = {{.status = 403, .body = {"no"}}};
    CHECK(the.run.run(d.resource_for("nothing")).error() == cond::forbidden);
    // Names that are known stay known.
    CHECK(the.run.run(d.resource_for("pods")));
}

TEST_CASE("discovery: callers at the same time share one read and its failure", "[client][discovery]")
{
    cached_world the;
    the.net->replies = {{.body = {core_group}, .pause = 1s}, {.body = {no_groups}}};
    const discovery d(the.c);
    const auto first = the.run.spawn(d.resource_for("pods"));
    const auto second = the.run.spawn(d.resource_for("po"));
    the.run.advance(2s);
    REQUIRE(first.done());
    REQUIRE(second.done());
    CHECK(first.outcome().has_value());
    CHECK(second.outcome().has_value());
    CHECK(the.reads() == 1);

    d.invalidate();
    the.net->replies = {{.status = 403, .body = {"no"}, .pause = 1s}};
    const auto third = the.run.spawn(d.resource_for("pods"));
    const auto fourth = the.run.spawn(d.resource_for("po"));
    the.run.advance(2s);
    CHECK(third.outcome().error() == cond::forbidden);
    CHECK(fourth.outcome().error() == cond::forbidden);
    CHECK(the.net->seen.size() == 3);
}

TEST_CASE("discovery: when the reading caller is cancelled, another one reads", "[client][discovery]")
{
    cached_world the;
    the.net->replies = {{.hangs_before_head = true}};
    const discovery d(the.c);
    auto first = the.run.spawn(d.resource_for("pods"));
    auto second = the.run.spawn(d.resource_for("pods"));
    auto third = the.run.spawn(d.resource_for("pods"));
    the.run.advance(1s);
    the.serve(no_groups);
    third.cancel();
    first.cancel();
    the.run.advance(1s);
    CHECK(first.outcome().error() == cond::cancelled);
    CHECK(third.outcome().error() == cond::cancelled);
    REQUIRE(second.done());
    CHECK(second.outcome().has_value());
}

namespace {

asio::awaitable<result<>> find_both(discovery d)
{
    auto one = co_await d.resource_for("pods");
    if (!one) co_return one.error();
    d.invalidate();
    auto other = co_await d.resource_for("widgets");
    if (!other) co_return other.error();
    co_return result<>{};
}

std::function<testing::scenario(testing::runner&)> finding()
{
    return [](testing::runner& run) {
        auto net = std::make_shared<scripted_transport>();
        net->time = run.shared_clock();
        for (int i = 0; i < 2; ++i) {
            net->replies.push_back({.body = {core_group}, .pause = 1s});
            net->replies.push_back({.body = {widgets}, .pause = 1s});
        }
        client_options o;
        o.time = run.shared_clock();
        return testing::scenario{.body = find_both(discovery(client(run.executor(), net, o))), .fixture = net};
    };
}

} // namespace

TEST_CASE("discovery: may be destroyed and cancelled at every step", "[client][discovery]")
{
    CHECK(testing::stop_after_every_step(finding()).value() > 3);
    CHECK(testing::cancel_after_every_step(finding(), [](const result<>& ended) {
              if (!ended) CHECK(ended.error() == cond::cancelled);
          }).value() > 3);
}

TEST_CASE("client: discovery reports the groups that do not respond", "[client][discovery]")
{
    world the;
    auto c = the.make();
    const std::string groups =
        R"({"kind":"APIGroupList","groups":[{"name":"gone","versions":[{"groupVersion":"gone/v1"}]},
        {"name":"apps","versions":[{"groupVersion":"apps/v1"}],"preferredVersion":{"groupVersion":"apps/v1"}}]})";
    the.net->replies = {{.status = 404, .body = {"no"}},
                        {.status = 406, .body = {"no"}},
                        {.body = {groups}},
                        {.status = 503, .body = {"down"}},
                        {.body = {test::body_of("apis_apps_v1.json")}}};
    // A server without the core group has only the others.
    const auto all = the.run.run(discover(c)).value();
    CHECK(all.resources.front().type.group == "apps");
    REQUIRE(all.missing.size() == 1);
    CHECK(all.missing[0].group == "gone");
    CHECK(all.missing[0].version == "v1");
    CHECK(all.missing[0].why == cond::retry_later);
    the.net->replies = {{.body = {core_group}}, {.status = 404, .body = {"no"}}};
    CHECK(the.run.run(discover(c)).error() == cond::not_found);
}

TEST_CASE("client: groups that hang are named, and hold up no other", "[client][discovery]")
{
    world the;
    client_options options;
    options.timeouts.answer_head = 1h;
    auto c = the.make({}, options);
    std::string groups = R"({"kind":"APIGroupList","groups":[)";
    for (int i = 0; i < 20; ++i)
        groups += R"({"name":"g)" + std::to_string(i) + R"(","versions":[{"groupVersion":"g)" + std::to_string(i) +
                  R"(/v1"}]},)";
    groups += R"({"name":"apps","versions":[{"groupVersion":"apps/v1"}]}]})";
    the.net->replies = {{.body = {R"({"kind":"APIVersions","versions":["v1"]})"}},
                        {.body = {test::body_of("api_v1.json")}},
                        {.body = {groups}}};
    for (int i = 0; i < 20; ++i)
        the.net->replies.push_back({.hangs_before_head = i % 2 == 0, .hangs_in_body = i % 2 != 0});
    the.net->replies.push_back({.body = {test::body_of("apis_apps_v1.json")}});
    const auto begun = c.time().now();
    const auto all = the.run.run(discover(c)).value();
    CHECK(c.time().now() - begun == 30s);
    CHECK(all.resources.front().type.plural == "bindings");
    CHECK(all.resources.back().type.group == "apps");
    REQUIRE(all.missing.size() == 20);
    for (int i = 0; i < 20; ++i) {
        CHECK(all.missing[static_cast<std::size_t>(i)].group == "g" + std::to_string(i));
        CHECK(all.missing[static_cast<std::size_t>(i)].why == cond::timed_out);
    }
    const auto told = std::count_if(the.lines.begin(), the.lines.end(), [](const std::string& line) {
        return line.find("the resources of a group are not known") != line.npos && line.find("/apis/g") != line.npos;
    });
    CHECK(told == 20);
}

TEST_CASE("client: reading the groups one by one may be destroyed and cancelled at every step", "[client][discovery]")
{
    const auto reading = [](testing::runner& run) {
        auto net = std::make_shared<scripted_transport>();
        net->time = run.shared_clock();
        net->replies = {{.body = {R"({"kind":"APIVersions","versions":["v1","v2"]})"}, .pause = 1s},
                        {.body = {test::body_of("api_v1.json")}, .pause = 1s},
                        {.hangs_in_body = true},
                        {.body = {R"({"kind":"APIGroupList","groups":[]})"}, .pause = 1s}};
        client_options o;
        o.time = run.shared_clock();
        auto body = [](client c) -> asio::awaitable<result<>> {
            auto found = co_await discover(std::move(c));
            if (!found) co_return found.error();
            co_return result<>{};
        };
        return testing::scenario{.body = body(client(run.executor(), net, o)), .fixture = net};
    };
    CHECK(testing::stop_after_every_step(reading).value() > 3);
    CHECK(testing::cancel_after_every_step(reading, [](const result<>& ended) {
              if (!ended) CHECK(ended.error() == cond::cancelled);
          }).value() > 3);
}

TEST_CASE("client: the only group of a root may be down, but not all groups", "[client][discovery]")
{
    world the;
    auto c = the.make();
    const std::string core = R"({"kind":"APIVersions","versions":["v1"]})";
    const std::string groups =
        R"({"kind":"APIGroupList","groups":[{"name":"gone","versions":[{"groupVersion":"gone/v1"}]}]})";
    the.net->replies = {
        {.body = {core}}, {.body = {test::body_of("api_v1.json")}}, {.body = {groups}}, {.body = {"nonsense"}}};
    const auto part = the.run.run(discover(c)).value();
    CHECK(part.resources.front().type.plural == "bindings");
    REQUIRE(part.missing.size() == 1);
    CHECK(part.missing[0].why == cond::corrupt);

    the.net->replies = {
        {.body = {core}}, {.status = 403, .body = {"no"}}, {.body = {groups}}, {.status = 503, .body = {"down"}}};
    CHECK(the.run.run(discover(c)).error() == cond::forbidden);
}

TEST_CASE("client: the server's version and its OpenAPI documents", "[client][discovery]")
{
    world the;
    auto c = the.make();
    const std::vector<std::pair<std::string, std::string>> plain{{"content-type", "text/plain; charset=utf-8"}};
    the.net->replies = {
        {.body = {R"({"major":"1","minor":"36","gitVersion":"v1.36.3"})"}},
        {.body = {R"({"paths":{"api/v1":{"serverRelativeURL":"/openapi/v3/api/v1?hash=0A"}}})"}, .headers = plain},
        {.body = {"{}"}},
        {.body = {"<html>"}, .headers = {{"content-type", "text/html"}}},
        {.status = 403, .body = {"no"}},
        {.body = {"nonsense"}}};
    CHECK(the.run.run(get_server_version(c))->git_version == "v1.36.3");
    CHECK(the.net->seen[0].target == "/version");
    const auto index = the.run.run(list_openapi(c)).value();
    REQUIRE(index.size() == 1);
    CHECK(the.run.run(get_openapi(c, index[0])).value() == "{}");
    CHECK(the.net->seen[2].target == "/openapi/v3/api/v1?hash=0A");
    CHECK(the.run.run(get_server_version(c)).error() == cond::corrupt);
    CHECK(the.run.run(list_openapi(c)).error() == cond::forbidden);
    CHECK(the.run.run(list_openapi(c)).error().target() == "/openapi/v3");
}
