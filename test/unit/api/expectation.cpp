// The writer's predictions affect the cost of writing, never the result.
#include <kubecoro/test/catch.hpp>

#include "json_samples.hpp"

#include "storage/encoding.hpp"
#include "storage/object_block.hpp"
#include "tape/tape_writer.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;
using kubecoro::detail::layout;
using kubecoro::detail::tape_writer;

namespace {

using encoding_ptr = std::shared_ptr<object_encoding>;

void same_as_alone(const std::string& text, const encoding_ptr& e)
{
    INFO(text.substr(0, 400));
    const auto o = decode_object(text, {}, e);
    REQUIRE(o);
    const auto alone = object::parse(text);
    REQUIRE(alone);
    REQUIRE(o->to_text() == alone->to_text());
    REQUIRE(o->root() == alone->root());
}

/// Members of few names in any order, some of them twice, with texts at changing places.
std::string shuffled(std::mt19937& random, int depth)
{
    std::string text = "{";
    for (auto left = random() % 9; left != 0; --left) {
        const auto name = std::to_string(random() % 12);
        text += "\"key-" + name + "\":";
        switch (depth == 0 ? 2 : random() % 4) {
        case 0:
            text += shuffled(random, depth - 1);
            break;
        case 1:
            text += "[" + shuffled(random, depth - 1) + ",\"text-" + name + "\"]";
            break;
        default:
            text += "\"text-" + std::to_string(random() % 6) + "\"";
        }
        if (left != 1) text += ",";
    }
    return text + "}";
}

std::string list_of(const std::string& item, int times)
{
    std::string text = R"({"kind":"ThingList","apiVersion":"x/v1","items":[)";
    for (int i = 0; i < times; ++i) text += (i != 0 ? "," : "") + item;
    return text + "]}";
}

/// Writes as much as the limit allows. @return the bytes, 0 = the limit was exceeded.
std::size_t written(std::size_t max_bytes, const std::vector<std::size_t>& texts)
{
    tape_writer w(max_bytes, 10);
    bool ok = w.begin_array();
    for (const std::size_t size : texts) ok = ok && w.string(std::string(size, 'x'));
    ok = w.end() && ok;
    // Every event after the limit is exceeded is rejected.
    if (!ok) REQUIRE_FALSE(w.end());
    if (!ok) REQUIRE_FALSE(w.begin_object());
    if (!ok) REQUIRE_FALSE(w.key("key"));
    if (!ok) REQUIRE_FALSE(w.string(std::string(10000, 'x')));
    return ok ? w.bytes().size() : 0;
}

} // namespace

TEST_CASE("layout prediction: members alternate, are missing or duplicated", "[api][vocabulary]")
{
    std::mt19937 random(20261122);
    const auto e = make_object_encoding();
    for (int i = 0; i < 3000; ++i) same_as_alone(shuffled(random, 3), e);
    CHECK(detail::encoding::of(e)->words.keys().size() == 12);
    CHECK(detail::encoding::of(e)->words.values().size() > 5);
}

TEST_CASE("layout prediction: wrong predictions do not change the result", "[api][vocabulary]")
{
    std::mt19937 random(20261123);
    const auto e = make_object_encoding();
    auto& words = detail::encoding::of(e)->words;
    for (int i = 0; i < 200; ++i) same_as_alone(shuffled(random, 3), e);
    for (int round = 0; round < 300; ++round) {
        auto& l = words.documents();
        const std::size_t places = l.places();
        const auto any = [&] { return static_cast<layout::place>(random() % places); };
        const auto any_of = [&](const text_table& table) {
            const auto text = table.at(static_cast<text_table::number>(random() % table.size()));
            return table.find(text, hash_text(text));
        };
        for (std::size_t p = 1; p < places; ++p)
            l.at(static_cast<layout::place>(p)) = {.key = random() % 5 == 0 ? nullptr : any_of(words.keys()),
                                                   .value = any_of(words.values()),
                                                   .next = any(),
                                                   .child = any(),
                                                   .width = static_cast<unsigned char>(std::size_t{1} << random() % 3),
                                                   .strangers = static_cast<unsigned char>(random()),
                                                   .is_item = random() % 2 == 0,
                                                   .value_is_text = true};
        same_as_alone(shuffled(random, 3), e);
        same_as_alone(std::string(testing_samples::pod), e);
    }
}

TEST_CASE("layout prediction: a predicted key is accepted only where its JSON is the key itself", "[api][vocabulary]")
{
    const std::vector<std::string> keys{R"(plain)",  R"(a\"b)",  R"(a\\b)", R"(tab\t)",
                                        R"(\u0061)", "\xc3\xbc", "",        R"(k:{\"name\":\"x\"})"};
    for (const auto& key : keys) {
        INFO(key);
        const auto e = make_object_encoding();
        const std::string known = "{\"" + key + R"(":1,"spec":{")" + key + R"(":"x"}})";
        for (int i = 0; i < 6; ++i) same_as_alone(known, e);
        const std::string unescaped =
            "{\"" + std::string((*decode_object(known, {}, e)->root().members().begin()).key) + "\"";
        for (const std::string& text :
             {unescaped + ":1}", unescaped + " :1}", unescaped + "}", unescaped + "x:1}", unescaped, unescaped + ":",
              "{\"" + key + "er\":1}", "{\"" + key.substr(0, key.size() / 2) + "\":1}", "{\"" + key + ":1}"}) {
            INFO(text);
            const auto with = decode_object(text, {}, e);
            REQUIRE(with.has_value() == object::parse(text).has_value());
            if (with) same_as_alone(text, e);
        }
    }
}

