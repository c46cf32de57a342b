// Keys chosen by somebody who knows the algorithm but not the secrets must collide as rarely as any others.
#include <kubecoro/base/hash.hpp>

#include <kubecoro/test/catch.hpp>

#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

using namespace kubecoro;
using detail::hash_secrets;
using detail::hash_text;
using detail::hash_texts;

namespace {

constexpr std::uint64_t processes = 64;

std::string word(std::uint64_t value)
{
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &value, 8);
    return bytes;
}

/// Texts with one hash for those who know the secrets: one factor of their product is zero, whatever the other one is.
std::vector<std::string> flood(const hash_secrets& k, std::uint64_t n)
{
    std::vector<std::string> all;
    for (std::uint64_t i = 0; i < n; ++i) all.push_back(word(0 - k.word) + word(i));
    return all;
}

/// The most texts that share a bucket of a table as large as their number, by any of these bits of their hashes.
std::size_t fullest_bucket(const std::vector<std::string>& texts, const hash_secrets& k)
{
    std::size_t most = 0;
    for (const unsigned shift : {0u, 24u, 50u}) {
        std::vector<std::size_t> buckets(std::size_t{1} << 14);
        for (const auto& t : texts) most = std::max(most, ++buckets[(hash_text(t, k) >> shift) % buckets.size()]);
    }
    return most;
}

/// Pairs that differ in what a weak keyed hash does not see, whatever its key: the complement of both words, what one word
/// adds and the other takes away, a border that moved, an exchange, blanks of every kind, one bit.
std::vector<std::pair<std::string, std::string>> related_pairs()
{
    std::vector<std::pair<std::string, std::string>> pairs;
    const std::array<std::uint64_t, 6> values{0, 1, 0x8000000000000000, 0x6262626262626262, 0x00000001ffffffff, ~0ull};
    for (const auto a : values)
        for (const auto b : values) {
            const std::string before = word(a) + word(b);
            pairs.emplace_back(before, word(~a) + word(~b));
            pairs.emplace_back(before, word(0 - a) + word(0 - b));
            pairs.emplace_back(before, word(a + 1) + word(b - 1));
            pairs.emplace_back(before, word(a ^ (1ull << 63)) + word(b ^ (1ull << 63)));
            pairs.emplace_back(before, word(b) + word(a));
            pairs.emplace_back(before + before, before);
            pairs.emplace_back(before + word(b) + word(a), word(b) + word(a) + before);
            pairs.emplace_back(before + '\0', before);
        }
    for (std::size_t n = 0; n < 40; ++n) {
        const std::string text(n, 'a');
        pairs.emplace_back(text, text + 'a');
        pairs.emplace_back(text, text + '`');
        pairs.emplace_back(text, text + '\0');
        for (std::size_t i = 0; i < n; ++i) {
            std::string other = text;
            other[i] = 'b';
            pairs.emplace_back(text, other);
        }
    }
    std::erase_if(pairs, [](const auto& p) { return p.first == p.second; });
    return pairs;
}

struct counting_equal
{
    using is_transparent = void;
    static inline std::size_t calls = 0;
    bool operator()(std::string_view a, std::string_view b) const noexcept
    {
        ++calls;
        return a == b;
    }
};

} // namespace

