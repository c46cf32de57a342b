#include "listener/listener_core.hpp"

#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/objects.hpp>

#include <algorithm>
#include <map>
#include <new>
#include <random>
#include <utility>

using namespace kubecoro;
using namespace kubecoro::detail;
namespace kt = kubecoro::testing;

namespace {

using lines = std::vector<std::string>;

object pod(std::string_view name, int version, std::string uid = "u1")
{
    return kt::make_object({.ns = "web",
                            .name = std::string(name),
                            .resource_version = std::to_string(version),
                            .uid = std::move(uid),
                            .labels = {},
                            .members = {}});
}

lines text(const std::vector<notification<object>>& batch)
{
    lines out;
    for (const auto& n : batch) {
        const auto version = std::string(object_of(n).resource_version());
        const auto name = std::string(object_of(n).name());
        if (const auto* a = std::get_if<added<object>>(&n))
            out.push_back((a->initial ? "initial " : "+") + name + version);
        else if (const auto* u = std::get_if<updated<object>>(&n))
            out.push_back(name + std::string(u->before.resource_version()) + ">" + version);
        else
            out.push_back("-" + name + version);
    }
    return out;
}

/// A listener with one waiting event and a bound of one, so that the next events of `b` merge.
struct crowded
{
    listener_core l{1};
    crowded() { l.add(added<object>{pod("x", 1)}); }
    lines rest()
    {
        auto all = text(l.pop(100));
        REQUIRE(all.front() == "+x1");
        all.erase(all.begin());
        return all;
    }
};

} // namespace

TEST_CASE("listener: below the bound every event is delivered unchanged", "[cache][listener]")
{
    listener_core l(4);
    l.add(added<object>{pod("a", 1)});
    l.add(updated<object>{pod("a", 1), pod("a", 2)});
    l.add(updated<object>{pod("a", 2), pod("a", 3)});
    l.add(deleted<object>{pod("a", 4)});
    CHECK(l.pending() == 4);
    CHECK(text(l.pop(3)) == lines{"+a1", "a1>2", "a2>3"});
    CHECK(l.pending() == 1);
    CHECK(text(l.pop(3)) == lines{"-a4"});
    CHECK(l.pop(3).empty());
    CHECK(l.coalesced() == 0);
}

TEST_CASE("listener: beyond the bound events of a key merge into the oldest before and the newest after",
          "[cache][listener]")
{
    crowded c;
    SECTION("an add and updates are an add of the newest, initial if it was")
    {
        c.l.add(added<object>{pod("b", 1), true});
        c.l.add(updated<object>{pod("b", 1), pod("b", 2)});
        c.l.add(updated<object>{pod("b", 2), pod("b", 3)});
        CHECK(c.l.coalesced() == 2);
        CHECK(c.rest() == lines{"initial b3"});
    }
    SECTION("an add and its deletion cancel out")
    {
        c.l.add(added<object>{pod("b", 1)});
        c.l.add(deleted<object>{pod("b", 2)});
        CHECK(c.l.pending() == 1);
        CHECK(c.rest().empty());
    }
    SECTION("updates are one update")
    {
        c.l.add(updated<object>{pod("b", 1), pod("b", 2)});
        c.l.add(updated<object>{pod("b", 2), pod("b", 3)});
        CHECK(c.rest() == lines{"b1>3"});
    }
    SECTION("a resync merges into an update, and an update replaces a resync")
    {
        c.l.add(updated<object>{pod("b", 1), pod("b", 2)});
        c.l.add(updated<object>{pod("b", 2), pod("b", 2)});
        c.l.add(updated<object>{pod("b", 2), pod("b", 3)});
        CHECK(c.rest() == lines{"b1>3"});
    }
    SECTION("an update and a deletion are the deletion")
    {
        c.l.add(updated<object>{pod("b", 1), pod("b", 2)});
        c.l.add(deleted<object>{pod("b", 3), true});
        const auto all = c.l.pop(10);
        REQUIRE(text(all) == lines{"+x1", "-b3"});
        CHECK(std::get<deleted<object>>(all[1]).final_state_unknown);
    }
    SECTION("a deletion and an add of another uid stay two events")
    {
        c.l.add(deleted<object>{pod("b", 3, "u1")});
        c.l.add(added<object>{pod("b", 4, "u2")});
        c.l.add(updated<object>{pod("b", 4, "u2"), pod("b", 5, "u2")});
        CHECK(c.rest() == lines{"-b3", "+b5"});
    }
    SECTION("a deletion and an add of the same uid stay two events: the last delivered state is not known here")
    {
        c.l.add(deleted<object>{pod("b", 3)});
        c.l.add(added<object>{pod("b", 4)});
        c.l.add(updated<object>{pod("b", 4), pod("b", 5)});
        CHECK(c.rest() == lines{"-b3", "+b5"});
    }
    SECTION("objects created and deleted while the handler sleeps leave no entries")
    {
        c.l.add(deleted<object>{pod("b", 3, "u0")});
        for (int i = 0; i < 100; ++i) {
            c.l.add(added<object>{pod("b", 10 + i, "u" + std::to_string(10 + i))});
            c.l.add(deleted<object>{pod("b", 10 + i, "u" + std::to_string(10 + i))});
            CHECK(c.l.pending() <= 3);
        }
        CHECK(c.rest() == lines{"-b3"});
    }
}