TEST_CASE("layout prediction: a predicted key may be cut anywhere", "[api][vocabulary]")
{
    const std::string list =
        list_of(R"({"metadata":{"name":"a","uid":"u"},"spec":{"replicas":1,"selector":{"app":"x"}}})", 3);
    const auto e = make_object_encoding();
    const auto decoded = [&](std::size_t cut) {
        list_decoder d({}, e);
        REQUIRE(d.feed(std::string_view(list).substr(0, cut)));
        REQUIRE(d.feed(std::string_view(list).substr(cut)));
        const auto page = d.finish();
        REQUIRE(page);
        REQUIRE(page->items.size() == 3);
        return page->items.back().to_text();
    };
    const std::string whole = decoded(0);
    for (std::size_t cut = 1; cut < list.size(); ++cut) REQUIRE(decoded(cut) == whole);
}

TEST_CASE("layout prediction: decoders alternate within their documents", "[api][vocabulary]")
{
    // More members than a layout holds, so that one decoder clears it while the other uses it.
    std::string wide = "{";
    for (int i = 0; i < 6000; ++i)
        wide += (i != 0 ? ",\"m" : "\"m") + std::to_string(i) + R"(":{"a":"text","b":["x",{"c":1}]})";
    wide += "}";
    const std::string first = list_of(wide, 5);
    const std::string second = list_of(std::string(testing_samples::pod), 200);
    const auto e = make_object_encoding();
    list_decoder one({}, e);
    list_decoder other({}, e);
    const std::size_t steps = 500;
    const auto part = [&](const std::string& text, std::size_t i) {
        const std::size_t size = text.size() / steps + 1;
        return std::string_view(text).substr(std::min(i * size, text.size()), size);
    };
    for (std::size_t i = 0; i < steps; ++i) {
        REQUIRE(one.feed(part(first, i)));
        REQUIRE(other.feed(part(second, i)));
    }
    const object wide_alone = object::parse(wide).value();
    const auto wide_page = one.finish();
    REQUIRE(wide_page);
    REQUIRE(wide_page->items.size() == 5);
    for (const object& o : wide_page->items) {
        CHECK(o["m5999"]["b"][std::size_t{1}]["c"].as_int64() == 1);
        CHECK(o.root().size() == wide_alone.root().size() + 2);
    }
    const auto page = other.finish();
    REQUIRE(page);
    const object pod = object::parse(testing_samples::pod).value();
    for (const object& o : page->items) REQUIRE(o.root() == pod.root());
}

TEST_CASE("layout prediction: a known text is not shared where texts are secret", "[api][vocabulary]")
{
    const auto e = make_object_encoding();
    const auto stored = [&](const std::string& text) {
        const auto o = decode_object(text, {}, e);
        REQUIRE(o);
        const auto tape = object_builder::tape_of(*o);
        return std::string(tape.begin(), tape.end());
    };
    const std::string open = R"({"spec":{"a":"known-text"},"data":{"a":"known-text"},"env":[{"value":"known-text"}]})";
    for (int i = 0; i < 40; ++i) {
        const std::string tape = stored(open);
        // Only the first of the three may have a number. A document without a uid counts its texts at its end.
        std::size_t inline_texts = 0;
        for (auto at = tape.find("known-text"); at != std::string::npos; at = tape.find("known-text", at + 1))
            ++inline_texts;
        CHECK(inline_texts == (i < 4 ? 3u : 2u));
    }
}

TEST_CASE("layout prediction: a place of unknown texts is checked again when its texts recur", "[api][vocabulary]")
{
    const auto e = make_object_encoding();
    auto& words = detail::encoding::of(e)->words;
    const auto feed = [&](const std::string& text) { REQUIRE(decode_object(R"({"x":")" + text + R"("})", {}, e)); };
    for (int i = 0; i < 1000; ++i) feed("stranger-" + std::to_string(i));
    CHECK(words.values().size() == 0);
    for (int i = 0; i < 100; ++i) feed("regular-" + std::to_string(i % 2));
    CHECK(words.values().size() == 2);
}

TEST_CASE("tape_writer: limits are exact to the byte for texts of any length", "[api]")
{
    const std::vector<std::vector<std::size_t>> all{{1},
                                                    {255, 256, 257, 258},
                                                    {5000},
                                                    {4000, 300, 300, 300},
                                                    {270, 3560},
                                                    {100000, 1, 70000, 4000},
                                                    {3800, 60, 60, 60, 60, 60}};
    for (const auto& texts : all) {
        const std::size_t size = written(1 << 20, texts);
        REQUIRE(size > 0);
        CHECK(written(size, texts) == size);
        CHECK(written(size - 1, texts) == 0);
        CHECK(written(size / 2, texts) == 0);
        CHECK(written(1, texts) == 0);
    }
    // Every size around the first allocation, with texts of every size.
    for (std::size_t text = 1; text < 600; text += 7)
        REQUIRE(written(1 << 20, std::vector<std::size_t>(6000 / text + 1, text)) > 6000);
}
