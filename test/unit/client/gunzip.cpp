#include "http/content_encoding.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/gzip_bytes.hpp>

#include <algorithm>
#include <random>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace kubecoro::test;

namespace {

/// Feeds a stream in pieces and returns its content.
result<std::string> decode(std::string_view stream, std::size_t piece, gunzip_limits limits = {})
{
    gunzip decoder(limits);
    std::string out;
    for (; !stream.empty(); stream.remove_prefix(std::min(piece, stream.size()))) {
        auto rest = stream.substr(0, piece);
        for (;;) {
            const auto fed = decoder.feed(rest);
            if (!fed) return fed.error();
            if (fed->decoded.empty()) break;
            rest.remove_prefix(fed->consumed);
            out += fed->decoded;
        }
    }
    if (auto ended = decoder.end_of_input(); !ended) return ended.error();
    return out;
}

bool gives(std::string_view stream, std::size_t piece, std::string_view content)
{
    const auto got = decode(stream, piece);
    return got && *got == content;
}

std::string complaint(std::string_view stream, std::size_t piece = 7, gunzip_limits limits = {})
{
    const auto got = decode(stream, piece, limits);
    if (got) return "none";
    // One that was cut is a broken transfer.
    const bool is_cut = got.error().message().find("ends too early") != std::string::npos;
    CHECK(got.error() == (is_cut ? cond::unreachable : cond::corrupt));
    return got.error().message();
}

/// Text that compresses badly, so that its stream is long as well.
std::string varied(std::size_t size)
{
    std::mt19937 random(7);
    std::string out;
    while (out.size() < size) out += static_cast<char>('a' + random() % 64);
    return out;
}

const std::string text = R"({"kind":"PodList","items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]})";

} // namespace