TEST_CASE("listener: the initial events are over when the last one was finished, whatever merged", "[cache][listener]")
{
    listener_core l(2);
    SECTION("none")
    {
        CHECK_FALSE(l.initial_finished());
        l.mark_initial();
        CHECK(l.initial_finished());
    }
    SECTION("some, popped in two batches")
    {
        l.add(added<object>{pod("a", 1), true});
        l.add(added<object>{pod("b", 1), true});
        l.mark_initial();
        l.add(added<object>{pod("c", 2)});
        CHECK(l.pop(1).size() == 1);
        CHECK_FALSE(l.initial_popped());
        CHECK(l.pop(1).size() == 1);
        CHECK(l.initial_popped());
        CHECK_FALSE(l.initial_finished());
        l.finished();
        CHECK(l.initial_finished());
    }
    SECTION("all of them cancelled out before they were popped")
    {
        listener_core tight(1);
        tight.add(added<object>{pod("a", 1), true});
        tight.add(added<object>{pod("b", 1, "u2"), true});
        tight.mark_initial();
        CHECK_FALSE(tight.initial_finished());
        tight.add(deleted<object>{pod("b", 2, "u2")});
        tight.add(deleted<object>{pod("a", 2)});
        CHECK(tight.pending() == 0);
        CHECK(tight.initial_finished());
    }
    SECTION("in progress when it is marked")
    {
        l.add(added<object>{pod("a", 1), true});
        CHECK(l.pop(1).size() == 1);
        l.mark_initial();
        CHECK_FALSE(l.initial_finished());
        CHECK(l.pop(1).empty());
        CHECK(l.initial_finished());
    }
}

TEST_CASE("listener: adds beyond the bound need no table of keys, until an event may merge", "[cache][listener]")
{
    constexpr std::size_t count = 5000;
    std::vector<notification<object>> adds;
    for (std::size_t i = 0; i < count; ++i) adds.emplace_back(added<object>{pod("p" + std::to_string(i), 1), true});
    listener_core l(4);
    const auto before = test::allocations_so_far().bytes;
    l.add(adds);
    CHECK(test::allocations_so_far().bytes - before < count * (sizeof(std::optional<notification<object>>) + 16));

    CHECK(l.pop(2).size() == 2);
    l.add(updated<object>{pod("p17", 1), pod("p17", 2)});
    l.add(added<object>{pod("new", 1)});
    l.add(updated<object>{pod("new", 1), pod("new", 2)});
    l.add(updated<object>{pod("p0", 1), pod("p0", 2)});
    CHECK(l.coalesced() == 2);
    const auto rest = text(l.pop(count + 10));
    REQUIRE(rest.size() == count);
    CHECK(rest[15] == "initial p172");
    CHECK(rest[count - 2] == "+new2");
    CHECK(rest[count - 1] == "p01>2");
}

namespace {

object large_pod(std::string_view name, int version)
{
    return kt::make_object({.ns = "web",
                            .name = std::string(name),
                            .resource_version = std::to_string(version),
                            .uid = "u1",
                            .members = R"("data":{"a":")" + std::string(10'000, 'x') + "\"}"});
}

} // namespace

