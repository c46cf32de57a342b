// Keys that wait for their own writes, as scripts.
#include "writes/own_writes_core.hpp"

#include <kubecoro/test/catch.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace std::chrono_literals;

namespace {

const object_key a("web", "a");
const object_key b("web", "b");
const time_point soon{10s};

struct script
{
    own_writes_core core;
    std::vector<own_writes_core::released> out;
    /// Places that are not watched yet.
    std::vector<own_writes_core::place> begun;
    std::vector<own_writes_core::place_id> changed;

    void note(own_writes_core::news told)
    {
        begun.insert(begun.end(), told.begun.begin(), told.begun.end());
        changed.insert(changed.end(), told.changed.begin(), told.changed.end());
    }
    void add(const object_key& key, std::string version, time_point expiry = soon, std::uint32_t source = 1)
    {
        note(core.add(key, {{.source = source, .ns = "web", .version = std::move(version)}}, {}, expiry));
    }
    void expire(time_point now, std::size_t in_vain)
    {
        own_writes_core::news told;
        CHECK(core.expire(now, out, told) == in_vain);
        note(told);
    }
    /// Keys that were released since the last call.
    std::vector<std::string> let_go()
    {
        std::vector<std::string> keys;
        for (const auto& r : std::exchange(out, {})) keys.push_back(r.key.name + "@" + std::to_string(r.priority));
        std::sort(keys.begin(), keys.end());
        return keys;
    }
};
using keys = std::vector<std::string>;
using ids = std::vector<own_writes_core::place_id>;

} // namespace

TEST_CASE("own writes: a key is held until its write is reached, and then released at its highest priority",
          "[own_writes]")
{
    script s;
    CHECK_FALSE(s.core.hold(a, 0));
    s.add(a, "20");
    REQUIRE(s.begun.size() == 1);
    const auto place = s.begun[0].id;
    CHECK(s.begun[0].source == 1);
    CHECK(s.begun[0].ns == "web");
    CHECK(s.core.hold(a, -100));
    CHECK(s.core.hold(a, 5));
    CHECK(s.core.hold(a, 0));
    CHECK(s.core.held() == 1);
    CHECK_FALSE(s.core.hold(b, 0));
    CHECK(s.core.next(place) == "20");
    s.core.reached(place, "19", s.out);
    s.core.reached(place + 1, "30", s.out);
    CHECK(s.let_go().empty());
    s.core.reached(place, "20", s.out);
    CHECK(s.let_go() == keys{"a@5"});
    CHECK(s.core.held() == 0);
    CHECK(s.core.size() == 0);
    CHECK_FALSE(s.core.hold(a, 0));
    CHECK_FALSE(s.core.next(place));
}

TEST_CASE("own writes: a version already reached holds no key", "[own_writes]")
{
    script s;
    s.add(a, "20");
    s.core.reached(s.begun.at(0).id, "21", s.out);
    CHECK(s.let_go().empty());
    CHECK_FALSE(s.core.hold(a, 0));
}

TEST_CASE("own writes: versions are numbers of any length, and any other text is never awaited", "[own_writes]")
{
    script s;
    s.add(a, "340282366920938463463374607431768211456");
    s.add(b, "99");
    const auto place = s.begun.at(0).id;
    CHECK(s.core.next(place) == "99");
    CHECK(s.core.hold(a, 0));
    CHECK(s.core.hold(b, 0));
    s.core.reached(place, "100", s.out);
    CHECK(s.let_go() == keys{"b@0"});
    s.core.reached(place, "340282366920938463463374607431768211455", s.out);
    CHECK(s.let_go().empty());
    s.core.reached(place, "340282366920938463463374607431768211456", s.out);
    CHECK(s.let_go() == keys{"a@0"});
    for (const auto* opaque : {"", "abc", "0010", "v2"}) s.add(a, opaque);
    CHECK(s.core.size() == 0);
    CHECK(s.core.moments() == 0);
    CHECK(s.begun.size() == 1);
}

