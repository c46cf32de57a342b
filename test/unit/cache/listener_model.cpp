// Tests of listener_core against a naive queue, for every policy, read in batches and by key.

#include "listener/listener_core.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/objects.hpp>

#include <algorithm>
#include <list>
#include <map>
#include <random>
#include <set>

using namespace kubecoro;
using namespace kubecoro::detail;
namespace kt = kubecoro::testing;

namespace {

/// A reference implementation of listener_core that scans everything on every call.
class naive_queue
{
public:
    naive_queue(coalesce policy, std::size_t bound) : policy_(policy), bound_(bound) {}

    void add(const notification<object>& n)
    {
        if (overrun) return;
        if (policy_ == coalesce::never) {
            overrun = !replay(n) && std::count_if(waiting.begin(), waiting.end(), [](const item& i) {
                                        return !replay(i.event);
                                    }) >= static_cast<std::ptrdiff_t>(bound_);
            if (!overrun) waiting.push_back({n, false});
            return;
        }
        const bool merges = policy_ == coalesce::latest_per_key || waiting.size() >= bound_;
        auto last =
            std::find_if(waiting.rbegin(), waiting.rend(), [&](const item& i) { return key(i.event) == key(n); });
        if (!merges || last == waiting.rend() || std::holds_alternative<deleted<object>>(last->event))
            return waiting.push_back({n, false});
        const bool gone = std::holds_alternative<deleted<object>>(n);
        if (auto* a = std::get_if<added<object>>(&last->event)) {
            if (!gone)
                a->obj = object_of(n);
            else
                waiting.erase(std::next(last).base());
        } else if (gone) {
            last->event = n;
        } else {
            std::get<updated<object>>(last->event).after = object_of(n);
        }
    }
    void mark()
    {
        marked = true;
        for (auto& i : waiting) i.initial = true;
        for (auto& [name, initial] : busy) initial = true;
    }
    /// Removes and returns the first event that waits for this key.
    notification<object> take(const std::string& name)
    {
        const auto at =
            std::find_if(waiting.begin(), waiting.end(), [&](const item& i) { return key(i.event) == name; });
        REQUIRE(at != waiting.end());
        REQUIRE(busy.count(name) == 0);
        busy[name] = at->initial;
        auto n = at->event;
        waiting.erase(at);
        return n;
    }
    [[nodiscard]] bool any_free() const
    {
        return std::any_of(waiting.begin(), waiting.end(),
                           [&](const item& i) { return busy.count(key(i.event)) == 0; });
    }
    [[nodiscard]] bool initial_finished() const
    {
        return marked && std::none_of(waiting.begin(), waiting.end(), [](const item& i) { return i.initial; }) &&
               std::none_of(busy.begin(), busy.end(), [](const auto& b) { return b.second; });
    }
    static std::string key(const notification<object>& n) { return std::string(object_of(n).name()); }

    struct item
    {
        notification<object> event;
        bool initial;
    };
    std::list<item> waiting;
    /// The keys in progress, and whether their events are initial.
    std::map<std::string, bool> busy;
    bool overrun = false;
    bool marked = false;

private:
    static bool replay(const notification<object>& n)
    {
        const auto* a = std::get_if<added<object>>(&n);
        const auto* u = std::get_if<updated<object>>(&n);
        return (a && a->initial) || (u && u->resync());
    }

    coalesce policy_;
    std::size_t bound_;
};

bool same(const notification<object>& a, const notification<object>& b)
{
    if (a.index() != b.index() || !object_of(a).is_same(object_of(b))) return false;
    if (const auto* x = std::get_if<added<object>>(&a)) return x->initial == std::get<added<object>>(b).initial;
    if (const auto* u = std::get_if<updated<object>>(&a)) return u->before.is_same(std::get<updated<object>>(b).before);
    return true;
}

/// A random history of a few objects.
class history
{
public:
    explicit history(std::mt19937_64& random) : random_(random), keys_(1 + draw(6)) {}

    notification<object> next(bool initial)
    {
        const auto name = "p" + std::to_string(draw(keys_));
        object& now = objects_[name];
        const object before = now;
        if (!before) {
            now = make(name, "u" + std::to_string(draw(5) == 0 ? 0 : ++version_));
            return added<object>{now, initial};
        }
        if (draw(8) == 0) return updated<object>{before, before};
        if (draw(3) == 0) {
            now = object();
            return deleted<object>{make(name, std::string(before.uid())), draw(4) == 0};
        }
        now = make(name, std::string(before.uid()));
        return updated<object>{before, now};
    }
    std::uint64_t draw(std::uint64_t n) { return random_() % n; }

private:
    object make(const std::string& name, std::string uid)
    {
        return kt::make_object({.ns = "web",
                                .name = name,
                                .resource_version = std::to_string(++version_),
                                .uid = std::move(uid),
                                .labels = {},
                                .members = {}});
    }

