// Which events are sent, and which are merged or dropped.
#include "events/event_correlator_core.hpp"

#include <kubecoro/test/catch.hpp>

#include <chrono>
#include <map>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace std::chrono_literals;
using ending = event_correlator_core::ending;
using ids = std::vector<event_correlator_core::id>;

namespace {

event_target pod(const std::string& name, const std::string& version = "1")
{
    event_target t;
    t.api_version = "v1";
    t.kind = "Pod";
    t.ns = "web";
    t.name = name;
    t.uid = "u-" + name;
    t.resource_version = version;
    return t;
}

struct subject
{
    event_correlator_core core;
    time_point now{1h};

    explicit subject(const event_limits& limits = {}, event_api api = event_api::events_v1) : core(api, limits, 1) {}

    void record(const event_target& t, const std::string& reason, const std::string& note = "note",
                event_type type = event_type::normal)
    {
        core.record(make_draft(t, type, reason, "Do", note, {}), now, wall_time(now.time_since_epoch()));
    }
    /// Sends it with that outcome, and returns what the request was.
    std::string send(event_correlator_core::id which, ending how = ending::stored)
    {
        const auto r = core.begin(which);
        if (!r) return "nothing";
        const auto text =
            (r->creates ? "create " : "patch ") + r->of.what.regarding.name + " x" + std::to_string(r->of.count);
        again = core.ended(which, how, now);
        return text;
    }
    /// Sends everything until nothing is left, and returns the requests.
    std::vector<std::string> send_all()
    {
        std::vector<std::string> sent;
        for (ids ready = core.take_ready(); !ready.empty(); ready = core.take_ready())
            for (const auto which : ready) do {
                    sent.push_back(send(which));
                } while (again == duration::zero());
        return sent;
    }
    std::optional<duration> again;
};

using requests = std::vector<std::string>;

} // namespace

TEST_CASE("events: the second of a kind begins a series, later ones wait", "[controller][events]")
{
    subject s;
    s.record(pod("a"), "Failed");
    CHECK(s.send_all() == requests{"create a x1"});
    s.record(pod("a", "2"), "Failed", "another note");
    CHECK(s.send_all() == requests{"patch a x2"});
    for (int i = 0; i < 5; ++i) s.record(pod("a"), "Failed");
    CHECK(s.send_all().empty());
    CHECK(s.core.stats().repeated == 6);
    CHECK(s.core.stats().pending == 0);
    SECTION("until six minutes have passed")
    {
        s.now += 5min;
        s.core.sweep(s.now);
        CHECK(s.send_all().empty());
        s.now += 1min;
        s.core.sweep(s.now);
        CHECK(s.send_all() == requests{"patch a x7"});
        CHECK(s.core.stats().recent == 0);
        s.record(pod("a"), "Failed");
        CHECK(s.send_all() == requests{"create a x1"});
    }
    SECTION("or half an hour, if it goes on")
    {
        for (int i = 0; i < 10; ++i) {
            s.now += 3min;
            s.core.sweep(s.now);
            CHECK(s.send_all() == (i < 9 ? requests{} : requests{"patch a x16"}));
            s.record(pod("a"), "Failed");
        }
    }
}

TEST_CASE("events: what differs in object, type, reason or part is another event", "[controller][events]")
{
    subject s;
    auto part = pod("a");
    part.field_path = "spec.containers{web}";
    s.record(pod("a"), "Failed");
    s.record(pod("b"), "Failed");
    s.record(pod("a"), "Mounted");
    s.record(pod("a"), "Failed", "note", event_type::warning);
    s.record(part, "Failed");
    CHECK(s.send_all().size() == 5);
    CHECK(s.core.stats().repeated == 0);
}

TEST_CASE("events: repetitions go with an event that waits", "[controller][events]")
{
    subject s;
    for (int i = 0; i < 3; ++i) s.record(pod("a"), "Failed");
    CHECK(s.core.stats().pending == 1);
    CHECK(s.send_all() == requests{"create a x3"});
    CHECK(s.core.stats().created == 1);

    s.record(pod("b"), "Failed");
    const ids ready = s.core.take_ready();
    REQUIRE(ready.size() == 1);
    REQUIRE(s.core.begin(ready[0]));
    s.record(pod("b"), "Failed"); // while the request is on its way
    CHECK(s.core.ended(ready[0], ending::stored, s.now) == duration::zero());
    CHECK(s.send(ready[0]) == "patch b x2");
    CHECK_FALSE(s.again);
}

