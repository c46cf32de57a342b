// Tests of queues and controllers that outlive their context.
#include "own_context.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/controller/workqueue.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/objects.hpp>
#include <kubecoro/testing/scripted_source.hpp>

#include <chrono>
#include <memory>
#include <optional>

using namespace std::chrono_literals;
using namespace kubecoro;
using kubecoro::untyped::pod;
using lifetime_test::own_context;
namespace asio = boost::asio;
namespace kt = kubecoro::testing;

TEST_CASE("lifetimes: a work queue and its items outlive their context", "[lifetimes]")
{
    std::optional<workqueue<object_key>> queue;
    std::optional<work_item<object_key>> item;
    {
        own_context context;
        queue.emplace(context.executor());
        queue->add(object_key("web", "a"));
        queue->add(object_key("web", "b"));
        queue->add_after(object_key("web", "c"), 1h); // starts its timer
        auto got = context.run(queue->get());
        REQUIRE(got);
        item.emplace(std::move(*got));
        context.settle();
        SECTION("shut down")
        {
            queue->shut_down();
            context.settle();
        }
        SECTION("not shut down") {}
    }
    queue->add_after(object_key("web", "d"), 1h);
    item.reset();
    CHECK(queue->stats().processing == 0);
}

TEST_CASE("lifetimes: a controller and its sources outlive their context", "[lifetimes]")
{
    std::shared_ptr<kt::scripted_provider> provider;
    std::optional<informer_factory> informers;
    std::optional<controller<object>> runs;
    event_source source;
    std::size_t seen = 0;
    bool stopped = false;
    {
        own_context context;
        provider = std::make_shared<kt::scripted_provider>(context.executor(), real_clock());
        provider->source(pod::resource())->on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
        provider->source(pod::resource())->on_watch();
        informers.emplace(provider);
        const auto pods = informers->get<pod>();
        runs.emplace(context.executor(),
                     [&seen](const object_key&, reconcile_context&) -> asio::awaitable<result<action>> {
                         ++seen;
                         co_return action::requeue_after(1h);
                     });
        source = runs->watch(pods, enqueue_object());
        SECTION("stopped")
        {
            informers->start();
            runs->start();
            REQUIRE(context.run(runs->ready()));
            context.settle();
            CHECK(seen == 1);
            REQUIRE(context.run(runs->stop()));
            REQUIRE(context.run(informers->stop()));
            stopped = true;
        }
        SECTION("running")
        {
            informers->start();
            runs->start();
            REQUIRE(context.run(runs->ready()));
        }
        SECTION("never started") {}
    }
    CHECK_FALSE(runs->describe().empty());
    runs->trigger({"web", "a"});
    runs->request_stop();
    source.remove();
    if (!stopped) return;
    own_context other;
    CHECK(other.run(runs->stop()));
}