    std::mt19937_64& random_;
    std::uint64_t keys_;
    std::uint64_t version_ = 0;
    std::map<std::string, object> objects_;
};

void read_batches(listener_core& l, naive_queue& model, std::size_t max)
{
    const auto batch = l.pop(max);
    model.busy.clear();
    REQUIRE(batch.size() == std::min(max, model.waiting.size()));
    std::map<std::string, bool> initial;
    for (const auto& n : batch) {
        REQUIRE(same(n, model.waiting.front().event));
        initial[model.key(n)] = initial[model.key(n)] || model.waiting.front().initial;
        model.waiting.pop_front();
    }
    model.busy = std::move(initial);
}

void read_one(listener_core& l, naive_queue& model)
{
    const bool expected = model.any_free();
    const auto n = l.take();
    REQUIRE(n.has_value() == expected);
    if (n) REQUIRE(same(*n, model.take(model.key(*n))));
}

void end_one(listener_core& l, naive_queue& model, history& life)
{
    if (model.busy.empty()) return;
    const auto at = std::next(model.busy.begin(), static_cast<std::ptrdiff_t>(life.draw(model.busy.size())));
    l.done({"web", at->first});
    model.busy.erase(at);
}

void run_program(std::uint64_t seed)
{
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    history life(random);
    const auto policy = static_cast<coalesce>(seed % 3);
    const bool by_key = seed / 3 % 2 == 0;
    const std::size_t bound = 1 + life.draw(10);
    listener_core l(bound, policy);
    naive_queue model(policy, bound);
    for (int step = 0; step < 60; ++step) {
        const auto what = life.draw(10);
        if (what < 5) {
            const auto n = life.next(!model.marked && life.draw(2) == 0);
            l.add(n);
            model.add(n);
        } else if (what == 5 && !model.marked && life.draw(3) == 0) {
            l.mark_initial();
            model.mark();
        } else if (what == 6 && life.draw(20) == 0) {
            l.clear();
            model.waiting.clear();
        } else if (!by_key) {
            read_batches(l, model, 1 + life.draw(4));
        } else if (what < 9) {
            read_one(l, model);
        } else {
            end_one(l, model, life);
        }
        REQUIRE(l.overrun() == model.overrun);
        REQUIRE(l.pending() == model.waiting.size());
        REQUIRE(l.initial_finished() == model.initial_finished());
    }
}

} // namespace

