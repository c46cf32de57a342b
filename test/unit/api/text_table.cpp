#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/catch.hpp>

#include "json_samples.hpp"

#include "tape/text_table.hpp"

#include <map>
#include <new>
#include <string>

using kubecoro::detail::hash_text;
using kubecoro::detail::text_table;

namespace {

constexpr text_table::limits small{.most = 300, .most_bytes = 4000, .longest = 20, .sightings = 3, .candidates = 1024};

std::optional<text_table::number> number_of(const text_table::entry* e)
{
    return e == nullptr ? std::nullopt : std::optional(e->n);
}

std::optional<text_table::number> see(text_table& t, std::string_view text, unsigned document)
{
    return number_of(t.see(text, hash_text(text), document).known);
}

std::optional<text_table::number> find(const text_table& t, std::string_view text)
{
    return number_of(t.find(text, hash_text(text)));
}

} // namespace

TEST_CASE("text_table: a text is admitted after enough documents", "[api][vocabulary]")
{
    text_table t(small);
    CHECK(t.size() == 0);
    CHECK(t.at(0).data() == nullptr);
    CHECK_FALSE(see(t, "Running", 1));
    CHECK_FALSE(see(t, "Running", 1)); // same document
    CHECK_FALSE(see(t, "Running", 1));
    CHECK_FALSE(see(t, "Running", 2));
    CHECK(t.size() == 0);
    CHECK(see(t, "Running", 3) == 0u);
    CHECK(see(t, "Running", 4) == 0u);
    CHECK(t.at(0) == "Running");
    CHECK(t.at(1).data() == nullptr);
    t.admit("Pending");
    t.admit("Pending");
    CHECK(t.size() == 2);
    CHECK(find(t, "Pending") == 1u);
    CHECK_FALSE(find(t, "Failed"));
}

