// The hash that divides keys, and the text of a view.
#include "shard_script.hpp"

#include <kubecoro/base/detail/random.hpp>

using namespace shard_core_test;

TEST_CASE("shard hash: the values that docs/guide/shards.md states for other programs", "[shards]")
{
    CHECK(member_text(shard_hash("")) == "efd01f60ba992926");
    CHECK(member_text(shard_hash("janitor-0")) == "647d4bdfd8cb7e80");
    CHECK(member_text(shard_hash("janitor-1")) == "7cd43938b5328576");
    CHECK(member_text(shard_hash("janitor-2")) == "189c23240e055ae5");
    CHECK(member_text(unit_hash(shard_by::object, {"shop", "web"})) == "e4146191aec0cded");
    CHECK(unit_hash(shard_by::ns, {"shop", "any"}) == shard_hash("shop"));
    shard_view v;
    for (const char* name : {"janitor-2", "janitor-0", "janitor-1"}) v.members.push_back(shard_hash(name));
    CHECK(std::is_sorted(v.members.begin(), v.members.end()));
    CHECK(v.owner({"shop", "web"}) == shard_hash("janitor-2"));
    CHECK(v.owner({"shop", "api"}) == shard_hash("janitor-1"));
    CHECK(v.owner({"", "node-2"}) == shard_hash("janitor-0"));
    CHECK(unit_hash(shard_by::object, {"shop", "web"}) == shard_hash("shop/web"));
    CHECK(unit_hash(shard_by::object, {"", "node-1"}) == shard_hash("/node-1"));
    CHECK(unit_hash(shard_by::object, {"shop", "web"}) != shard_hash("shopweb"));
}

TEST_CASE("shard view: keys are divided evenly, and a member that comes or goes moves its own share only", "[shards]")
{
    shard_view before;
    for (int i = 0; i < 4; ++i) before.members.push_back(shard_hash("janitor-" + std::to_string(i)));
    std::sort(before.members.begin(), before.members.end());
    auto after = before;
    const auto fifth = shard_hash("janitor-4");
    after.members.insert(std::lower_bound(after.members.begin(), after.members.end(), fifth), fifth);

    std::map<member_id, int> counts;
    int moved = 0;
    for (int i = 0; i < 10'000; ++i) {
        const auto was = before.owner(key(i));
        const auto is = after.owner(key(i));
        ++counts[*was];
        if (was == is) continue;
        ++moved;
        REQUIRE(is == fifth);
    }
    CHECK(moved > 1'850);
    CHECK(moved < 2'150);
    REQUIRE(counts.size() == 4);
    for (const auto& [id, n] : counts) {
        CHECK(n > 2'350);
        CHECK(n < 2'650);
    }
}

TEST_CASE("shard view: by namespace, all keys of one have one member", "[shards]")
{
    const shard_view v{.by = shard_by::ns, .members = {me, other, third}};
    std::map<member_id, int> owners;
    for (int n = 0; n < 300; ++n) {
        const auto ns = "team-" + std::to_string(n);
        const auto first = v.owner({ns, "a"});
        ++owners[*first];
        for (int i = 0; i < 10; ++i) REQUIRE(v.owner({ns, "object-" + std::to_string(i)}) == first);
    }
    CHECK(owners.size() == 3);
}

TEST_CASE("shard view: its text is read back, and nothing else is", "[shards]")
{
    for (const auto& v :
         {shard_view{}, view_of({me}), view_of({me, other, third}), shard_view{shard_by::ns, {me, other}}})
        CHECK(read_view(view_text(v)) == v);
    CHECK(view_text(view_of({other, me})) == "object:0000000000001111,0000000000002222");
    for (const char* bad :
         {"", "object", "objects:", ":", "object:0", "object:000000000000111g", "object:0000000000001111,",
          "object:,0000000000001111", "object:0000000000001111 ", "object:0000000000002222,0000000000001111",
          "object:0000000000001111,0000000000001111", "object:000000000000AAAA",
          "object:00000000000011110000000000002222", "namespace", " object:"})
        CHECK_FALSE(read_view(bad).has_value());
}

TEST_CASE(
    "shard view: one of more members than a group may have is not read, since each check of a key weighs all of them",
    "[shards]")
{
    shard_view v;
    for (member_id m = 1; m <= most_members; ++m) v.members.push_back(m);
    CHECK(read_view(view_text(v)) == v);
    v.members.push_back(most_members + 1);
    CHECK_FALSE(read_view(view_text(v)).has_value());
    while (v.members.size() < 15'000) v.members.push_back(v.members.back() + 1);
    CHECK_FALSE(read_view(view_text(v)).has_value());
}

TEST_CASE("shard share: two members that know of each other never claim one key, so that they need not be compared",
          "[shards]")
{
    detail::random_source random(7);
    const auto any_view = [&random] {
        shard_view v;
        for (const auto m : {me, other, third})
            if (detail::next_unit(random) < 0.7) v.members.push_back(m);
        v.by = detail::next_unit(random) < 0.2 ? shard_by::ns : shard_by::object;
        return v;
    };
    int needed = 0;
    for (int round = 0; round < 300; ++round) {
        const shard_share mine{.self = me, .within = {any_view(), any_view()}};
        const auto claim = any_view();
        bool overlaps = false;
        for (int i = 0; i < 300; ++i) overlaps |= mine.covers(key(i)) && claim.owner(key(i)) == other;
        if (overlaps) REQUIRE(may_overlap(mine, other, claim));
        needed += overlaps ? 1 : 0;
        auto careful = mine;
        careful.others.emplace_back(other, claim);
        for (int i = 0; i < 300; ++i) REQUIRE_FALSE((careful.covers(key(i)) && claim.owner(key(i)) == other));
    }
    CHECK(needed > 10);
}

TEST_CASE("shard view: a share gains nothing by others that join", "[shards]")
{
    const shard_view one{shard_by::object, {1}};
    const shard_view two{shard_by::object, {1, 2}};
    const shard_view three{shard_by::object, {1, 2, 3}};
    const shard_view none{shard_by::object, {}};
    const shard_view by_namespace{shard_by::ns, {1, 2}};
    CHECK(gains_nothing(1, {two}, {two}));
    CHECK(gains_nothing(1, {two}, {three}));
    CHECK(gains_nothing(1, {one, two}, {two})); // what is its own in both is its own in the larger one
    CHECK(gains_nothing(1, {two}, {one, three}));
    CHECK_FALSE(gains_nothing(1, {two}, {one}));
    CHECK_FALSE(gains_nothing(1, {two}, {by_namespace}));
    CHECK_FALSE(gains_nothing(1, {three}, {{shard_by::object, {1, 4, 5}}}));
    CHECK_FALSE(gains_nothing(1, {none}, {one})); // it had no keys
    CHECK_FALSE(gains_nothing(1, {{shard_by::object, {2}}}, {two}));

    for (int i = 0; i < 1000; ++i) {
        const auto name = std::to_string(i);
        const object_key_view key{"default", name};
        if (three.owner(key) == 1) CHECK(two.owner(key) == 1);
        if (two.owner(key) == 1) CHECK(one.owner(key) == 1);
    }
}