TEST_CASE("own writes: a key with writes in several places waits for the last of them", "[own_writes]")
{
    script s;
    s.note(s.core.add(a,
                      {{.source = 1, .ns = "web", .version = "20"},
                       {.source = 1, .ns = "jobs", .version = "21"},
                       {.source = 2, .ns = "web", .version = "20"},
                       {.source = 1, .ns = "web", .version = "25"},
                       {.source = 1, .ns = "web", .version = "23"}},
                      {}, soon));
    REQUIRE(s.begun.size() == 3);
    CHECK(s.core.places_of(1).size() == 2);
    CHECK(s.core.places_of(2) == ids{s.begun[2].id});
    CHECK(s.core.places_of(3).empty());
    CHECK(s.core.hold(a, 0));
    CHECK(s.core.next(s.begun[0].id) == "25"); // only the highest of one place
    s.core.reached(s.begun[0].id, "25", s.out);
    s.core.reached(s.begun[1].id, "21", s.out);
    CHECK(s.let_go().empty());
    s.core.give_up(s.begun[2].id, s.out);
    CHECK(s.let_go() == keys{"a@0"});
    CHECK(s.core.places_of(2).empty());
}

TEST_CASE("own writes: the watch of a place is notified when a lower version is awaited", "[own_writes]")
{
    script s;
    s.add(a, "30");
    s.add(b, "31");
    CHECK(s.changed.empty());
    s.add(b, "29"); // b waits for 31 already
    CHECK(s.changed.empty());
    s.add({"web", "c"}, "28");
    const auto place = s.begun.at(0).id;
    CHECK(s.changed == ids{place});
    CHECK(s.begun.size() == 1);
    CHECK(s.core.next(place) == "28");
}

TEST_CASE("own writes: a wait ends when it expires, and a later write begins a later one", "[own_writes]")
{
    script s;
    s.add(a, "20", time_point{10s});
    s.add(b, "20", time_point{11s});
    CHECK(s.core.next_expiry() == time_point{10s});
    CHECK(s.core.hold(a, 0));
    s.add(a, "30", time_point{12s});
    CHECK(s.core.next_expiry() == time_point{11s});
    s.expire(time_point{10s}, 0);
    s.changed.clear();
    s.expire(time_point{11s}, 0); // no run of b was requested: no key waited
    CHECK(s.changed == ids{s.begun.at(0).id});
    CHECK(s.let_go().empty());
    CHECK(s.core.next_expiry() == time_point{12s});
    s.expire(time_point{12s}, 1);
    CHECK(s.let_go() == keys{"a@0"});
    CHECK(s.core.size() == 0);
    CHECK_FALSE(s.core.next_expiry());
    CHECK_FALSE(s.core.next(s.begun.at(0).id));
}

TEST_CASE("own writes: a closed place holds no key, and opens again with the next write", "[own_writes]")
{
    script s;
    s.add(a, "20");
    s.add(b, "20", soon, 2);
    CHECK(s.core.hold(a, 0));
    CHECK(s.core.hold(b, 0));
    s.core.give_up(s.begun.at(0).id, s.out);
    CHECK(s.let_go() == keys{"a@0"});
    CHECK(s.core.size() == 1);
    s.core.give_up(s.begun[0].id, s.out);
    CHECK(s.let_go().empty());
    s.add(a, "20");
    REQUIRE(s.begun.size() == 3);
    CHECK(s.begun[2].id != s.begun[0].id);
}

TEST_CASE("own writes: with one stuck key and a hundred thousand other writes, one expiry per key is stored",
          "[own_writes]")
{
    script s;
    s.add(a, "999999999", time_point::max());
    const auto place = s.begun.at(0).id;
    for (int n = 1; n <= 100'000; ++n) {
        s.add(b, std::to_string(n), time_point::max());
        s.core.reached(place, std::to_string(n), s.out);
        REQUIRE(s.core.moments() <= 2);
    }
    CHECK(s.core.size() == 1);
    CHECK(s.core.moments() == 1);
}

TEST_CASE("own writes: releasing many keys that wait for one object takes time linear in their number", "[own_writes]")
{
    script s;
    constexpr int many = 50'000;
    for (int n = 0; n < many; ++n) s.add({"web", std::to_string(n)}, "20", time_point{10s + 1ms * n});
    CHECK(s.core.moments() == many);
    s.expire(time_point{1h}, 0);
    CHECK(s.core.size() == 0);
}

