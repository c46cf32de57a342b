#include "tape/repeats.hpp"

#include <kubecoro/test/catch.hpp>

#include <map>
#include <random>
#include <string>

using namespace kubecoro::detail;

namespace {

repeats::entry entry(std::string text, std::size_t depth = 2, const void* form = nullptr)
{
    repeats::entry e;
    e.tape = {static_cast<unsigned char>(text.size()), static_cast<unsigned char>(depth)};
    e.text = std::move(text);
    e.when.depth = depth;
    e.when.how.form = form;
    return e;
}

std::string text(std::size_t number, std::size_t size = 400)
{
    std::string out = std::to_string(number);
    out.resize(size, '.');
    return out;
}

} // namespace

TEST_CASE("former_repeats: finds an entry by its text, form and depth", "[api][repeats]")
{
    const int form = 0;
    former_repeats all;
    CHECK(all.find(text(1), {}, 2) == nullptr);
    all.keep(entry(text(1)));
    all.keep(entry(text(1), 3));
    all.keep(entry(text(1), 2, &form));
    all.keep(entry(text(2)));
    REQUIRE(all.find(text(1), {}, 2) != nullptr);
    CHECK(all.find(text(1), {}, 2)->when.how.form == nullptr);
    CHECK(all.find(text(1), {}, 3)->when.depth == 3);
    CHECK(all.find(text(1), {&form}, 2)->when.how.form == &form);
    CHECK(all.find(text(1), {&form}, 3) == nullptr);
    CHECK(all.find(text(1).substr(1), {}, 2) == nullptr);
    CHECK(all.find(text(3), {}, 2) == nullptr);
    all.clear();
    CHECK(all.find(text(1), {}, 2) == nullptr);
    CHECK(all.bytes() == 0);
}

TEST_CASE("former_repeats: an entry replaces the one with its text", "[api][repeats]")
{
    former_repeats all;
    all.keep(entry(text(1)));
    const std::size_t before = all.bytes();
    auto newer = entry(text(1));
    newer.tape = {7, 8};
    for (int i = 0; i < 10; ++i) all.keep(newer);
    CHECK(all.bytes() == before);
    CHECK(all.find(text(1), {}, 2)->tape == newer.tape);
}

TEST_CASE("former_repeats: few entries are all kept", "[api][repeats]")
{
    former_repeats all;
    for (std::size_t i = 0; i < 300; ++i) {
        all.keep(entry(text(i)));
        for (std::size_t k = 0; k <= i; ++k) REQUIRE(all.find(text(k), {}, 2) != nullptr);
    }
    CHECK(all.bytes() < 400'000);
}

TEST_CASE("former_repeats: bounded in number and bytes, and what is found is right", "[api][repeats]")
{
    const std::size_t size = GENERATE(as<std::size_t>{}, former_repeats::shortest, 1000, repeats::longest);
    std::mt19937_64 random(size);
    former_repeats all;
    std::size_t found = 0;
    for (std::size_t i = 0; i < 8'000; ++i) {
        all.keep(entry(text(i, size), i % 5));
        REQUIRE(all.bytes() <= former_repeats::most_bytes + 256 * 1024);
        REQUIRE(all.find(text(i, size), {}, i % 5) != nullptr);
        const std::size_t other = random() % (i + 1);
        const auto* const e = all.find(text(other, size), {}, other % 5);
        if (e == nullptr) continue;
        ++found;
        REQUIRE(e->text == text(other, size));
        REQUIRE(e->tape == entry(text(other, size), other % 5).tape);
    }
    // The limit of bytes admits some 500 entries of 8,192 bytes.
    CHECK(found > 400);
}