TEST_CASE("text hash: texts that collide under one key spread like dice under every other")
{
    const auto known = hash_secrets::of(0);
    const auto texts = flood(known, 16'384);
    // The flood is one: they do collide for those whose secrets are known.
    CHECK(fullest_bucket(texts, known) == texts.size());
    for (std::uint64_t seed = 1; seed <= processes; ++seed) {
        CAPTURE(seed);
        // Dice put 7 to 9 of them into the fullest bucket.
        CHECK(fullest_bucket(texts, hash_secrets::of(seed)) < 16);
    }
}

TEST_CASE("text hash: a table compares chosen texts no more often than any others")
{
    const auto texts = flood(hash_secrets::of(0), 16'000);
    boost::unordered_flat_set<std::string, text_hash, counting_equal> table;
    counting_equal::calls = 0;
    for (const auto& t : texts) table.insert(t);
    CHECK(std::all_of(texts.begin(), texts.end(), [&](const auto& t) { return table.contains(t); }));
    CHECK(counting_equal::calls < 3 * texts.size());
}

TEST_CASE("text hash: no pair of related texts collides under any key")
{
    const auto pairs = related_pairs();
    for (std::uint64_t seed = 1; seed <= processes; ++seed) {
        const auto k = hash_secrets::of(seed);
        for (const auto& [a, b] : pairs) {
            CAPTURE(seed, a, b);
            REQUIRE(hash_text(a, k) != hash_text(b, k));
            REQUIRE(hash_texts("web", a, k) != hash_texts("web", b, k));
            REQUIRE(hash_texts(a, "web", k) != hash_texts(b, "web", k));
        }
    }
}

TEST_CASE("text hash: which text of two a letter belongs to makes a difference")
{
    const std::string all = "a-namespace-and-the-name-of-a-pod";
    for (std::uint64_t seed = 1; seed <= processes; ++seed) {
        const auto k = hash_secrets::of(seed);
        std::unordered_set<std::uint64_t> seen;
        for (std::size_t border = 0; border <= all.size(); ++border) {
            const auto first = std::string_view(all).substr(0, border);
            const auto second = std::string_view(all).substr(border);
            seen.insert(hash_texts(first, second, k));
            seen.insert(hash_texts(second, first, k));
        }
        // At the two ends a text and nothing come twice.
        CHECK(seen.size() == 2 * all.size());
    }
}

TEST_CASE("text hash: one bit of a text turns half of the bits")
{
    const auto k = hash_secrets::of(7);
    for (const std::size_t size : {1u, 3u, 5u, 8u, 11u, 16u, 17u, 40u}) {
        const std::string text(size, 'x');
        double turned = 0;
        for (std::size_t bit = 0; bit < 8 * size; ++bit) {
            std::string other = text;
            other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
            turned += std::popcount(hash_text(text, k) ^ hash_text(other, k));
        }
        CAPTURE(size, turned);
        const double mean = turned / static_cast<double>(8 * size);
        CHECK(mean > 24);
        CHECK(mean < 40);
    }
}

TEST_CASE("text hash: every byte counts, at every length")
{
    const auto k = hash_secrets::of(3);
    std::unordered_set<std::uint64_t> seen;
    std::size_t texts = 0;
    for (std::size_t n = 0; n <= 100; ++n) {
        std::string text(n, '\0');
        seen.insert(hash_text(text, k));
        ++texts;
        for (std::size_t i = 0; i < n; ++i) {
            text[i] = 1;
            seen.insert(hash_text(text, k));
            ++texts;
            text[i] = 0;
        }
    }
    CHECK(seen.size() == texts);
}

TEST_CASE("hash secrets: every process draws its own, unless they are fixed")
{
    const auto a = hash_secrets::random();
    const auto b = hash_secrets::random();
    CHECK(a.word != b.word);
    CHECK(a.length != b.length);
    CHECK(a.left != b.left);
    CHECK(a.right != b.right);
    CHECK((a.length & 1) == 1);
    CHECK((hash_secrets::of(5).length & 1) == 1);
    CHECK(hash_secrets::of(5) == hash_secrets::of(5));
    CHECK_FALSE(hash_secrets::of(5) == hash_secrets::of(6));
}

TEST_CASE("hash secrets: once texts were hashed they stay")
{
    // The test programs fix them with the seed 1.
    const auto before = text_hash{}("pods");
    CHECK(before == hash_text("pods", hash_secrets::of(1)));
    CHECK_FALSE(fix_hash_secrets(2));
    CHECK(text_hash{}("pods") == before);
    CHECK(fix_hash_secrets(1));
}
