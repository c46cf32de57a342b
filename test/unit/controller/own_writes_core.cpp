// Which keys wait for their own writes, as scripts.
#include "own_writes_core.hpp"

#include <kubecoro/test/catch.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace std::chrono_literals;

namespace {

const object_key a("web", "a");
const object_key b("web", "b");
const object_key made("web", "made");
const time_point soon{10s};

struct script
{
    own_writes_core core;
    std::vector<own_writes_core::released> out;

    void add(const object_key& key, const object_key& object, std::string version, time_point expiry = soon,
             std::uint32_t source = 1)
    {
        core.add(key, {{.source = source, .object = object, .version = std::move(version)}}, expiry);
    }
    void see(const object_key& object, std::string_view version, std::uint32_t source = 1)
    {
        core.seen(source, object, version, out);
    }
    /// Keys that were let go since the last call.
    std::vector<std::string> let_go()
    {
        std::vector<std::string> keys;
        for (const auto& r : std::exchange(out, {})) keys.push_back(r.key.name + "@" + std::to_string(r.priority));
        std::sort(keys.begin(), keys.end());
        return keys;
    }
};
using keys = std::vector<std::string>;

} // namespace

TEST_CASE("own writes: versions are numbers of any length; what is none is never waited for", "[own_writes]")
{
    CHECK(not_behind("7", "7"));
    CHECK(not_behind("10", "9"));
    CHECK_FALSE(not_behind("9", "10"));
    CHECK(not_behind("0010", "10"));
    CHECK(not_behind("340282366920938463463374607431768211457", "340282366920938463463374607431768211456"));
    CHECK_FALSE(not_behind("340282366920938463463374607431768211455", "340282366920938463463374607431768211456"));
    CHECK(not_behind("", "10"));
    CHECK(not_behind("abc", "10"));
    CHECK(not_behind("1", "v2"));
    CHECK(not_behind("0", "0"));
    CHECK_FALSE(not_behind("0", "1"));
}

TEST_CASE("own writes: a key is held until its write is seen, and then let go at its highest priority", "[own_writes]")
{
    script s;
    CHECK_FALSE(s.core.hold(a, 0));
    s.add(a, made, "20");
    CHECK(s.core.hold(a, -100));
    CHECK(s.core.hold(a, 5));
    CHECK(s.core.hold(a, 0));
    CHECK(s.core.held() == 1);
    CHECK_FALSE(s.core.hold(b, 0));
    s.see(made, "19");
    s.see(b, "30");
    s.see(made, "30", 2);
    CHECK(s.let_go().empty());
    s.see(made, "20");
    CHECK(s.let_go() == keys{"a@5"});
    CHECK(s.core.held() == 0);
    CHECK(s.core.size() == 0);
    CHECK_FALSE(s.core.hold(a, 0));
}

TEST_CASE("own writes: what was seen before anybody asked holds nobody", "[own_writes]")
{
    script s;
    s.add(a, made, "20");
    s.see(made, "21");
    CHECK(s.let_go().empty());
    CHECK_FALSE(s.core.hold(a, 0));
}

TEST_CASE("own writes: several writes of one key, and one object written for several keys", "[own_writes]")
{
    script s;
    s.core.add(a,
               {{.source = 1, .object = made, .version = "20"},
                {.source = 1, .object = b, .version = "21"},
                {.source = 2, .object = made, .version = "20"}},
               soon);
    s.add(b, made, "25");
    CHECK(s.core.hold(a, 0));
    CHECK(s.core.hold(b, 0));
    s.see(made, "25");
    CHECK(s.let_go() == keys{"b@0"});
    s.see(b, "21");
    CHECK(s.let_go().empty());
    s.see(made, "20", 2);
    CHECK(s.let_go() == keys{"a@0"});
}

TEST_CASE("own writes: a wait ends at its moment, and a later write begins a later one", "[own_writes]")
{
    script s;
    s.add(a, made, "20", time_point{10s});
    s.add(b, made, "20", time_point{11s});
    CHECK(s.core.next_expiry() == time_point{10s});
    CHECK(s.core.hold(a, 0));
    s.add(a, made, "30", time_point{12s});
    CHECK(s.core.expire(time_point{10s}, s.out) == 0);
    CHECK(s.core.expire(time_point{11s}, s.out) == 0); // b was not asked for: nobody waited
    CHECK(s.let_go().empty());
    CHECK(s.core.next_expiry() == time_point{12s});
    CHECK(s.core.expire(time_point{12s}, s.out) == 1);
    CHECK(s.let_go() == keys{"a@0"});
    CHECK(s.core.size() == 0);
    CHECK_FALSE(s.core.next_expiry());
}

TEST_CASE("own writes: a source that is gone shows nothing any more", "[own_writes]")
{
    script s;
    s.add(a, made, "20");
    s.add(b, made, "20", soon, 2);
    CHECK(s.core.hold(a, 0));
    CHECK(s.core.hold(b, 0));
    s.core.source_gone(1, s.out);
    CHECK(s.let_go() == keys{"a@0"});
    CHECK(s.core.size() == 1);
}
