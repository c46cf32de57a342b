// Tests of cache handles that outlive their context, like globals and members declared before it.
#include "own_context.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/cache/mutation_cache.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/objects.hpp>
#include <kubecoro/testing/recording.hpp>
#include <kubecoro/testing/scripted_source.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using namespace kubecoro;
using namespace kubecoro::detail;
using kubecoro::untyped::pod;
using lifetime_test::own_context;
namespace asio = boost::asio;
namespace kt = kubecoro::testing;

namespace {

/// All handles of an informer. Must be declared before the context.
struct handles
{
    kt::recording_logger log;
    std::shared_ptr<kt::scripted_provider> provider;
    std::optional<informer_factory> factory;
    std::optional<shared_informer<object>> pods;
    registration in_order;
    registration concurrent;
    registration removed;
    subscription<object> events;
    std::optional<lister<object>> stored;
    std::optional<mutation_cache<>> written;
    std::optional<relist_budget> budget;
    object kept;
    std::optional<asio::awaitable<result<>>> not_awaited;

    /// Creates a factory of pods on the context, with handlers of every kind; does not start it.
    void make(own_context& context)
    {
        provider = std::make_shared<kt::scripted_provider>(context.executor(), real_clock());
        auto& source = *provider->source(pod::resource());
        source.on_list(kt::make_page({kt::make_pod("web", "a", "1"), kt::make_pod("web", "b", "2")}, "5"));
        source.on_watch();
        factory.emplace(provider, factory_options{.executor = context.executor(),
                                                  .log = log.handle(),
                                                  .metrics = std::make_shared<kt::recording_metrics>(),
                                                  .resync = 10h});
        budget.emplace();
        pods = factory->get<pod>();
        const auto greet = [](const added<object>&) -> asio::awaitable<void> { co_return; };
        in_order = pods->add_event_handler({.on_add = greet, .executor = context.executor()});
        concurrent = pods->add_event_handler({.on_add = greet, .concurrency = 3});
        removed = pods->add_event_handler({.on_add = greet});
        events = pods->subscribe();
        stored = pods->lister();
        written.emplace(*stored);
    }
    void start(own_context& context)
    {
        factory->start();
        REQUIRE(context.run(in_order.has_synced()));
        REQUIRE(context.run(concurrent.has_synced()));
        REQUIRE(context.run(removed.removed()));
        kept = stored->get("web", "a");
        REQUIRE(kept);
        written->written(kept);
        not_awaited.emplace(pods->has_synced());
    }
    /// Calls the functions that are allowed after the context was destroyed.
    void use()
    {
        CHECK(stored->size() == stored->list().size());
        CHECK_FALSE(pods->describe().empty());
        CHECK(pods->stats().handlers.size() <= 4);
        CHECK_FALSE(in_order.stats().name.empty());
        in_order.remove();
        events.close();
        pods->retry_now();
        static_cast<void>(pods->add_index("name", [](const object& o, auto out) { out(o.name()); }));
        CHECK(stored->by_index("name", "a").size() == stored->size() / 2);
        CHECK(written->size() == 0);
        factory->start();
        // Waits on another context complete without this one.
        own_context other;
        const auto late = pods->add_event_handler({});
        CHECK(other.run(late.ended()).error() == cond::cancelled);
        CHECK(other.run(in_order.ended()).error() == cond::cancelled);
        auto wait = pods->wait_for({"web", "a"}, conditions::exists(), 1s);
        CHECK(other.run(std::move(wait)).error() == cond::cancelled);
        auto any = pods->wait_for_any([](const notification<object>&) { return true; });
        CHECK(other.run(std::move(any)).error() == cond::cancelled);
        auto change = pods->set_namespaces({"web"});
        CHECK(other.run(std::move(change)).error() == cond::cancelled);
        auto again = factory->stop();
        CHECK(other.run(std::move(again)));
        CHECK(pods->state() == informer_state::stopped);
        const auto fresh = factory->get<pod>({.label_selector = "app=shop"});
        CHECK(other.run(fresh.add_event_handler({}).ended()).error() == cond::cancelled);
    }
};

} // namespace

TEST_CASE("lifetimes: the handles of an informer outlive its context after an awaited stop", "[lifetimes]")
{
    handles h;
    {
        own_context context;
        h.make(context);
        h.start(context);
        REQUIRE(context.run(h.factory->stop()));
    }
    SECTION("and are destroyed") {}
    SECTION("and are used") { h.use(); }
}

TEST_CASE("lifetimes: the handles of a released informer outlive its context", "[lifetimes]")
{
    handles h;
    {
        own_context context;
        h.make(context);
        h.start(context);
        REQUIRE(context.run(h.factory->release(*h.pods)));
    }
    CHECK(h.stored->size() == 2);
}

TEST_CASE("lifetimes: the handles of an informer that was never started outlive its context", "[lifetimes]")
{
    handles h;
    {
        own_context context;
        h.make(context);
        context.settle();
    }
    SECTION("and are destroyed") {}
    SECTION("and are used") { h.use(); }
}

TEST_CASE("lifetimes: the context of a running informer may end before its handles", "[lifetimes]")
{
    handles h;
    {
        own_context context;
        h.make(context);
        h.start(context);
    }
    SECTION("and are destroyed") {}
    SECTION("and are used") { h.use(); }
}

TEST_CASE("lifetimes: waits on another context end when an informer's context is destroyed without a stop",
          "[lifetimes]")
{
    handles h;
    own_context here;
    std::vector<result<>> ended;
    const auto keep = [&ended](asio::awaitable<result<>> wait) -> asio::awaitable<void> {
        ended.push_back(co_await std::move(wait));
    };
    const auto pop = [](subscription<object>& events) -> asio::awaitable<result<>> {
        const auto batch = co_await events.pop();
        if (batch) co_return result<>{};
        co_return failure(cond::cancelled);
    };
    const auto wait_for = [](const shared_informer<object>& pods) -> asio::awaitable<result<>> {
        const auto there = co_await pods.wait_for({"web", "z"}, conditions::exists());
        if (there) co_return result<>{};
        co_return there.error();
    };
    {
        own_context context;
        h.make(context);
        SECTION("before the start") {}
        SECTION("before the sync") { h.factory->start(); }
        for (auto* wait : {&h.in_order, &h.concurrent}) {
            asio::co_spawn(here.executor(), keep(wait->has_synced()), asio::detached);
            asio::co_spawn(here.executor(), keep(wait->ended()), asio::detached);
        }
        asio::co_spawn(here.executor(), keep(h.pods->has_synced()), asio::detached);
        asio::co_spawn(here.executor(), keep(h.stored->wait_until("100")), asio::detached);
        asio::co_spawn(here.executor(), keep(pop(h.events)), asio::detached);
        asio::co_spawn(here.executor(), keep(wait_for(*h.pods)), asio::detached);
        asio::co_spawn(here.executor(), keep(h.pods->add_namespace("jobs")), asio::detached);
        here.settle();
        CHECK(ended.empty());
    }
    here.settle();
    CHECK(ended.size() == 9);
    for (const auto& each : ended) CHECK(each.error() == cond::cancelled);
    h.use();
}

TEST_CASE("lifetimes: the handles of a factory destroyed while running outlive the context", "[lifetimes]")
{
    handles h;
    {
        own_context context;
        h.make(context);
        h.start(context);
        h.factory.reset();
        SECTION("whose coroutines did not run again") {}
        SECTION("whose coroutines have ended") { context.settle(); }
    }
    CHECK(h.stored->size() == 2);
}
