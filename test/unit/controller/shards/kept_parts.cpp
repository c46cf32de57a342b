// Whose objects informers keep, and when they list.
#include "shards/kept_parts.hpp"

#include <kubecoro/test/catch.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace std::chrono_literals;

namespace {

constexpr time_point begin{1h};
constexpr member_id self = 3;

shard_view of(std::vector<member_id> members, shard_by by = shard_by::object)
{
    std::sort(members.begin(), members.end());
    return {.by = by, .members = std::move(members)};
}

std::vector<std::string> keys_of(const kept_parts& kept)
{
    std::vector<std::string> out;
    for (int i = 100; i < 300; ++i) // in the order of the names
        if (const auto name = "object-" + std::to_string(i); kept.has({"default", name})) out.push_back(name);
    return out;
}

} // namespace

TEST_CASE("kept parts: growth is listed after the delay, and what comes meanwhile does not prolong it", "[shards]")
{
    kept_parts kept(1s);
    CHECK(kept.assign(self, {of({1, 2, 3, 4, 5})}, begin, true));
    CHECK(kept.gains() == 0);
    CHECK(kept.list_at() == begin + 1s);
    CHECK(kept.assign(self, {of({2, 3, 4, 5})}, begin + 500ms, true));
    CHECK_FALSE(kept.assign(self, {of({2, 3, 4, 5})}, begin + 600ms, true));
    CHECK(kept.assign(self, {of({2, 3})}, begin + 700ms, true));
    CHECK(kept.list_at() == begin + 1s);
    CHECK_FALSE(kept.list_if_due(begin + 999ms));
    CHECK(kept.list_if_due(begin + 1s));
    CHECK_FALSE(kept.list_if_due(begin + 2s));
    CHECK(kept.gains() == 1);
    CHECK_FALSE(kept.list_at().has_value());
    CHECK_FALSE(kept.drained());
    CHECK(kept.size() == 1);
}

TEST_CASE("kept parts: without a delay, or without informers, growth counts at once", "[shards]")
{
    kept_parts at_once(0s);
    CHECK(at_once.assign(self, {of({1, 3})}, begin, true));
    CHECK(at_once.gains() == 1);
    kept_parts alone(1s);
    CHECK(alone.assign(self, {of({1, 3})}, begin, false));
    CHECK(alone.gains() == 1);
    CHECK(alone.assign(self, {of({3})}, begin, true));
    CHECK(alone.assign(self, {of({3})}, begin, false));
    CHECK(alone.gains() == 2);
}

TEST_CASE("kept parts: members that join take keys alone", "[shards]")
{
    kept_parts kept(0s);
    kept.assign(self, {of({3})}, begin, true);
    CHECK(keys_of(kept).size() == 200);
    kept.assign(self, {of({3, 4})}, begin, true);
    CHECK(kept.gains() == 1);
    CHECK(kept.size() == 2);
    CHECK(keys_of(kept).size() == 200);
    CHECK(kept.drained());
    CHECK(keys_of(kept).size() < 150);
    CHECK(kept.gains() == 1);
}

TEST_CASE("kept parts: a member that is back in time costs no list", "[shards]")
{
    const bool drains = GENERATE(true, false);
    kept_parts kept(5s);
    const auto all = of({1, 2, 3, 4, 5});
    kept.assign(self, {all}, begin, true);
    REQUIRE(kept.list_if_due(begin + 5s));
    const auto before = keys_of(kept);
    auto now = begin + 1min;
    for (const member_id gone : {1, 2, 4, 5}) {
        auto left = all;
        std::erase(left.members, gone);
        kept.assign(self, {all, left}, now, true);
        CHECK_FALSE(kept.list_at().has_value());
        kept.assign(self, {left}, now += 1s, true);
        CHECK(kept.list_at() == now + 5s);
        if (drains) {
            kept.drained();
            CHECK_FALSE(kept.drained());
        }
        kept.assign(self, {left, all}, now += 2s, true);
        CHECK_FALSE(kept.list_at().has_value());
        kept.assign(self, {all}, now, true);
        kept.drained();
        CHECK(keys_of(kept) == before);
        now += 1min;
        CHECK_FALSE(kept.list_if_due(now));
    }
    CHECK(kept.gains() == 1);
    CHECK(kept.size() == 1);
}

TEST_CASE("kept parts: one that is back too late costs a list for its absence alone", "[shards]")
{
    kept_parts kept(5s);
    kept.assign(self, {of({1, 2, 3})}, begin, true);
    kept.list_if_due(begin + 5s);
    kept.assign(self, {of({2, 3})}, begin + 1min, true);
    kept.drained();
    CHECK(kept.list_if_due(begin + 65s));
    CHECK(kept.gains() == 2);
    kept.assign(self, {of({1, 2, 3})}, begin + 70s, true);
    kept.drained();
    CHECK(kept.gains() == 2);
    CHECK_FALSE(kept.list_at().has_value());
}

TEST_CASE("kept parts: a run that does not end holds a bounded number of parts, and its object", "[shards]")
{
    kept_parts kept(0s);
    const auto first = of({1, 2, 3});
    kept.assign(self, {first}, begin, true);
    const auto held = keys_of(kept);
    std::mt19937_64 random(7);
    for (int i = 0; i < 300; ++i) {
        std::vector<member_id> members{self};
        for (member_id m = 10; m < 18; ++m)
            if (random() % 2 == 0) members.push_back(m);
        const auto by = i == 250 ? shard_by::ns : shard_by::object;
        kept.assign(self, {of(members, by)}, begin, true);
        CHECK(kept.size() <= kept_parts::most_parts);
        const auto now = keys_of(kept);
        REQUIRE(std::includes(now.begin(), now.end(), held.begin(), held.end()));
    }
    CHECK(kept.drained());
    CHECK(kept.size() == 1);
}

// Model: a store has the objects of a list and those that were kept since.
TEST_CASE("kept parts: what was listed is complete until it is given up", "[shards]")
{
    const auto seed = GENERATE(range(1U, 200U));
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    kept_parts kept(2s);
    std::vector<std::string> stored;
    auto now = begin;
    std::uint64_t gains = 0;
    std::vector<shard_view> share;
    // The store has no key that is not kept, and after a list all that are.
    const auto follow = [&] {
        const auto keeps = keys_of(kept);
        if (kept.gains() != gains) stored = keeps;
        gains = kept.gains();
        std::erase_if(stored, [&](const auto& k) { return !std::binary_search(keeps.begin(), keeps.end(), k); });
        if (kept.list_at()) return;
        for (const auto& k : keeps) {
            const auto own = [&](const shard_view& v) { return v.owner({"default", k}) == self; };
            if (std::all_of(share.begin(), share.end(), own)) CHECK(std::count(stored.begin(), stored.end(), k) == 1);
        }
    };
    for (int i = 0; i < 40; ++i) {
        now += std::chrono::milliseconds{random() % 1500};
        switch (random() % 4) {
        case 0:
            kept.drained();
            break;
        case 1:
            kept.list_if_due(now);
            break;
        default: {
            share.clear();
            for (auto n = 1 + random() % 2; n != 0; --n) {
                std::vector<member_id> members{self};
                for (const member_id m : {1, 2, 4, 5})
                    if (random() % 4 != 0) members.push_back(m);
                share.push_back(of(members));
            }
            kept.assign(self, share, now, true);
        }
        }
        follow();
    }
}
