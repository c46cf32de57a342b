// Tests of a whole informer over a scripted source: list, watch, handlers, subscriptions, sync and stop.

#include "informer_fixture.hpp"

#include <boost/asio/awaitable.hpp>

namespace asio = boost::asio;
using namespace informer_test;

TEST_CASE("informer: lists, then watches, and delivers every change to a handler in order", "[cache][informer]")
{
    fixture f;
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1"), kt::make_pod("web", "b", "2")}, "5"));
    auto watch = f.source().on_watch();
    auto pods = f.informers->get<pod>();
    auto handler = pods.add_event_handler(f.writer());
    CHECK_FALSE(pods.synced());
    CHECK(pods.state() == kubecoro::informer_state::created);

    f.informers->start();
    REQUIRE(f.run.run(handler.has_synced()));
    CHECK(pods.synced());
    CHECK(handler.synced());
    CHECK(f.take() == lines{"initial web/a@1", "initial web/b@2"});
    CHECK(f.source().list_call(0).resource_version == "0");
    CHECK(f.source().watch_call(0).resource_version == "5");

    watch.send({kt::added(kt::make_pod("web", "c", "6")), kt::modified(kt::make_pod("web", "a", "7")),
                kt::deleted(kt::make_pod("web", "b", "8"))});
    f.settle();
    CHECK(f.take() == lines{"added web/c@6", "updated web/a@1 > 7", "deleted web/b@8"});
    CHECK(content(pods) == lines{"web/a@7", "web/c@6"});
    CHECK(pods.last_resource_version() == "8");
    CHECK(pods.state() == kubecoro::informer_state::watching);

    const auto s = pods.stats();
    CHECK(s.objects == 2);
    CHECK(s.bytes > 0);
    CHECK(s.reflector.lists == 1);
    CHECK(s.reflector.watches == 1);
    CHECK(s.added == 3);
    CHECK(s.updated == 1);
    CHECK(s.deleted == 1);
    CHECK(s.handlers.size() == 1);
    CHECK_FALSE(pods.describe().empty());

    REQUIRE(f.run.run(f.informers->stop()));
    CHECK(watch.closed());
    CHECK(pods.state() == kubecoro::informer_state::stopped);
    CHECK(f.source().unexpected() == 0);
}

TEST_CASE("informer: a subscription returns batches until the informer stops", "[cache][informer]")
{
    fixture f;
    auto watch = f.with_one_pod();
    auto pods = f.informers->get<pod>();
    auto events = pods.subscribe();
    auto reader = [](kubecoro::subscription<>& from, lines& out) -> asio::awaitable<kubecoro::result<>> {
        while (auto batch = co_await from.pop())
            for (const auto& n : *batch) std::visit([&out](const auto& e) { out.push_back(fixture::line(e)); }, n);
        co_return from.end_reason();
    };
    auto task = f.run.spawn(reader(events, f.seen));
    f.informers->start();
    REQUIRE(f.run.run(events.has_synced()));
    watch.send(kt::added(kt::make_pod("web", "b", "6")));
    f.settle();
    CHECK(f.take() == lines{"initial web/a@1", "added web/b@6"});
    REQUIRE(f.run.run(f.informers->stop()));
    f.settle();
    REQUIRE(task.done());
    CHECK(task.outcome().error() == kubecoro::cond::cancelled);
}

TEST_CASE("informer: moved-from handles remain usable", "[cache][informer]")
{
    fixture f;
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
    auto watch = f.source().on_watch();
    auto pods = f.informers->get<pod>();
    const auto moved = std::move(pods);
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced())); // NOLINT(bugprone-use-after-move): what is tested
    auto stored = pods.lister();
    const auto other = std::move(stored);
    CHECK(stored.get("web", "a")); // NOLINT(bugprone-use-after-move)
    CHECK(other.size() == 1);
    CHECK(moved == pods);
}

TEST_CASE("notification: the object of a temporary one is no reference into it", "[cache][informer]")
{
    const auto made = [] { return kubecoro::notification<>(kubecoro::added<>{kt::make_pod("web", "a", "1")}); };
    const auto& kept = kubecoro::object_of(made());
    CHECK(kept.name() == "a");
    STATIC_REQUIRE(std::is_same_v<decltype(kubecoro::object_of(made())), kubecoro::object>);
}