TEST_CASE("listener: large states of one object merge long before max_pending of them wait", "[cache][listener]")
{
    constexpr std::size_t most = 100'000;
    for (const bool by_key : {false, true}) {
        CAPTURE(by_key);
        listener_core l(1000, coalesce::hybrid, most);
        l.add(added<object>{large_pod("a", 1)});
        l.add(added<object>{pod("b", 1)});
        if (by_key) CHECK(text({*l.take()}) == lines{"+a1"}); // the others wait behind it
        int version = 1;
        for (; version < 500; ++version) {
            l.add(updated<object>{large_pod("a", version), large_pod("a", version + 1)});
            if (by_key && version == 20) {
                CHECK(text({*l.take()}) == lines{"+b1"});
                CHECK_FALSE(l.take());
            }
            REQUIRE(l.bytes() < most + 12'000);
        }
        l.add(updated<object>{pod("b", 1), pod("b", 2)});
        CHECK(l.pending() < 20);
        CHECK(l.coalesced() > 480);
        // The state of an event is the one before the next.
        std::vector<notification<object>> all;
        if (by_key) {
            for (const char* name : {"a", "b"}) l.done({"web", name});
            for (auto n = l.take(); n; n = l.take()) {
                l.done(object_of(*n).key());
                all.push_back(*std::move(n));
            }
        } else {
            all = l.pop(1000);
        }
        std::map<std::string, std::string> told{{"a", "1"}, {"b", "1"}};
        for (const auto& n : all) {
            const auto* u = std::get_if<updated<object>>(&n);
            auto& last = told[std::string(object_of(n).name())];
            if (u) CHECK(u->before.resource_version() == last);
            last = object_of(n).resource_version();
        }
        CHECK(told == std::map<std::string, std::string>{{"a", "500"}, {"b", "2"}});
        CHECK(l.pending() == 0);
        CHECK(l.bytes() == 0);
        l.add(updated<object>{pod("b", 2), pod("b", 3)});
        l.add(updated<object>{pod("b", 3), pod("b", 4)});
        CHECK(l.pending() == 2); // there is room again
    }
}

TEST_CASE("listener: the bytes of waiting events are those of their objects, whatever becomes of them",
          "[cache][listener][model]")
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        INFO("seed " << seed);
        std::mt19937_64 random(seed);
        const auto draw = [&random](std::uint64_t n) { return random() % n; };
        listener_core l(1 + draw(6), draw(4) == 0 ? coalesce::latest_per_key : coalesce::hybrid, draw(2) * 5'000 + 500);
        std::vector<object> in_work;
        std::map<std::string, object> stored;
        const bool by_key = draw(2) == 0;
        for (int step = 0; step < 300; ++step) {
            const auto name = "p" + std::to_string(draw(5));
            auto& now = stored[name];
            const object before = now;
            const auto change = draw(3);
            if (draw(4) == 0 && by_key) {
                if (draw(2) == 0 && !in_work.empty()) {
                    l.done(in_work.back().key());
                    in_work.pop_back();
                } else if (auto n = l.take()) {
                    in_work.push_back(object_of(*n));
                }
            } else if (draw(4) == 0 && !by_key) {
                static_cast<void>(l.pop(1 + draw(4)));
            } else if (draw(50) == 0) {
                l.clear();
                CHECK(l.bytes() == 0);
            } else if (before && change == 0) {
                now = object();
                l.add(deleted<object>{before});
            } else {
                now = draw(3) == 0 ? large_pod(name, step) : pod(name, step);
                if (before)
                    l.add(updated<object>{before, now});
                else
                    l.add(added<object>{now});
            }
            REQUIRE((l.bytes() == 0) == (l.pending() == 0));
        }
        while (!in_work.empty()) {
            l.done(in_work.back().key());
            in_work.pop_back();
        }
        while (auto n = by_key ? l.take() : std::nullopt) l.done(object_of(*n).key());
        static_cast<void>(l.pop(1000));
        REQUIRE(l.pending() == 0);
        REQUIRE(l.bytes() == 0);
    }
}

TEST_CASE("listener: many events behind one key are taken in time linear in their number", "[cache][listener]")
{
    constexpr int many = 200'000;
    listener_core l(many + 1, coalesce::never);
    const notification<object> change = updated<object>{pod("a", 1), pod("a", 2)};
    for (int i = 0; i < many; ++i) l.add(change);
    REQUIRE(l.take());
    CHECK_FALSE(l.take()); // all others wait behind it
    int taken = 1;
    for (l.done({"web", "a"}); l.take(); l.done({"web", "a"})) ++taken;
    CHECK(taken == many);
}

TEST_CASE("listener: after clear() nothing waits", "[cache][listener]")
{
    listener_core l(1);
    l.add(added<object>{pod("a", 1)});
    l.add(added<object>{pod("b", 1)});
    l.clear();
    CHECK(l.pending() == 0);
    CHECK(l.pop(9).empty());
    l.add(added<object>{pod("c", 1)});
    CHECK(text(l.pop(9)) == lines{"+c1"});
}

