#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/scripted_source.hpp>

namespace asio = boost::asio;
using kubecoro::cond;
using kubecoro::failure;
using kubecoro::list_options;
using kubecoro::resource_type;
using kubecoro::result;
using kubecoro::source_scope;
using kubecoro::watch_event;
using kubecoro::watch_event_type;
using kubecoro::watch_options;
using namespace kubecoro::testing;
using namespace std::chrono_literals;

namespace {

resource_type pods()
{
    resource_type r;
    r.version = "v1";
    r.plural = "pods";
    r.kind = "Pod";
    return r;
}

/// Reads a watch to its end and counts the batches.
asio::awaitable<result<int>> drain(scripted_source& s, std::vector<std::string>& names)
{
    watch_options options;
    auto stream = co_await s.watch(std::move(options));
    if (!stream) co_return stream.error();
    for (int batches = 0;; ++batches) {
        auto batch = co_await (*stream)->next();
        if (!batch) {
            auto again = co_await (*stream)->next();
            if (again.has_value()) co_return failure(cond::internal, "the failure was not repeated");
            co_return batch.error();
        }
        if (batch->empty()) co_return batches;
        for (const auto& e : *batch) names.emplace_back(e.obj.name());
    }
}

asio::awaitable<result<>> open_and_drop(scripted_source& s)
{
    watch_options options;
    auto stream = co_await s.watch(std::move(options));
    if (!stream) co_return stream.error();
    stream->reset();
    co_return result<>{};
}

} // namespace

TEST_CASE("scripted source: lists are answered in order and their options recorded", "[testing][scripted]")
{
    runner r;
    scripted_source s(r.shared_clock(), "pods in namespace web");
    s.on_list(make_page({make_pod("web", "a", "4")}, "5", "more"));
    s.on_list(server_failure(410, "Expired", "too old"), 3s);
    CHECK(s.unused() == 2);
    list_options first;
    first.limit = 1;
    const auto page = r.run(s.list(first));
    REQUIRE(page.has_value());
    REQUIRE(page->items.size() == 1);
    CHECK(page->items[0].name() == "a");
    CHECK(page->kind == "PodList");
    CHECK(page->resource_version == "5");
    CHECK(page->continue_token == "more");
    list_options second;
    second.continue_token = "more";
    const auto before = r.clock().now();
    const auto expired = r.run(s.list(second));
    CHECK(expired.error() == cond::expired);
    CHECK(r.clock().now() - before == 3s);
    CHECK(s.lists() == 2);
    CHECK(s.list_call(0).limit == 1);
    CHECK(s.list_call(1).continue_token == "more");
    CHECK_THROWS_AS(s.list_call(2), std::out_of_range);
    CHECK(s.calls()[0].at == before);
    CHECK(s.unused() == 0);
    CHECK(s.unexpected() == 0);
    CHECK(s.describe() == "pods in namespace web");
}

TEST_CASE("scripted source: a call without an announced answer waits and is counted", "[testing][scripted]")
{
    runner r;
    scripted_source s(r.shared_clock());
    const auto list = r.spawn(s.list({}));
    const auto watch = r.spawn(s.watch({}));
    r.advance(1h);
    CHECK_FALSE(list.done());
    CHECK_FALSE(watch.done());
    CHECK(s.unexpected() == 2);
    CHECK(s.in_flight() == 2);
    list.cancel();
    watch.cancel();
    r.run_until_idle();
    CHECK(list.outcome().error() == cond::cancelled);
    CHECK(watch.outcome().error() == cond::cancelled);
    CHECK(s.in_flight() == 0);
}

