// Controllers for which one allocation fails, at every possible point.
#include "controller_fixture.hpp"

#include <kubecoro/test/allocations.hpp>

#include <set>

using namespace controller_test;
using kubecoro::test::fail_allocation;

namespace {

/// A key that needs an allocation to be copied: a long one.
std::string long_name(int n) { return std::string(200, 'x') + std::to_string(n); }

} // namespace

TEST_CASE("controller: a worker whose allocation fails between two runs restarts, and no key is lost",
          "[controller][memory]")
{
    for (std::uint64_t nth = 1; nth <= 12; ++nth) {
        CAPTURE(nth);
        fixture f;
        int broken_runs = 0;
        const failure why(cond::conflict, std::string(300, 'w'));
        auto& c = f.make(plain([&](const object_key& key, reconcile_context&) -> answer {
            f.seen.push_back(key.name.substr(0, 1));
            if (key.name != "breaks" || ++broken_runs > 1) return action::done();
            answer out = why;
            fail_allocation(nth);
            return out;
        }));
        f.begin();
        c.trigger({"web", "breaks"});
        f.settle();
        fail_allocation(0);
        f.run.advance(10s);
        CHECK(broken_runs == 2);
        CHECK(c.stats().phase == controller_phase::running);
        CHECK(c.stats().active == 0);
        CHECK(c.stats().queue.waiting_workers == 1);
        c.trigger({"web", "next"});
        f.settle();
        CHECK(f.seen.back() == "n");
    }
}

TEST_CASE("controller: an allocation that fails while events become keys loses none, whatever the map function catches",
          "[controller][memory]")
{
    for (const bool catches : {false, true}) {
        for (std::uint64_t nth = 1; nth <= 4; ++nth) {
            CAPTURE(catches, nth);
            fixture f;
            bool armed = true;
            auto [pods, watch] = f.pods({});
            auto& c = f.make_noting();
            const auto source = c.watch(pods, [&](const notification<object>& n, key_sink out) {
                if (std::exchange(armed, false)) fail_allocation(nth);
                try {
                    out(object_of(n).key());
                } catch (...) {
                    if (!catches) throw;
                }
            });
            f.begin();
            std::vector<watch_event> events;
            for (int n = 0; n < 50; ++n)
                events.push_back(kt::added(kt::make_pod("web", long_name(n), std::to_string(20 + n))));
            watch.send(std::move(events));
            f.settle();
            fail_allocation(0);
            CHECK(f.log.count("part=source") == 1);
            f.run.advance(5s);
            CHECK(f.take().size() == 50);
            CHECK(source.stats().failed == 0);
        }
    }
}

TEST_CASE("controller: a batch of events whose allocation fails becomes keys later", "[controller][memory]")
{
    bool refused = false;
    for (std::uint64_t nth = 1; nth <= 6; ++nth) {
        CAPTURE(nth);
        fixture f;
        bool armed = true;
        auto [pods, watch] = f.pods({});
        auto& c = f.make_noting();
        source_options o;
        o.filter = [&](const notification<object>& n) {
            const bool last = object_of(n).key().name == "last"; // after the mapping, one allocation fails
            if (last && std::exchange(armed, false)) fail_allocation(nth);
            return true;
        };
        c.watch(pods, enqueue_object(), std::move(o));
        f.begin();
        std::vector<watch_event> events;
        for (int n = 0; n < 300; ++n)
            events.push_back(kt::added(kt::make_pod("web", long_name(n), std::to_string(20 + n))));
        events.push_back(kt::added(kt::make_pod("web", "last", "900")));
        watch.send(std::move(events));
        f.settle();
        fail_allocation(0);
        refused = refused || f.log.count("part=source") != 0;
        f.run.advance(5s);
        const auto seen = f.take_sorted();
        CHECK(std::set<std::string>(seen.begin(), seen.end()).size() == 301);
    }
    CHECK(refused);
}