TEST_CASE("listener: random histories at random speed give a chain for each key, in bounded memory, without loss",
          "[cache][listener][model]")
{
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        INFO("seed " << seed);
        std::mt19937_64 random(seed);
        const auto draw = [&random](std::uint64_t n) { return random() % n; };
        const std::size_t bound = 1 + draw(12);
        const std::size_t keys = 1 + draw(8);
        listener_core l(bound);
        std::map<std::string, object> truth;
        std::map<std::string, object> told;
        std::size_t sent = 0;
        std::size_t received = 0;
        bool crowded = false;
        int version = 0;
        std::optional<std::size_t> marked;
        const auto send = [&](const notification<object>& n) {
            crowded = crowded || l.pending() >= bound;
            l.add(n);
            ++sent;
        };
        const auto receive = [&](const notification<object>& n) {
            ++received;
            const auto key = std::string(object_of(n).name());
            const auto known = told.find(key);
            if (const auto* a = std::get_if<added<object>>(&n)) {
                REQUIRE(known == told.end());
                told[key] = a->obj;
            } else if (const auto* u = std::get_if<updated<object>>(&n)) {
                REQUIRE(known != told.end());
                REQUIRE(u->before.is_same(known->second));
                REQUIRE(u->after.uid() == known->second.uid());
                known->second = u->after;
            } else {
                REQUIRE(known != told.end());
                REQUIRE(object_of(n).uid() == known->second.uid());
                told.erase(known);
            }
        };
        for (int step = 0; step < 200; ++step) {
            if (draw(5) == 0) {
                for (const auto& n : l.pop(1 + draw(6))) receive(n);
            } else if (draw(60) == 0 && !marked) {
                l.mark_initial();
                marked = sent;
            } else {
                const auto key = "p" + std::to_string(draw(keys));
                const auto at = truth.find(key);
                if (at == truth.end()) {
                    const auto uid = "u" + std::to_string(draw(6) == 0 ? 0 : ++version);
                    const auto o = truth[key] = pod(key, ++version, uid);
                    send(added<object>{o});
                } else if (draw(3) == 0) {
                    const auto last = pod(key, ++version, std::string(at->second.uid()));
                    truth.erase(at);
                    send(deleted<object>{last});
                } else {
                    const auto before = at->second;
                    at->second = pod(key, ++version, std::string(before.uid()));
                    send(updated<object>{before, at->second});
                }
            }
            REQUIRE(l.pending() <= bound + 2 * keys);
        }
        while (true) {
            const auto batch = l.pop(3);
            if (batch.empty()) break;
            for (const auto& n : batch) receive(n);
        }
        REQUIRE(told.size() == truth.size());
        for (const auto& [key, o] : truth) REQUIRE(told.at(key).is_same(o));
        if (!crowded) REQUIRE(received == sent);
        REQUIRE(l.initial_finished() == marked.has_value());
    }
}

TEST_CASE("listener: a batch for which there is no memory is taken in once, when it is added again",
          "[cache][listener][memory]")
{
    std::vector<notification<object>> batch;
    for (const char* name : {"a", "b", "c"}) batch.emplace_back(added<object>{pod(name, 1)});
    for (const char* name : {"a", "b", "c"}) batch.emplace_back(updated<object>{pod(name, 1), pod(name, 2)});
    batch.emplace_back(deleted<object>{pod("b", 3)});
    for (const char* name : {"a", "c"}) batch.emplace_back(updated<object>{pod(name, 2), pod(name, 3)});
    for (const auto policy : {coalesce::hybrid, coalesce::latest_per_key, coalesce::never}) {
        const std::size_t bound = policy == coalesce::never ? 100 : 4;
        listener_core whole(bound, policy);
        whole.add(batch);
        const auto expected = text(whole.pop(100));
        bool thrown = true;
        for (std::uint64_t nth = 1; thrown; ++nth) {
            CAPTURE(static_cast<int>(policy), nth);
            REQUIRE(nth < 100);
            listener_core l(bound, policy);
            std::size_t taken = 0;
            thrown = false;
            test::fail_allocation(nth);
            try {
                l.add(batch, taken);
            } catch (const std::bad_alloc&) {
                thrown = true;
            }
            test::fail_allocation(0);
            l.add(batch, taken);
            CHECK(taken == batch.size());
            CHECK(text(l.pop(100)) == expected);
        }
    }
}

TEST_CASE("listener: an event for whose key there is no memory is taken later", "[cache][listener][memory]")
{
    bool thrown = true;
    for (std::uint64_t nth = 1; thrown; ++nth) {
        CAPTURE(nth);
        REQUIRE(nth < 100);
        listener_core l(100);
        l.add(added<object>{pod("a", 1)});
        l.add(updated<object>{pod("a", 1), pod("a", 2)});
        l.add(added<object>{pod("b", 1)});
        std::vector<notification<object>> got;
        const auto take_all = [&] {
            while (auto n = l.take()) {
                got.push_back(*n);
                l.done(object_of(*n).key());
            }
        };
        got.reserve(3);
        auto first = l.take(); // "a" is in progress, so that its update waits behind it
        got.push_back(*first);
        thrown = false;
        test::fail_allocation(nth);
        try {
            take_all();
            l.done(object_of(*first).key());
            take_all();
        } catch (const std::bad_alloc&) {
            thrown = true;
        }
        test::fail_allocation(0);
        for (const auto& n : got) l.done(object_of(n).key());
        take_all();
        auto all = text(got);
        std::sort(all.begin(), all.end());
        CHECK(all == lines{"+a1", "+b1", "a1>2"});
    }
}