namespace {

const object_key gone("web", "gone");

own_writes_core::removal removal_of(std::string uid, bool entirely = false, std::uint32_t source = 1)
{
    return {.source = source, .key = gone, .uid = std::move(uid), .entirely = entirely};
}

} // namespace

TEST_CASE("own writes: a removal is awaited until the source has no such object or another one", "[own_writes]")
{
    for (const char* now_there : {"", "u2"}) {
        script s;
        s.note(s.core.add(a, {}, {removal_of("u1")}, soon));
        CHECK(s.begun.empty());
        CHECK(s.core.awaits_removal(1, gone));
        CHECK_FALSE(s.core.awaits_removal(2, gone));
        CHECK_FALSE(s.core.awaits_removal(1, a));
        CHECK(s.core.hold(a, 3));
        s.core.shows(1, gone, "u1", false, s.out);
        s.core.shows(2, gone, "", false, s.out);
        CHECK(s.let_go().empty());
        s.core.shows(1, gone, now_there, false, s.out);
        CHECK(s.let_go() == keys{"a@3"});
        CHECK_FALSE(s.core.awaits_removal(1, gone));
        CHECK(s.core.size() == 0);
        CHECK(s.core.moments() == 0);
    }
}

TEST_CASE("own writes: an object that is being deleted counts as removed, unless it was before", "[own_writes]")
{
    for (const bool entirely : {false, true}) {
        script s;
        s.note(s.core.add(a, {}, {removal_of("u1", entirely)}, soon));
        CHECK(s.core.hold(a, 0));
        s.core.shows(1, gone, "u1", true, s.out);
        CHECK(s.let_go() == (entirely ? keys{} : keys{"a@0"}));
    }
}

TEST_CASE("own writes: a key waits for all its writes and removals", "[own_writes]")
{
    script s;
    s.note(s.core.add(a, {{.source = 1, .ns = "web", .version = "20"}}, {removal_of("u1"), removal_of("u1", false, 2)},
                      soon));
    s.note(s.core.add(b, {}, {removal_of("u1")}, soon));
    CHECK(s.core.hold(a, 0));
    CHECK(s.core.hold(b, 0));
    s.core.shows(1, gone, "", false, s.out);
    CHECK(s.let_go() == keys{"b@0"});
    s.core.reached(s.begun[0].id, "20", s.out);
    CHECK(s.let_go().empty());
    s.core.shows(2, gone, "", false, s.out);
    CHECK(s.let_go() == keys{"a@0"});
}

TEST_CASE("own writes: of two removals of one name the later one is awaited", "[own_writes]")
{
    script s;
    s.note(s.core.add(a, {}, {removal_of("u1")}, soon));
    s.note(s.core.add(b, {}, {removal_of("u2")}, soon));
    CHECK(s.core.hold(a, 0));
    CHECK(s.core.hold(b, 0));
    s.core.shows(1, gone, "u2", false, s.out); // the first one's end
    CHECK(s.let_go().empty());
    s.core.shows(1, gone, "", false, s.out);
    CHECK(s.let_go() == keys{"a@0", "b@0"});
}

TEST_CASE("own writes: removals expire, and end with their source", "[own_writes]")
{
    script s;
    s.note(s.core.add(a, {}, {removal_of("u1"), removal_of("u1", false, 2)}, soon));
    s.note(s.core.add(b, {}, {removal_of("u1", false, 2)}, soon + 1s));
    CHECK(s.core.hold(a, 0));
    CHECK(s.core.hold(b, 0));
    s.expire(soon, 1);
    CHECK(s.let_go() == keys{"a@0"});
    CHECK_FALSE(s.core.awaits_removal(1, gone));
    CHECK(s.core.awaits_removal(2, gone));
    s.core.give_up_removals(1, s.out);
    CHECK(s.let_go().empty());
    s.core.give_up_removals(2, s.out);
    CHECK(s.let_go() == keys{"b@0"});
    CHECK(s.core.size() == 0);
}
