// Debounce and minimum interval of a controller.
#include "controller_fixture.hpp"

using namespace controller_test;

TEST_CASE("controller: a burst of events causes one run at its end", "[controller][pace]")
{
    fixture f;
    auto [pods, watch] = f.pods({});
    auto& c = f.make_noting({.debounce = 200ms});
    c.watch(pods, enqueue_object());
    f.begin();
    watch.send(kt::added(kt::make_pod("web", "a", "11")));
    for (int version = 12; version < 20; ++version) {
        f.run.advance(100ms);
        watch.send(kt::modified(kt::make_pod("web", "a", std::to_string(version))));
    }
    f.run.advance(199ms);
    CHECK(f.take().empty());
    f.run.advance(1ms);
    CHECK(f.take() == lines{"web/a"});
    c.trigger({"web", "b"}); // a trigger is an event
    f.run.advance(199ms);
    CHECK(f.take().empty());
    f.run.advance(1ms);
    CHECK(f.take() == lines{"web/b"});
}

TEST_CASE("controller: a key that waits for its own write begins no interval, and is not debounced afterwards",
          "[controller][pace]")
{
    fixture f;
    auto [pods, watch] = f.pods({kt::make_pod("web", "a", "9")});
    auto& c = f.make(plain([&](const object_key& key, reconcile_context& context) -> run_result {
                         f.seen.push_back(to_string(key));
                         if (f.seen.size() == 1) context.wrote(pod::resource(), {"web", "made"}, "20");
                         return action::done();
                     }),
                     {.debounce = 1s, .min_interval = 5s});
    c.watch(pods, enqueue_object());
    f.begin();
    f.run.advance(1s);
    REQUIRE(f.seen.size() == 1);
    f.run.advance(5s);
    c.trigger({"web", "a"});
    f.run.advance(1s);
    REQUIRE(c.stats().behind_own_writes == 1);
    watch.send(kt::added(kt::make_pod("web", "made", "20")));
    f.settle();
    CHECK(f.seen == lines{"web/a", "web/a"});
    c.trigger({"web", "a"});
    f.run.advance(4999ms);
    CHECK(std::count(f.seen.begin(), f.seen.end(), "web/a") == 2);
    f.run.advance(1ms);
    CHECK(std::count(f.seen.begin(), f.seen.end(), "web/a") == 3);
}
