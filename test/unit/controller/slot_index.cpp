// Random programs, executed by the index and by a linearly searched list.
#include <kubecoro/controller/detail/slot_index.hpp>
#include <kubecoro/controller/workqueue.hpp>

#include <kubecoro/base/detail/random.hpp>

#include <kubecoro/test/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

using kubecoro::detail::slot_index;

namespace {

using entry = std::pair<slot_index::hash, slot_index::slot>;

slot_index::slot look_up(const slot_index& index, const entry& e)
{
    return index.find(e.first, [&](slot_index::slot s) { return s == e.second; });
}

} // namespace

TEST_CASE("slot index: an empty index finds nothing")
{
    slot_index index;
    index.prefetch(7);
    CHECK(index.empty());
    CHECK(look_up(index, {7, 1}) == slot_index::none);
    index.make_room();
    index.insert(7, 1);
    CHECK(look_up(index, {7, 1}) == 1);
    CHECK(look_up(index, {7, 2}) == slot_index::none);
    index.erase(7, 1);
    CHECK(index.empty());
    CHECK(look_up(index, {7, 1}) == slot_index::none);
}

TEST_CASE("slot index: random programs agree with a list")
{
    // Few hashes, at both ends of the table: long runs, runs across the end, many slots with the same hash.
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        kubecoro::detail::random_source source(seed);
        const auto below = [&](std::uint64_t n) { return source() % n; };
        slot_index index;
        std::vector<entry> reference;
        const std::uint32_t hashes = 1 + static_cast<std::uint32_t>(seed % 20);
        for (slot_index::slot s = 0; s < 300; ++s) {
            const auto step = static_cast<std::uint32_t>(below(hashes)) * 0x0800'0000u;
            const entry fresh{below(2) == 0 ? UINT32_MAX - step : step, s};
            index.make_room();
            index.insert(fresh.first, fresh.second);
            reference.push_back(fresh);
            while (!reference.empty() && below(100) < 45) {
                const auto gone = reference.begin() + static_cast<std::ptrdiff_t>(below(reference.size()));
                index.erase(gone->first, gone->second);
                CHECK(look_up(index, *gone) == slot_index::none);
                reference.erase(gone);
            }
            REQUIRE(index.size() == reference.size());
            std::size_t seen = 0;
            index.each([&](slot_index::slot) { ++seen; });
            REQUIRE(seen == reference.size());
            REQUIRE(std::all_of(reference.begin(), reference.end(),
                                [&](const entry& e) { return look_up(index, e) == e.second; }));
        }
    }
}

TEST_CASE("slot index: identity hashes spread over the table")
{
    std::vector<unsigned> upper(64);
    for (std::size_t n = 0; n < 6'400; ++n) ++upper[slot_index::hash_of(n) >> 26];
    CHECK(*std::max_element(upper.begin(), upper.end()) < 130);
    CHECK(slot_index::hash_of(std::size_t{1} << 40) != slot_index::hash_of(0));
}

TEST_CASE("work queue: texts and object keys are hashed with secrets")
{
    using kubecoro::detail::workqueue_hash;
    CHECK(std::is_same_v<workqueue_hash<kubecoro::object_key>, kubecoro::object_key_hash>);
    CHECK(std::is_same_v<workqueue_hash<std::string>, kubecoro::detail::text_hash>);
    CHECK(std::is_same_v<workqueue_hash<std::string_view>, kubecoro::detail::text_hash>);
    CHECK(std::is_same_v<workqueue_hash<int>, std::hash<int>>);
}