TEST_CASE("scripted source: a watch delivers what the test sends, before and after it is opened", "[testing][scripted]")
{
    runner r;
    scripted_source s(r.shared_clock());
    const auto w = s.on_watch();
    std::vector<watch_event> two;
    two.push_back(added(make_pod("web", "a", "1")));
    two.push_back(modified(make_pod("web", "b", "2")));
    w.send(std::move(two)).pause(5s).send(deleted(make_pod("web", "c", "3")));
    CHECK(w.pending() == 3);
    std::vector<std::string> names;
    const auto reading = r.spawn(drain(s, names));
    CHECK_FALSE(w.opened());
    r.run_until_idle();
    CHECK(w.opened());
    CHECK(names == std::vector<std::string>{"a", "b"});
    r.advance(5s);
    CHECK(names.size() == 3);
    w.send(added(make_pod("web", "d", "4")));
    r.run_until_idle();
    CHECK(names.back() == "d");
    CHECK_FALSE(w.closed());
    SECTION("clean end")
    {
        w.end();
        r.run_until_idle();
        CHECK(reading.outcome().value() == 3);
    }
    SECTION("broken")
    {
        w.fail(failure(cond::unreachable, "reset"));
        r.run_until_idle();
        CHECK(reading.outcome().error() == cond::unreachable);
    }
    SECTION("cancelled")
    {
        reading.cancel();
        r.run_until_idle();
        CHECK(reading.outcome().error() == cond::cancelled);
    }
    CHECK(w.closed());
}

TEST_CASE("scripted source: watches are refused, hang or are dropped; their options are recorded",
          "[testing][scripted]")
{
    runner r;
    scripted_source s(r.shared_clock());
    s.on_watch(server_failure(429, "TooManyRequests"), 1s);
    s.on_watch_hang();
    const auto dropped = s.on_watch();
    watch_options options;
    options.resource_version = "17";
    CHECK(r.run(s.watch(options)).error() == cond::retry_later);
    const auto hanging = r.spawn(s.watch(options));
    r.advance(1h);
    CHECK_FALSE(hanging.done());
    hanging.cancel();
    r.run_until_idle();
    CHECK(hanging.done());
    CHECK(r.run(open_and_drop(s)).has_value());
    CHECK(dropped.opened());
    CHECK(dropped.closed());
    CHECK(s.watches() == 3);
    CHECK(s.watch_call(0).resource_version == "17");
}

TEST_CASE("scripted provider: test and informer share a source", "[testing][scripted]")
{
    runner r;
    scripted_provider provider(r.executor(), r.shared_clock());
    source_scope web;
    web.ns = "web";
    const auto mine = provider.source(pods(), web);
    CHECK(provider.opened() == 0);
    CHECK(provider.open(pods(), web) == mine);
    CHECK(provider.open(pods(), source_scope{}) != mine);
    CHECK(provider.opened() == 2);
    CHECK(mine->describe() == "pods in namespace web");
    CHECK(provider.executor() == r.executor());
}

TEST_CASE("objects: the helpers create objects and events for scripts", "[testing][scripted]")
{
    object_spec spec;
    spec.api_version = "apps/v1";
    spec.kind = "Deployment";
    spec.ns = "web";
    spec.name = "front\"end";
    spec.resource_version = "9";
    spec.labels = {{"app", "shop"}};
    spec.members = R"("spec":{"replicas":3})";
    const auto o = make_object(spec);
    CHECK(o.kind() == "Deployment");
    CHECK(o.name() == "front\"end");
    CHECK(o.uid() == "uid-web-front\"end");
    CHECK(o.labels()["app"].as_string() == "shop");
    CHECK(o["spec"]["replicas"].as_int64() == 3);
    const auto placed = make_pod("web", "a", "1", "n1");
    CHECK(placed["spec"]["nodeName"].as_string() == "n1");
    spec.members = "not json";
    CHECK_THROWS_AS(make_object(spec), kubecoro::error);

    const auto mark = bookmark("77");
    CHECK(mark.type == watch_event_type::bookmark);
    CHECK(mark.obj.resource_version() == "77");
    CHECK_FALSE(mark.ends_initial_events());
    CHECK(bookmark("77", true).ends_initial_events());
    CHECK(error_event(410, "Expired").status->code == 410);
    CHECK(unknown_event("NEWS").unknown_type == "NEWS");
}