TEST_CASE("events: one object has no more than its share", "[controller][events]")
{
    event_limits o;
    o.object_burst = 2;
    o.object_interval = 1min;
    subject s(o);
    for (const auto* reason : {"A", "B", "C"}) s.record(pod("a"), reason);
    s.record(pod("b"), "A");
    CHECK(s.send_all() == requests{"create a x1", "create a x1", "create b x1"});
    CHECK(s.core.stats().dropped_spam == 1);
    s.record(pod("a"), "A"); // counted, and sent later
    CHECK(s.send_all().empty());
    s.now += 30s;
    s.record(pod("a"), "C");
    CHECK(s.core.stats().dropped_spam == 2);
    s.now += 30s;
    s.record(pod("a"), "C");
    CHECK(s.send_all() == requests{"create a x1"});
    s.now += 6min;
    s.core.sweep(s.now);
    CHECK(s.send_all() == requests{"patch a x2"});
}

TEST_CASE("events: too many that wait are dropped", "[controller][events]")
{
    event_limits o;
    o.max_pending = 2;
    subject s(o);
    for (const auto* name : {"a", "b", "c"}) s.record(pod(name), "Failed");
    CHECK(s.core.stats().dropped_full == 1);
    CHECK(s.core.stats().pending == 2);
    CHECK(s.send_all() == requests{"create a x1", "create b x1"});
    s.record(pod("c"), "Failed");
    CHECK(s.send_all() == requests{"create c x1"});
}

TEST_CASE("events: a namespace with very many events leaves room for those of others", "[controller][events]")
{
    event_limits o;
    o.max_pending = 80;
    subject s(o);
    const auto pending = [&] { return s.core.stats().pending; };
    for (int n = 0; n < 200; ++n) s.record(pod("p" + std::to_string(n)), "Failed");
    CHECK(pending() == 70);
    auto other = pod("other");
    for (int n = 0; n < 20; ++n) {
        other.ns = "quiet";
        other.name = "other-" + std::to_string(n);
        s.record(other, "Failed");
    }
    CHECK(pending() == 75); // as many as there is room left
    other.ns = "third";
    s.record(other, "Failed");
    CHECK(pending() == 76);
    CHECK(s.core.stats().dropped_full == 130 + 15);
    // Events that were sent make room again, and an event that repeats needs it too.
    CHECK(s.send_all().size() == 76);
    CHECK(pending() == 0);
    for (int n = 0; n < 70; ++n) s.record(pod("p" + std::to_string(n)), "Failed");
    CHECK(pending() == 70);
    s.record(other, "Failed");
    CHECK(pending() == 71);
    (void)s.core.abandon();
    s.record(other, "Failed");
    CHECK(s.core.stats().dropped_stopped == 71 + 1);
}

TEST_CASE("events: texts have a limit in bytes, and recent events a number", "[controller][events]")
{
    event_limits o;
    SECTION("bytes")
    {
        o.max_bytes = 4000;
        subject s(o);
        const std::string note(1000, 'x');
        for (int i = 0; i < 10; ++i) {
            s.record(pod("p" + std::to_string(i)), "Failed", note);
            if (i < 5) s.send_all();
            CHECK(s.core.stats().bytes <= 4000);
        }
        CHECK(s.core.stats().dropped_full > 0);
        CHECK(s.core.stats().created == 5); // forgotten ones made room
    }
    SECTION("number")
    {
        o.max_pending = 2;
        o.max_recent = 3;
        subject s(o);
        for (const auto* name : {"a", "b", "c"}) {
            s.record(pod(name), "Failed");
            s.send_all();
        }
        for (int i = 0; i < 2; ++i) s.record(pod("a"), "Failed"); // used last, with a repetition that is not sent
        CHECK(s.send_all() == requests{"patch a x3"});
        s.record(pod("a"), "Failed");
        s.record(pod("c"), "Failed");
        s.send_all();
        s.record(pod("d"), "Failed"); // b is forgotten
        CHECK(s.send_all() == requests{"create d x1"});
        s.record(pod("e"), "Failed"); // a is not before its rest is sent
        CHECK(s.send_all() == requests{"patch a x4", "create e x1"});
        CHECK(s.core.stats().recent == 3);
        CHECK(s.core.stats().dropped_full == 0);
    }
}