TEST_CASE("listener: 10,000 random programs agree with a naive queue, for every policy, in batches and by key",
          "[cache][listener][model]")
{
    for (std::uint64_t seed = 1; seed <= 10'000; ++seed) run_program(seed);
}

TEST_CASE("listener: with coalesce::never replays do not overrun it, changes do", "[cache][listener]")
{
    std::mt19937_64 random(3);
    listener_core l(2, coalesce::never);
    const auto pod = [](int i) { return kt::make_pod("web", "p" + std::to_string(i), "1"); };
    std::vector<notification<object>> again;
    for (int i = 0; i < 10; ++i) {
        l.add(added<object>{pod(i), true});
        again.emplace_back(updated<object>{pod(i), pod(i)});
    }
    CHECK_FALSE(l.overrun());
    CHECK_FALSE(l.takes_resync()); // the initial adds still wait
    CHECK(l.pop(20).size() == 10);
    CHECK(l.takes_resync());
    l.add(again);
    CHECK(l.pending() == 10);
    l.add(added<object>{pod(20)});
    l.add(added<object>{pod(21)});
    CHECK_FALSE(l.overrun());
    l.add(added<object>{pod(22)});
    CHECK(l.overrun());
    l.add(added<object>{pod(23), true});
    CHECK(l.pop(99).size() == 12); // everything up to the overrun, nothing after it
    CHECK(l.pop(99).empty());
}

TEST_CASE("listener: with coalesce::never large states overrun it before max_pending of them wait", "[cache][listener]")
{
    const auto large = [](std::string_view name, int version) {
        return kt::make_object({.ns = "web",
                                .name = std::string(name),
                                .resource_version = std::to_string(version),
                                .members = R"("data":{"text":")" + std::string(1'000'000, 'x') + R"("})"});
    };
    const object first = large("a", 1);
    const object second = large("a", 2);
    const notification<object> change = updated<object>{first, second};
    const auto add_until_overrun = [&](listener_core& l, int most) {
        int accepted = 0;
        while (!l.overrun() && accepted <= most) {
            l.add(change);
            if (!l.overrun()) ++accepted;
        }
        return accepted;
    };
    for (const bool by_key : {false, true}) {
        CAPTURE(by_key);
        listener_core l(1000, coalesce::never);
        // Those that are there already do not count, and leave nothing behind when they have been read.
        for (int i = 0; i < 100; ++i) l.add(added<object>{first, true});
        l.add(change);
        CHECK_FALSE(l.overrun());
        int read = 0;
        if (by_key)
            for (; l.take(); ++read) l.done(first.key());
        else
            read = static_cast<int>(l.pop(1000).size());
        CHECK(read == 101);
        for (int i = 0; i < 100; ++i) l.add(updated<object>{first, first}); // a resync does not count either
        const auto accepted = add_until_overrun(l, 200);
        CHECK(accepted > 60);
        CHECK(accepted < 70);
        CHECK(l.overrun_by() == "events with too many bytes of objects");
        CHECK(l.pop(1000).size() == static_cast<std::size_t>(accepted) + 100); // all of these, nothing after them
    }
    // A user who permits many events expects that they wait.
    listener_core patient(10'000, coalesce::never);
    CHECK(add_until_overrun(patient, 600) > 600);
    listener_core few(3, coalesce::never);
    CHECK(add_until_overrun(few, 200) == 3);
    CHECK(few.overrun_by() == "more than max_pending events");
}

TEST_CASE("listener: latest_per_key keeps one event per key, two where a deletion is followed by an add",
          "[cache][listener]")
{
    const auto pod = [](std::string name, int v, std::string uid) {
        return kt::make_object({.ns = "web",
                                .name = std::move(name),
                                .resource_version = std::to_string(v),
                                .uid = std::move(uid),
                                .labels = {},
                                .members = {}});
    };
    listener_core l(1000, coalesce::latest_per_key);
    l.add(added<object>{pod("a", 1, "u1"), true});
    l.add(updated<object>{pod("a", 1, "u1"), pod("a", 2, "u1")});
    l.add(added<object>{pod("b", 3, "u2")});
    CHECK(l.pending() == 2);
    l.add(deleted<object>{pod("b", 4, "u2")});
    CHECK(l.pending() == 1);
    auto first = l.pop(1);
    REQUIRE(first.size() == 1);
    CHECK(object_of(first[0]).resource_version() == "2");
    l.add(updated<object>{pod("a", 2, "u1"), pod("a", 5, "u1")});
    l.add(deleted<object>{pod("a", 6, "u1")});
    l.add(added<object>{pod("a", 7, "u3")});
    l.add(updated<object>{pod("a", 7, "u3"), pod("a", 8, "u3")});
    const auto rest = l.pop(9);
    REQUIRE(rest.size() == 2);
    CHECK(std::holds_alternative<deleted<object>>(rest[0]));
    CHECK(object_of(rest[1]).resource_version() == "8");
}

TEST_CASE("listener: the index of thousands of waiting events is made in parts", "[cache][listener][turns]")
{
    const auto pod = [](int i, int version) {
        return kt::make_pod("web", "p" + std::to_string(i), std::to_string(version));
    };
    listener_core l(10);
    for (int i = 0; i < 1000; ++i) l.add(added<object>{pod(i, 1), true});
    std::size_t most = 400;
    CHECK_FALSE(l.index_some(most));
    CHECK(most == 0);
    l.add(added<object>{pod(1000, 1)});
    CHECK(l.pop(100).size() == 100); // a part of those that are indexed
    most = 400;
    CHECK_FALSE(l.index_some(most));
    most = 400;
    CHECK(l.index_some(most));
    CHECK(most == 400 - 201);
    for (const int i : {150, 500, 1000}) l.add(updated<object>{pod(i, 1), pod(i, 2)});
    CHECK(l.coalesced() == 3);
    CHECK(l.pending() == 901);

    listener_core calm(2000);
    for (int i = 0; i < 1000; ++i) calm.add(added<object>{pod(i, 1), true});
    most = 400;
    CHECK(calm.index_some(most)); // nothing merges yet
    CHECK(most == 400);
}

TEST_CASE("listener: what was dropped is freed in parts", "[cache][listener][turns]")
{
    listener_core l(10);
    for (int i = 0; i < 100; ++i) l.add(added<object>{kt::make_pod("web", std::to_string(i), "1"), true});
    l.clear();
    CHECK(l.pending() == 0);
    CHECK(l.pop(10).empty());
    CHECK(l.free_some(60));
    l.add(added<object>{kt::make_pod("web", "late", "1")});
    CHECK_FALSE(l.free_some(60));
    CHECK(l.pop(10).size() == 1);
}
