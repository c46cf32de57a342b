#include <kubecoro/test/catch.hpp>

#include "tape/layout.hpp"

#include <random>
#include <set>
#include <vector>

using kubecoro::detail::layout;

namespace {

using place = layout::place;

/// A key by its number.
using key = std::size_t;
constexpr key nameless = 99;

const std::vector<layout::entry>& entries()
{
    static const std::vector<layout::entry> all(nameless);
    return all;
}

const layout::entry* entry_of(key k) { return k == nameless ? nullptr : &entries()[k]; }

std::vector<place> walk(layout& l, place container, const std::vector<key>& keys, bool items = false)
{
    auto c = l.enter(container);
    std::vector<place> places;
    for (const auto k : keys) places.push_back(l.step_to(c, entry_of(k), items));
    return places;
}

/// The predicted keys of a container.
std::vector<key> expected(layout& l, place container)
{
    std::vector<key> keys;
    for (auto c = l.enter(container); c.next != layout::nowhere; l.step(c, c.next)) {
        const auto* const e = l.at(c.next).key;
        keys.push_back(e == nullptr ? nameless : static_cast<key>(e - entries().data()));
    }
    return keys;
}

} // namespace

TEST_CASE("layout: predicts the last sequence of keys", "[api][vocabulary]")
{
    layout l(100);
    CHECK(expected(l, layout::root).empty());
    const auto first = walk(l, layout::root, {7, 3, 5});
    CHECK(walk(l, layout::root, {7, 3, 5}) == first);
    CHECK(expected(l, layout::root) == std::vector<key>{7, 3, 5});
    // The same keys in another container have other places.
    const auto inner = walk(l, first[1], {7, 3});
    CHECK(inner[0] != first[0]);
    CHECK(walk(l, first[1], {7, 3}) == inner);
}

TEST_CASE("layout: missing and new members do not disturb the others", "[api][vocabulary]")
{
    layout l(100);
    const auto all = walk(l, layout::root, {1, 2, 3, 4, 5});
    CHECK(walk(l, layout::root, {1, 5}) == std::vector<place>{all[0], all[4]});
    const auto more = walk(l, layout::root, {1, 9, 2});
    CHECK(more[0] == all[0]);
    CHECK(more[2] == all[1]);
    CHECK(expected(l, layout::root) == std::vector<key>{1, 9, 2, 3, 4, 5});
    // A changed order gives a member two places, once.
    walk(l, layout::root, {5, 1});
    walk(l, layout::root, {5, 1});
    CHECK(expected(l, layout::root) == std::vector<key>{1, 9, 2, 3, 4, 5, 1});
}

TEST_CASE("layout: names of items replace each other", "[api][vocabulary]")
{
    layout l(100);
    const auto first = walk(l, layout::root, {1, 2}, true);
    CHECK(walk(l, layout::root, {3, 4}, true) == first);
    CHECK(expected(l, layout::root) == std::vector<key>{3, 4});
    CHECK(walk(l, layout::root, {nameless, 4}, true) == first);
    // But never the place of a member.
    const auto member = walk(l, first[0], {1});
    CHECK(walk(l, first[0], {2}, true) != member);
}

TEST_CASE("layout: a full one is cleared before the next document", "[api][vocabulary]")
{
    layout l(100);
    auto c = l.enter(layout::root);
    for (key k = 0; k < 98; ++k) REQUIRE(l.step_to(c, entry_of(k), false) != layout::nowhere);
    const auto bytes = l.bytes();
    CHECK(l.step_to(c, entry_of(98), false) == layout::nowhere);
    CHECK(c.last == 99);
    l.begin_document();
    CHECK(expected(l, layout::root).empty());
    CHECK(walk(l, layout::root, {5, 6}).size() == 2);
    l.begin_document();
    CHECK(expected(l, layout::root).size() == 2);
    CHECK(l.bytes() == bytes);
}

TEST_CASE("layout: nothing is stored at nowhere", "[api][vocabulary]")
{
    layout l(2);
    auto c = l.enter(layout::root);
    CHECK(l.step_to(c, entry_of(1), false) == layout::nowhere);
    c = l.enter(layout::nowhere);
    CHECK(l.step_to(c, entry_of(1), true) == layout::nowhere);
    CHECK(l.at(layout::nowhere).key == nullptr);
    CHECK(l.at(layout::nowhere).child == layout::nowhere);
}

TEST_CASE("layout: cursors of several writers stay within bounds", "[api][vocabulary]")
{
    std::mt19937 random(20261122);
    layout l(200);
    std::vector<layout::cursor> open(5, l.enter(layout::root));
    for (int i = 0; i < 200000; ++i) {
        auto& c = open[random() % open.size()];
        switch (random() % 8) {
        case 0:
            if (random() % 64 == 0) l.begin_document();
            break;
        case 1:
            c = l.enter(c.last);
            break;
        case 2:
            c = l.enter(layout::root);
            break;
        case 3:
            l.step(c, c.next);
            break;
        default:
            (void)l.step_to(c, entry_of(random() % 40), random() % 4 == 0);
        }
        REQUIRE(c.container < 200);
        REQUIRE(c.last < 200);
        REQUIRE(c.next < 200);
        REQUIRE(l.at(layout::nowhere).next == layout::nowhere);
    }
    CHECK(l.places() == 200);
}