TEST_CASE("events: an unreachable server is asked twelve times", "[controller][events]")
{
    subject s;
    s.record(pod("a"), "Failed");
    s.record(pod("a"), "Failed");
    const ids ready = s.core.take_ready();
    REQUIRE(ready.size() == 1);
    for (unsigned i = 1; i < event_limits{}.attempts; ++i) {
        CHECK(s.send(ready[0], ending::try_again) == "create a x2");
        REQUIRE(s.again);
        CHECK(*s.again >= (i == 1 ? duration::zero() : duration(10s)));
        CHECK(*s.again <= 12500ms);
    }
    s.send(ready[0], ending::try_again);
    CHECK_FALSE(s.again);
    CHECK(s.core.stats().retried == 11);
    CHECK(s.core.stats().dropped_failed == 2);
    CHECK(s.core.stats().recent == 0);
    CHECK(s.send(ready[0]) == "nothing");
}

TEST_CASE("events: a response that was lost, and an event that was deleted", "[controller][events]")
{
    subject s;
    s.record(pod("a"), "Failed");
    ids ready = s.core.take_ready();
    s.send(ready.at(0), ending::try_again);
    SECTION("it exists already")
    {
        CHECK(s.send(ready[0], ending::exists) == "create a x1");
        CHECK_FALSE(s.again);
        CHECK(s.core.stats().created == 0);
        s.record(pod("a"), "Failed");
        CHECK(s.send_all() == requests{"patch a x2"});
    }
    SECTION("it exists already, and was repeated meanwhile")
    {
        s.record(pod("a"), "Failed");
        CHECK(s.send(ready[0], ending::exists) == "create a x2");
        CHECK(s.again == duration::zero());
        CHECK(s.send(ready[0]) == "patch a x2");
    }
    SECTION("it is deleted before the series begins")
    {
        s.send(ready[0]);
        s.record(pod("a"), "Failed");
        ready = s.core.take_ready();
        CHECK(s.send(ready.at(0), ending::absent) == "patch a x2");
        CHECK(s.again == duration::zero());
        CHECK(s.send(ready[0]) == "create a x2");
        CHECK_FALSE(s.again);
    }
    SECTION("its namespace is gone")
    {
        CHECK(s.send(ready[0], ending::absent) == "create a x1");
        CHECK_FALSE(s.again);
        CHECK(s.core.stats().dropped_refused == 1);
    }
}

TEST_CASE("events: a refused event is not sent again", "[controller][events]")
{
    subject s;
    s.record(pod("a"), "Failed");
    s.send(s.core.take_ready().at(0), ending::refused);
    CHECK_FALSE(s.again);
    CHECK(s.core.stats().dropped_refused == 1);
    s.record(pod("a"), "Failed");
    CHECK(s.send_all() == requests{"create a x1"});
    s.record(event_target(), "Failed");
    s.record(pod("a"), "");
    CHECK(s.core.stats().dropped_refused == 3);
}

TEST_CASE("events: the end sends the rest, in one attempt", "[controller][events]")
{
    subject s;
    for (int i = 0; i < 4; ++i) {
        s.record(pod("a"), "Failed");
        s.send_all();
    }
    s.record(pod("b"), "Failed");
    const auto b = s.core.take_ready().at(0);
    s.send(b, ending::try_again); // rests
    s.record(pod("c"), "Failed");
    s.send_all();
    s.core.close();
    s.record(pod("d"), "Failed");
    CHECK(s.core.stats().dropped_stopped == 1);
    const auto left = s.core.take_ready();
    REQUIRE(left.size() == 2);
    std::map<std::string, int> sent;
    for (const auto which : left) ++sent[s.send(which, which == b ? ending::try_again : ending::stored)];
    CHECK(sent == std::map<std::string, int>{{"patch a x4", 1}, {"create b x1", 1}});
    CHECK(s.core.stats().dropped_stopped == 2);
    CHECK(s.core.stats().recent == 0);
    CHECK(s.core.abandon() == 0);
}