TEST_CASE("text_table: an allocation that fails leaves no place without its text", "[api][vocabulary]")
{
    for (std::uint64_t nth = 1, failures = 1; failures != 0; ++nth) {
        text_table t({.most = 600, .most_bytes = 40'000, .longest = 20, .sightings = 3, .candidates = 1024});
        failures = 0;
        kubecoro::test::fail_allocation(nth);
        for (int i = 0; i < 600; ++i) {
            const std::string text = "text " + std::to_string(i); // short: kept in place
            try {
                t.admit(text);
            } catch (const std::bad_alloc&) {
                ++failures;
            }
        }
        kubecoro::test::fail_allocation(0);
        std::size_t found = 0;
        for (int i = 0; i < 600; ++i) {
            const std::string text = "text " + std::to_string(i);
            const auto n = find(t, text);
            if (!n) continue;
            ++found;
            REQUIRE(t.at(*n) == text);
        }
        REQUIRE(found == t.size());
        CHECK(found >= 590);
    }
}

TEST_CASE("text_table: a text that is longer than a block is not admitted", "[api][vocabulary]")
{
    text_table t({.most = 10, .most_bytes = 100'000, .longest = 65'535, .sightings = 3, .candidates = 1024});
    const std::string fits(4088, 'a');
    const std::string too_long(4089, 'b');
    t.admit(fits);
    t.admit(too_long);
    t.admit("c");
    CHECK(t.size() == 2);
    CHECK(t.at(0) == fits);
    CHECK(t.at(1) == "c");
}

TEST_CASE("text_table: no text is admitted beyond the last position", "[api][vocabulary]")
{
    text_table t({.most = 5000, .most_bytes = 20'000'000, .longest = 4000, .sightings = 3, .candidates = 1024});
    const auto text = [](int i) { return std::to_string(i) + std::string(2100, 'x'); }; // one in a block
    for (int i = 0; i < 4200; ++i) t.admit(text(i));
    CHECK(t.size() >= 4000);
    CHECK(t.size() <= 4096);
    for (text_table::number n = 0; n < t.size(); ++n) REQUIRE(find(t, t.at(n)) == n);
}

TEST_CASE("text_table: a half-full table requires twice as many documents", "[api][vocabulary]")
{
    text_table t(small);
    for (unsigned i = 0; t.size() < small.most / 2; ++i) t.admit(std::to_string(i));
    for (unsigned document = 1; document < 2 * small.sightings; ++document) CHECK_FALSE(see(t, "Running", document));
    CHECK(see(t, "Running", 2 * small.sightings));
}

TEST_CASE("text_table: nothing is admitted beyond the limits", "[api][vocabulary]")
{
    text_table count(small);
    for (int i = 0; i < 1000; ++i) count.admit(std::to_string(i));
    CHECK(count.size() == small.most);
    CHECK_FALSE(see(count, "late", 1));
    CHECK_FALSE(see(count, "late", 2));
    CHECK_FALSE(see(count, "late", 3));
    CHECK(see(count, "7", 4) == 7u);

    text_table length(small);
    length.admit(std::string(21, 'x'));
    CHECK(length.size() == 0);

    text_table bytes({.most = 300, .most_bytes = 100, .longest = 20, .sightings = 3, .candidates = 1024});
    for (int i = 0; i < 100; ++i) bytes.admit("value-number-" + std::to_string(1000 + i));
    CHECK(bytes.size() == 100 / 17);
}

TEST_CASE("text_table: entries do not move when others are added", "[api][vocabulary]")
{
    text_table t({.most = 8000, .most_bytes = 1 << 20, .longest = 64, .sightings = 2, .candidates = 4096});
    std::vector<std::string_view> seen;
    for (unsigned i = 0; i < 8000; ++i) {
        t.admit("entry " + std::to_string(i));
        // A text may be rejected when too many texts with similar hashes exist; this is rare.
        if (t.size() > seen.size()) seen.push_back(t.at(static_cast<text_table::number>(seen.size())));
    }
    CHECK(seen.size() > 7990);
    for (std::size_t n = 0; n < seen.size(); ++n) {
        const auto number = static_cast<text_table::number>(n);
        REQUIRE(t.at(number).data() == seen[n].data());
        REQUIRE(t.at(number) == seen[n]);
    }
    CHECK(t.bytes() > 100000);
    CHECK(t.bytes() < 600000);
}

TEST_CASE("text_table: agrees with a reference for random texts", "[api][vocabulary]")
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        INFO("seed " << seed);
        testing_samples::generator random(seed);
        text_table t(small);
        std::map<std::string, text_table::number> known;
        std::map<std::string, std::size_t> documents;
        std::map<std::string, unsigned> last;
        for (unsigned step = 0; step < 20000; ++step) {
            const unsigned document = step / 10;
            const std::string text = "t" + std::to_string(random.below(random.below(2) == 0 ? 50 : 5000));
            if (last.count(text) == 0 || last[text] != document) ++documents[text];
            last[text] = document;
            const auto n = see(t, text, document);
            const auto before = known.find(text);
            if (before != known.end()) {
                REQUIRE(n == before->second);
            } else if (n) {
                // Never too early; rare texts may have to wait longer.
                const bool half_full = known.size() >= small.most / 2;
                REQUIRE(documents[text] >= (half_full ? 2 : 1) * small.sightings);
                REQUIRE(*n == known.size());
                known[text] = *n;
            }
        }
        for (const auto& [text, n] : known) REQUIRE(t.at(n) == text);
        REQUIRE(t.size() == known.size());
        REQUIRE(known.size() >= 50);
    }
}

TEST_CASE("hash_text: texts of every length have distinct hashes", "[api][vocabulary]")
{
    std::map<std::uint64_t, std::string> seen;
    for (std::size_t length = 0; length < 40; ++length)
        for (std::size_t at = 0; at < std::max<std::size_t>(length, 1); ++at)
            for (const char c : {'b', 'c'}) {
                std::string text(length, 'a');
                if (length != 0) text[at] = c;
                const auto [where, is_new] = seen.emplace(hash_text(text), text);
                REQUIRE((is_new || where->second == text));
                REQUIRE(kubecoro::detail::same_text(text, std::string(text)));
                std::string other = text;
                if (length != 0) other[at] = 'x';
                REQUIRE(kubecoro::detail::same_text(text, other) == (length == 0));
            }
}

TEST_CASE("text_table: the mark at a number is that of its text, and the numbers beyond have none", "[api][vocabulary]")
{
    text_table t(small);
    CHECK(text_table::mark_of("name") != text_table::mark_of("names"));
    CHECK(text_table::mark_of("name") != text_table::mark_of("kind"));
    CHECK(text_table::mark_of("name") == text_table::mark_of("type"));
    for (unsigned i = 0; i < small.most; ++i) t.admit("text " + std::to_string(i));
    REQUIRE(t.size() == small.most);
    for (unsigned i = 0; i < 256; ++i)
        REQUIRE(t.mark_at(static_cast<std::uint8_t>(i)) == text_table::mark_of("text " + std::to_string(i)));
}
