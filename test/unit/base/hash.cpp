// Keys chosen with knowledge of the algorithm but not of the secrets must collide as rarely as any others.
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

/// Texts that all hash to one value for these secrets: one factor of their product is zero, whatever the other factor
/// is.
std::vector<std::string> flood(const hash_secrets& k, std::uint64_t n)
{
    std::vector<std::string> all;
    for (std::uint64_t i = 0; i < n; ++i) all.push_back(word(0 - k.word) + word(i));
    return all;
}

/// The number of texts in the fullest bucket of a table with one bucket per text, the worst over every choice of hash
/// bits.
std::size_t fullest_bucket(const std::vector<std::string>& texts, const hash_secrets& k)
{
    std::size_t most = 0;
    for (const unsigned shift : {0u, 24u, 50u}) {
        std::vector<std::size_t> buckets(std::size_t{1} << 14);
        for (const auto& t : texts) most = std::max(most, ++buckets[(hash_text(t, k) >> shift) % buckets.size()]);
    }
    return most;
}

/// Pairs that a weak keyed hash cannot distinguish, whatever its key: both words complemented, one word increased and
/// the other decreased, a moved border, an exchange, blanks of every kind, a single bit.
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

TEST_CASE("text hash: texts that collide under one key are spread evenly under every other")
{
    const auto known = hash_secrets::of(0);
    const auto texts = flood(known, 16'384);
    // The attack works: the texts collide under the known secrets.
    CHECK(fullest_bucket(texts, known) == texts.size());
    for (std::uint64_t seed = 1; seed <= processes; ++seed) {
        CAPTURE(seed);
        // A random distribution puts 7 to 9 texts into the fullest bucket.
        CHECK(fullest_bucket(texts, hash_secrets::of(seed)) < 16);
    }
}

TEST_CASE("text hash: a table compares chosen texts no more often than others")
{
    const auto texts = flood(hash_secrets::of(0), 16'000);
    boost::unordered_flat_set<std::string, detail::text_hash, counting_equal> table;
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

TEST_CASE("text hash: moving a letter from one text to the other changes the hash")
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
        // At the two ends, the whole text and an empty one occur twice.
        CHECK(seen.size() == 2 * all.size());
    }
}

TEST_CASE("text hash: flipping one bit of a text flips half of the bits")
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

TEST_CASE("text hash: every byte affects the hash, at every length")
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

TEST_CASE("hash secrets: each process draws its own, unless they are fixed")
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

TEST_CASE("hash secrets: cannot change after the first text was hashed")
{
    // The test programs fix them with seed 1.
    const auto before = detail::text_hash{}("pods");
    CHECK(before == hash_text("pods", hash_secrets::of(1)));
    CHECK_FALSE(fix_hash_secrets(2));
    CHECK(detail::text_hash{}("pods") == before);
    CHECK(fix_hash_secrets(1));
}
