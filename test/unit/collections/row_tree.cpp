// A row_tree against std::map: random operations, and copies that must not change.
#include "dice.hpp"

#include "table/row_tree_core.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/random_amount.hpp>

#include <compare>
#include <map>
#include <vector>

namespace {

using collections_test::dice;
namespace kd = kubecoro::detail;

struct entry
{
    int key;
    int value;
};
struct order
{
    static int bound(const entry& e) { return e.key; }
    static std::strong_ordering compare(int a, int b) { return a <=> b; }
};
using tree = kd::row_tree<entry, order>;
using model = std::map<int, int>;

model content(const tree& t)
{
    model out;
    int last = -1;
    t.scan([&](const entry& e) {
        CHECK(e.key > last);
        last = e.key;
        out.emplace(e.key, e.value);
        return true;
    });
    return out;
}

void check(const tree& t, const model& m, int range)
{
    REQUIRE(content(t) == m);
    REQUIRE(t.size() == m.size());
    for (int i = 0; i < range; i += 7) {
        const auto* found = t.find(i);
        REQUIRE((found != nullptr) == (m.count(i) != 0));
        if (found) REQUIRE(found->value == m.at(i));
        int first = -1;
        t.scan(i, [&first](const entry& e) {
            first = e.key;
            return false;
        });
        const auto at = m.lower_bound(i);
        REQUIRE(first == (at == m.end() ? -1 : at->first));
    }
}

} // namespace

TEST_CASE("a row_tree is a map, and its copies stay as they are", "[collections]")
{
    const auto amount = kubecoro::test::wanted_amount();
    for (std::size_t n = 0; n < amount.each / 20 + 1; ++n) {
        CAPTURE(amount.seed + n);
        dice random(amount.seed + n);
        const int range = n % 2 ? 60 : 3000;
        tree t;
        model m;
        std::uint64_t edition = 1;
        std::vector<std::pair<tree, model>> kept;
        for (int step = 0; step < 4000; ++step) {
            const bool grows = step / 1000 % 2 == 0;
            // Now and then in order.
            const int key = step % 1000 < range / 2 && step / 1000 == 2
                                ? 2 * (step % 1000)
                                : static_cast<int>(random.below(static_cast<std::size_t>(range)));
            if (random.below(10) < (grows ? 8U : 2U)) {
                const bool is_last = m.empty() || m.rbegin()->first < key;
                const auto* last = t.last();
                REQUIRE((last ? last->key : -1) == (m.empty() ? -1 : m.rbegin()->first));
                t.put({key, step}, edition, is_last);
                m[key] = step;
            } else {
                t.erase(key, edition);
                m.erase(key);
            }
            if (random.below(400) == 0) {
                kept.emplace_back(t, m);
                ++edition;
            }
        }
        check(t, m, range);
        for (const auto& [copy, was] : kept) check(copy, was, range);
    }
}
