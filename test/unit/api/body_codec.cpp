#include <kubecoro/test/catch.hpp>

#include "json_samples.hpp"

// Private to the module: the parts of compression.
#include "storage/body_codec_core.hpp"
#include "storage/object_block.hpp"
#include "storage/packed_body.hpp"

#include <algorithm>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

using bytes = std::vector<unsigned char>;

constexpr body_codec_limits quick{.provisional_after = 20, .settled_after = 100, .samples = 40, .relearn_after = 600};

std::string noise(random_source& random, std::size_t length)
{
    std::string s;
    while (s.size() < length) s += static_cast<char>(33 + random() % 90);
    return s;
}

/// Bodies of one kind: mostly common text, with a part of their own.
bytes body(const std::string& common, random_source& random, std::size_t own)
{
    const std::string text = common + noise(random, own) + common;
    return {text.begin(), text.end()};
}

/// Feeds bodies as the owner of a codec does; keeps every dictionary.
struct fixture
{
    explicit fixture(body_codec_limits limits = quick) : codec(limits) {}

    byte_span put(const bytes& b)
    {
        if (auto made = codec.learn(b)) dictionaries.push_back(std::move(made));
        return dictionaries.empty() ? byte_span{} : codec.compress(b, *dictionaries.back());
    }

    body_codec_core codec;
    std::vector<std::unique_ptr<body_dictionary>> dictionaries;
};

std::string lorem(std::uint64_t seed)
{
    random_source random(seed);
    return noise(random, 400);
}

} // namespace

TEST_CASE("body codec: no dictionary, then a provisional one, then a settled one", "[api][storage]")
{
    fixture f;
    random_source random(1);
    for (std::size_t i = 1; i <= 200; ++i) {
        const bytes b = body(lorem(1), random, 20);
        const byte_span record = f.put(b);
        const auto expected = i < 20    ? dictionary_stage::none
                              : i < 100 ? dictionary_stage::provisional
                                        : dictionary_stage::settled;
        REQUIRE(f.codec.stage() == expected);
        REQUIRE(record.empty() == (i < 20));
        if (record.empty()) continue;
        CHECK(record.size() < b.size() / 8);
        body_expander expander;
        const auto back = expander.expand(record, *f.dictionaries.back(), b.size());
        REQUIRE(back);
        REQUIRE(std::equal(back->begin(), back->end(), b.begin(), b.end()));
    }
    CHECK(f.dictionaries.size() == 2);
    CHECK(f.codec.trained() == 2);
}

TEST_CASE("body codec: equal bodies in equal order give equal records", "[api][storage]")
{
    const auto all = [] {
        fixture f;
        random_source random(7);
        bytes records;
        for (int i = 0; i < 300; ++i) {
            const auto record = f.put(body(lorem(1), random, 30));
            records.insert(records.end(), record.begin(), record.end());
        }
        return records;
    };
    CHECK(all() == all());
}

TEST_CASE("body codec: retrains after a lasting change of bodies", "[api][storage]")
{
    fixture f;
    random_source random(2);
    for (int i = 0; i < 2000; ++i) (void)f.put(body(lorem(1), random, 20));
    REQUIRE(f.codec.trained() == 2);
    std::size_t before = 0;
    for (int i = 0; i < 800 && f.codec.trained() == 2; ++i)
        before = std::max(before, f.put(body(lorem(2), random, 20)).size());
    REQUIRE(f.codec.trained() == 3);
    CHECK(f.put(body(lorem(2), random, 20)).size() < before / 4);
    for (int i = 0; i < 3000; ++i) (void)f.put(body(lorem(2), random, 20));
    CHECK(f.codec.trained() == 3);
}

TEST_CASE("body codec: light effort where compression gains little, and back", "[api][storage]")
{
    fixture f;
    random_source random(3);
    for (int i = 0; i < 300; ++i) (void)f.put(body("ab", random, 600));
    CHECK(f.codec.level() == effort::light);
    for (int i = 0; i < 300 * 64 && f.codec.level() == effort::light; ++i)
        (void)f.put(body(lorem(4) + lorem(4), random, 5));
    CHECK(f.codec.level() == effort::normal);
}

TEST_CASE("body codec: bodies with nothing in common stay uncompressed", "[api][storage]")
{
    fixture f;
    for (int i = 0; i < 300; ++i) CHECK(f.put(bytes(3, static_cast<unsigned char>(i))).empty());
}

TEST_CASE("body codec: broken frames fail or give another body within bounds", "[api][storage]")
{
    fixture f;
    random_source random(5);
    bytes b;
    bytes record;
    for (int i = 0; i < 60; ++i) {
        b = body(lorem(1), random, 40);
        const auto made = f.put(b);
        record.assign(made.begin(), made.end());
    }
    body_expander expander;
    std::size_t refused = 0;
    for (std::size_t at = 0; at < record.size(); ++at) {
        for (int bit = 0; bit < 8; ++bit) {
            bytes broken = record;
            broken[at] = static_cast<unsigned char>(broken[at] ^ (1 << bit));
            const auto back = expander.expand(broken, *f.dictionaries.back(), b.size());
            refused += back ? 0u : 1u;
            if (back) CHECK(back->size() <= b.size());
        }
        CHECK_FALSE(expander.expand(byte_span(record).first(at), *f.dictionaries.back(), b.size()).has_value());
    }
    CHECK(refused > 0);
    CHECK_FALSE(expander.expand(record, *f.dictionaries.back(), b.size() - 1).has_value());
    CHECK(expander.expand(record, *f.dictionaries.back(), b.size()).has_value());
}

TEST_CASE("tape splitter: a split tape is joined to the original", "[api][storage]")
{
    const std::uint64_t seed = GENERATE(1, 2, 3);
    CAPTURE(seed);
    testing_samples::generator documents(seed);
    tape_splitter splitter;
    for (int i = 0; i < 200; ++i) {
        const auto o = object::parse(documents.document());
        REQUIRE(o);
        const auto tape = object_builder::tape_of(*o);
        // Random values: members of members, so that some are inside others.
        std::vector<tape_range> slots;
        const auto note = [&](const value_view& v) {
            const auto text = tape_access::bytes(v);
            const auto at =
                static_cast<std::uint32_t>(reinterpret_cast<const unsigned char*>(text.data()) - tape.data());
            if (slots.size() < 40) slots.push_back({at, at + static_cast<std::uint32_t>(text.size())});
        };
        for (const auto& [key, value] : o->root().members()) {
            if (documents.below(3) == 0) slots.push_back({});
            for (const auto& [inner, below] : value.members())
                if (documents.below(2) == 0) note(below);
            if (documents.below(2) == 0) note(value);
        }
        REQUIRE(splitter.split(tape, slots));
        bytes back(tape.size());
        REQUIRE(join_tape(splitter.front(), splitter.body(), back));
        REQUIRE(std::equal(back.begin(), back.end(), tape.begin(), tape.end()));

        // A truncated or changed body: rejected, or another tape of that size.
        const bytes body(splitter.body().begin(), splitter.body().end());
        for (std::size_t cut = 0; cut < body.size(); ++cut)
            REQUIRE_FALSE(join_tape(splitter.front(), byte_span(body).first(cut), back));
        for (std::size_t at = 0; at < std::min<std::size_t>(body.size(), 100); ++at) {
            bytes broken = body;
            broken[at] = static_cast<unsigned char>(documents.below(256));
            (void)join_tape(splitter.front(), broken, back);
        }
    }
}