TEST_CASE("gunzip: streams in pieces of every size", "[client][gzip]")
{
    for (const int level : {0, 1, 9}) {
        const auto stream = gzip(text, level);
        for (std::size_t piece = 1; piece <= stream.size(); ++piece) CHECK(gives(stream, piece, text));
    }
    for (const std::size_t size : {64u * 1024 - 1, 64u * 1024, 64u * 1024 + 1, 300'000u}) {
        for (const auto& content : {varied(size), std::string(size, 'x')}) {
            const auto stream = gzip(content);
            for (const std::size_t piece : {1uL, 4096uL, stream.size()}) {
                CHECK(gives(stream, piece, content));
            }
        }
    }
}

TEST_CASE("gunzip: one piece of fixed size is decoded at a time", "[client][gzip]")
{
    const auto stream = gzip(std::string(1'000'000, 'x'));
    gunzip decoder;
    std::size_t total = 0;
    auto rest = std::string_view(stream);
    for (;;) {
        const auto fed = decoder.feed(rest);
        REQUIRE(fed);
        if (fed->decoded.empty()) break;
        CHECK(fed->decoded.size() <= 64 * 1024);
        total += fed->decoded.size();
        rest.remove_prefix(fed->consumed);
    }
    CHECK(total == 1'000'000);
    CHECK(rest.empty());
    CHECK(decoder.end_of_input());
}

TEST_CASE("gunzip: several members are one stream, and no input is an empty one", "[client][gzip]")
{
    const auto stream = gzip("") + gzip(text) + gzip("") + gzip("and more");
    for (std::size_t piece = 1; piece <= stream.size(); ++piece) CHECK(gives(stream, piece, text + "and more"));
    CHECK(gives("", 1, ""));
    CHECK(gives(gzip(""), 1, ""));
}

TEST_CASE("gunzip: a stream that is cut anywhere fails", "[client][gzip]")
{
    const auto stream = gzip(text);
    for (std::size_t size = 1; size < stream.size(); ++size)
        for (const std::size_t piece : {1uL, size})
            CHECK(complaint(std::string_view(stream).substr(0, size), piece) ==
                  "the gzip data of the response ends too early");
    CHECK(complaint(stream + stream.substr(0, 3)) == "the gzip data of the response ends too early");
}

TEST_CASE("gunzip: damage never passes for content", "[client][gzip]")
{
    const auto stream = gzip(text);
    for (std::size_t at = 0; at < stream.size(); ++at) {
        for (const int bit : {0x01, 0x10, 0x80}) {
            INFO(at << " " << bit);
            auto damaged = stream;
            damaged[at] = static_cast<char>(damaged[at] ^ bit);
            const auto got = decode(damaged, 5);
            if (got) CHECK(*got == text);
            // The flag of text files, the time and the system have no effect, and neither has padding before the checksum.
            const bool without_effect = (at >= 3 && at < 10) || at == stream.size() - 9;
            if (!without_effect) CHECK_FALSE(got);
        }
    }
    CHECK(complaint("this is not gzip") == "the gzip data of the response is damaged: incorrect header check");
    auto other = stream;
    other[other.size() - 8] = static_cast<char>(other[other.size() - 8] ^ 1);
    CHECK(complaint(other) == "the gzip data of the response is damaged: incorrect data check");
}

TEST_CASE("gunzip: bytes after the stream fail, once its content was returned", "[client][gzip]")
{
    for (const auto& garbage : {std::string("x"), std::string(1, '\0'), std::string("\x1f\x8c", 2)}) {
        const auto stream = gzip(text) + garbage;
        for (std::size_t piece = 1; piece <= stream.size(); ++piece) CHECK_FALSE(decode(stream, piece));
        gunzip decoder;
        const auto content = decoder.feed(stream);
        REQUIRE(content);
        CHECK(content->decoded == text);
        if (garbage.size() > 1) CHECK_FALSE(decoder.feed({}));
        CHECK_FALSE(decoder.end_of_input());
    }
}

TEST_CASE("gunzip: a stream that expands out of proportion fails", "[client][gzip]")
{
    const auto bomb = gzip(std::string(3'000'000, 'x'), 9);
    const gunzip_limits limits{.max_ratio = 500, .spare_decoded = 1'000'000};
    CHECK(complaint(bomb, 1000, limits) == "the gzip data of the response expands to more than 500 times its size");
    CHECK(complaint(bomb, 1000, {.max_ratio = 2000, .spare_decoded = 1'000'000}) == "none");
    CHECK(complaint(bomb, 1000, {.max_ratio = 500, .spare_decoded = 3'000'000}) == "none");
    CHECK(complaint(bomb, 1000) == "none");
    // A stream without end, with the limits of a client.
    gunzip decoder;
    const auto member = gzip(std::string(4 * 1024 * 1024, '\0'), 9);
    std::uint64_t decoded = 0;
    for (auto rest = std::string_view(member);;) {
        const auto fed = decoder.feed(rest);
        if (!fed) break;
        decoded += fed->decoded.size();
        rest.remove_prefix(fed->consumed);
        if (rest.empty() && fed->decoded.empty()) rest = member;
        REQUIRE(decoded < 200'000'000);
    }
    CHECK(decoded > 64 * 1024 * 1024);
}

TEST_CASE("gunzip: a stream of hardly any content fails", "[client][gzip]")
{
    const auto empty = gzip("");
    std::string members;
    for (int i = 0; i < 5000; ++i) members += empty;
    CHECK(complaint(members, 1000) == "the gzip data of the response has hardly any content");
    // A header whose file name does not end.
    const std::string named = std::string("\x1f\x8b\x08\x08", 4) + std::string(6, '\0') + std::string(100'000, 'n');
    CHECK(complaint(named, 1000) == "the gzip data of the response has hardly any content");
    // A server that flushes after each small event sends streams like this.
    const auto small = gzip(R"({"type":"ADDED"})");
    std::string events;
    for (int i = 0; i < 20'000; ++i) events += small;
    CHECK(complaint(events, 1000) == "none");
}
