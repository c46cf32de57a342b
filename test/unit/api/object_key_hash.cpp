// Keys of real clusters differ in few letters. Their hashes must be uniformly distributed over all bits.
#include <kubecoro/api/object.hpp>

#include <kubecoro/test/catch.hpp>

#include <bit>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

std::vector<object_key> cluster_keys()
{
    std::vector<object_key> all;
    for (int ns = 0; ns < 100; ++ns)
        for (int n = 0; n < 200; ++n) {
            const auto space = "team-" + std::to_string(ns);
            all.emplace_back(space, "web-" + std::to_string(n));
            all.emplace_back(space, "deployment-with-a-long-name-7f9c6b5d4-" + std::to_string(100'000 + n * 7919));
            all.emplace_back("", std::to_string(ns * 200 + n));
            all.emplace_back(std::to_string(n), std::to_string(ns));
        }
    return all;
}

/// Number of keys per bucket when `bits` of the hash from bit `shift` on select the bucket.
std::vector<unsigned> fill(const std::vector<object_key>& keys, unsigned bits, unsigned shift)
{
    std::vector<unsigned> buckets(std::size_t{1} << bits);
    for (const auto& k : keys) ++buckets[(object_key_hash{}(k) >> shift) % buckets.size()];
    return buckets;
}

} // namespace

TEST_CASE("object key hash: no two keys of a cluster share a hash")
{
    std::unordered_set<std::size_t> hashes;
    std::unordered_set<std::uint32_t> halves;
    const auto keys = cluster_keys();
    for (const auto& k : keys) {
        hashes.insert(object_key_hash{}(k));
        halves.insert(static_cast<std::uint32_t>(object_key_hash{}(k) >> 32));
    }
    // All keys differ, including an empty namespace with a name, and equal namespace and name.
    CHECK(hashes.size() == keys.size());
    // Random 32-bit hashes collide with a chance of keys / 2^32 per key: less than one pair on average.
    CHECK(keys.size() - halves.size() < 8);
}

TEST_CASE("object key hash: every range of bits spreads keys evenly")
{
    const auto keys = cluster_keys();
    for (const unsigned shift : {0u, 8u, 16u, 24u, 32u, 40u, 48u, 54u}) {
        CAPTURE(shift);
        const auto buckets = fill(keys, 10, shift);
        const double mean = static_cast<double>(keys.size()) / static_cast<double>(buckets.size());
        double chi2 = 0;
        for (const unsigned n : buckets) chi2 += (n - mean) * (n - mean) / mean;
        // 1,023 with a deviation of 45 for a uniform distribution.
        CHECK(chi2 < 1'400);
    }
}

TEST_CASE("object key hash: a changed letter flips half of the bits")
{
    double turned = 0;
    unsigned pairs = 0;
    for (int n = 0; n < 1'000; ++n) {
        const auto name = "pod-" + std::to_string(n);
        const auto before = object_key_hash{}(object_key("default", name));
        for (const auto& other : {object_key("default", name + "a"), object_key("defaulu", name),
                                  object_key("default", "q" + name.substr(1)), object_key("", name)}) {
            turned += std::popcount(before ^ object_key_hash{}(other));
            ++pairs;
        }
    }
    CHECK(turned / pairs > 28);
    CHECK(turned / pairs < 36);
}