TEST_CASE("events: the older API counts each repetition and combines similar ones", "[controller][events]")
{
    event_limits o;
    o.object_burst = 0;
    subject s(o, event_api::core_v1);
    for (int i = 1; i <= 3; ++i) {
        s.record(pod("a"), "Failed", "same");
        CHECK(s.send_all() == requests{(i == 1 ? "create a x" : "patch a x") + std::to_string(i)});
    }
    for (int i = 0; i < 8; ++i) {
        s.record(pod("a"), "Failed", "note " + std::to_string(i));
        CHECK(s.send_all() == requests{"create a x1"});
    }
    s.record(pod("a"), "Failed", "the tenth");
    const auto which = s.core.take_ready().at(0);
    CHECK(s.core.begin(which)->of.what.note == "(combined from similar events): the tenth");
    (void)s.core.ended(which, ending::stored, s.now);
    s.record(pod("a"), "Failed", "the eleventh");
    CHECK(s.core.take_ready() == ids{which});
    CHECK(s.core.begin(which)->of.what.note == "(combined from similar events): the eleventh");
    CHECK(s.core.begin(which)->of.count == 2);
    (void)s.core.ended(which, ending::stored, s.now);
    s.now += 10min + 1s;
    s.record(pod("a"), "Failed", "the twelfth");
    CHECK(s.send_all() == requests{"create a x1"});
    s.now += 1h;
    s.core.sweep(s.now);
    CHECK(s.core.stats().recent == 0);
}

TEST_CASE("events: every event is stored, dropped or waiting", "[controller][events][model]")
{
    const std::uint64_t first = random_seed();
    for (std::uint64_t seed = first; seed != first + 50; ++seed) {
        INFO("seed " << seed);
        random_source random(seed);
        const auto draw = [&](std::uint64_t n) { return random() % n; };
        event_limits o;
        const auto api = draw(2) == 0 ? event_api::events_v1 : event_api::core_v1;
        o.max_pending = 1 + draw(8);
        o.max_recent = o.max_pending + draw(8);
        o.max_bytes = 2000 + draw(20'000);
        o.object_burst = static_cast<unsigned>(draw(6));
        o.attempts = 3;
        subject s(o, api);
        ids waiting;
        std::map<event_correlator_core::id, unsigned> stored;
        for (int step = 0; step < 400; ++step) {
            const auto kind = draw(10);
            if (kind < 6)
                s.record(pod("p" + std::to_string(draw(12))), "R" + std::to_string(draw(3)),
                         "n" + std::to_string(draw(20)));
            else if (kind == 6)
                s.core.sweep(s.now += std::chrono::seconds(draw(400)));
            const auto ready = s.core.take_ready();
            waiting.insert(waiting.end(), ready.begin(), ready.end());
            if (kind >= 7 && !waiting.empty()) {
                const auto at = waiting.begin() + static_cast<std::ptrdiff_t>(draw(waiting.size()));
                const auto which = *at;
                const auto r = s.core.begin(which);
                if (r) {
                    const bool creates = r->creates;
                    const unsigned count = r->of.count;
                    const auto how = draw(3) != 0 ? ending::stored : creates ? ending::try_again : ending::absent;
                    if (how == ending::stored) stored[which] = count;
                    if (how == ending::absent) stored[which] = 0;
                    if (!s.core.ended(which, how, s.now)) waiting.erase(at);
                } else {
                    waiting.erase(at);
                }
            }
            const auto now = s.core.stats();
            REQUIRE(now.pending <= o.max_pending);
            REQUIRE(now.pending <= waiting.size());
            REQUIRE(now.bytes <= o.max_bytes);
            REQUIRE(now.recent <= std::max(o.max_recent, o.max_pending) + o.max_pending);
        }
        const auto lost = s.core.abandon();
        std::uint64_t on_server = 0;
        for (const auto& [which, count] : stored) on_server += count;
        const auto end = s.core.stats();
        REQUIRE(end.recorded == on_server + end.dropped_spam + end.dropped_full + end.dropped_refused +
                                    end.dropped_failed + end.dropped_stopped);
        REQUIRE(lost == end.dropped_stopped);
        REQUIRE(end.bytes == 0);
    }
}

TEST_CASE("events: one that is queued twice, because memory ran out meanwhile, is sent once", "[controller][events]")
{
    subject s;
    s.record(pod("a"), "Failed");
    const auto ready = s.core.take_ready();
    REQUIRE(ready.size() == 1);
    CHECK(s.send(ready.front()) == "create a x1");
    CHECK_FALSE(s.core.begin(ready.front()));
    CHECK_FALSE(s.core.ended(ready.front(), ending::stored, s.now));
    CHECK(s.core.stats().updated == 0);
    CHECK(s.core.stats().pending == 0);
    s.record(pod("a"), "Failed");
    CHECK(s.send_all() == requests{"patch a x2"});
    CHECK(s.core.stats().pending == 0);
}
