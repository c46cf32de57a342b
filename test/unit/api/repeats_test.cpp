// Containers that come again are copied, not parsed: nobody may notice but by the time it takes.
#include <kubecoro/test/catch.hpp>

#include "encoding.hpp"

#include <kubecoro/api/decode.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace kubecoro;

namespace {

using encoding_ptr = std::shared_ptr<object_encoding>;

const detail::repeats& remembered(const encoding_ptr& e)
{
    return detail::encoding::of(e)->words.documents().repeated();
}

std::string everything_remembered(const encoding_ptr& e)
{
    std::string all;
    for (std::size_t n = 1; n < remembered(e).size(); ++n) all += remembered(e).at(static_cast<std::uint8_t>(n)).text;
    return all;
}

/// Long enough to be remembered; `variant` makes it another one.
std::string container(int variant, const std::string& blank = "")
{
    std::string text = "{";
    for (int i = 0; i < 10; ++i)
        text += (i != 0 ? "," : "") + blank + "\"member-" + std::to_string(i) + "\":" + blank +
                (i % 3 == variant % 3 ? R"({"a\"b":[1,{"deep":"text"}],"c":"x}]"})" : "\"same text\"");
    return text + blank + "}";
}

std::string document(const std::string& name, const std::string& part)
{
    return R"({"metadata":{"name":")" + name + R"("},"spec":{"before":"text","part":)" + part + R"(,"after":["text",)" +
           part + R"(]},"status":{"phase":"Running"}})";
}

void decode_again(const std::string& text, const encoding_ptr& e, const decode_options& options = {})
{
    const auto o = decode_object(text, options, e);
    REQUIRE(o);
    REQUIRE(o->to_text() == object::parse(text).value().to_text());
}

encoding_ptr taught(const std::string& part, int times = 40)
{
    auto e = make_object_encoding();
    for (int i = 0; i < times; ++i) decode_again(document("web-" + std::to_string(i), part), e);
    return e;
}

} // namespace

TEST_CASE("repeats: what comes again says the same, and equal texts make equal tapes", "[api][repeats]")
{
    const auto e = taught(container(0));
    REQUIRE(everything_remembered(e).find(container(0)) != std::string::npos);
    const auto one = decode_object(document("web", container(0)), {}, e);
    const auto other = decode_object(document("web", container(0, " ")), {}, e);
    REQUIRE(one);
    REQUIRE(other);
    CHECK(one->root() == other->root());
    CHECK(one->bytes() == other->bytes());
    CHECK((*one)["spec"]["part"]["member-0"]["c"].as_string() == "x}]");
    CHECK((*one)["spec"]["after"].items().begin() != (*one)["spec"]["after"].items().end());
}

TEST_CASE("repeats: variants take turns, in lists of any chunks", "[api][repeats]")
{
    const auto seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto e = make_object_encoding();
    for (int round = 0; round < 60; ++round) {
        std::vector<std::string> texts;
        for (int i = 0; i < 20; ++i) {
            const std::string blank = random() % 10 == 0 ? " " : "";
            const int variant = random() % 4 == 0 ? static_cast<int>(random() % 3) : round / 20;
            texts.push_back(document("web-" + std::to_string(random()), container(variant, blank)));
        }
        std::string list = R"({"kind":"ThingList","apiVersion":"v1","items":[)";
        for (const auto& t : texts) list += (list.back() == '[' ? "" : ",") + t;
        list += "]}";
        list_decoder decoder({}, e);
        const std::size_t most = round % 2 == 0 ? 40 : 4000;
        for (std::size_t at = 0; at < list.size();) {
            const std::size_t n = std::min(list.size() - at, 1 + random() % most);
            REQUIRE(decoder.feed(std::string_view(list).substr(at, n)));
            at += n;
        }
        const auto page = decoder.finish();
        REQUIRE(page);
        REQUIRE(page->items.size() == texts.size());
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const auto alone = object::parse(texts[i]).value();
            REQUIRE(page->items[i]["spec"] == alone["spec"]);
            REQUIRE(page->items[i]["status"] == alone["status"]);
            REQUIRE(page->items[i].name() == alone.name());
        }
    }
}

TEST_CASE("repeats: nothing secret is remembered", "[api][repeats]")
{
    const std::string secret(120, 's');
    const std::string map = R"({"password":")" + secret + R"(","other":"text of some length to make it long enough"})";
    const auto times = [](const std::string& text, const encoding_ptr& e) {
        for (int i = 0; i < 40; ++i) decode_again(text, e);
    };
    const auto e = make_object_encoding();
    times(R"({"metadata":{"name":"m"},"data":)" + map + R"(,"spec":{"a":"b"}})", e);
    times(R"({"spec":{"env":[{"name":"n","value":")" + secret + R"("}],"more":{"env":{"value":)" + map + "}}}}", e);
    times(R"({"fields":{"f:data":)" + map + R"(,"f:more":{"f:x":{"f:data":)" + map + "}}}}", e);
    CHECK(everything_remembered(e).find("sss") == std::string::npos);
    const auto without = make_object_encoding({.values = false});
    times(document("web", container(0)), without);
    CHECK(everything_remembered(without).empty());
}

TEST_CASE("repeats: limits hold for what is copied as well", "[api][repeats]")
{
    const auto e = taught(container(0));
    const std::string text = document("web", container(0));
    CHECK_FALSE(decode_object(text, {.limits = {.max_depth = 4}}, e));
    CHECK(decode_object(text, {.limits = {.max_depth = 5}}, e).has_value() ==
          decode_object(text, {.limits = {.max_depth = 5}}).has_value());
    CHECK_FALSE(decode_object(text, {.limits = {.max_object_bytes = 64}}, e));
    decode_again(text, e);
}

TEST_CASE("repeats: a failure behind what was copied says where it is", "[api][repeats]")
{
    const auto e = taught(container(0));
    for (const char* bad : {R"(,"after":tru})", "]", R"(,"after":"text)", "}}}", "x"}) {
        const std::string text = R"({"metadata":{"name":"m"},"spec":{"before":"text","part":)" + container(0) + bad;
        INFO(text);
        const auto o = decode_object(text, {}, e);
        const auto alone = decode_object(text);
        REQUIRE_FALSE(o);
        REQUIRE_FALSE(alone);
        CHECK(o.error().condition() == alone.error().condition());
    }
}

TEST_CASE("repeats: what is pruned stays pruned", "[api][repeats]")
{
    const auto e = make_object_encoding();
    const decode_options options{.prune = {.drop = {"spec.part.member-0", "spec.before"}}};
    for (int i = 0; i < 60; ++i) {
        const std::string text = document("web-" + std::to_string(i), container(i / 20));
        const auto o = decode_object(text, options, e);
        REQUIRE(o);
        CHECK(o->to_text() == decode_object(text, options).value().to_text());
        CHECK_FALSE((*o)["spec"]["part"]["member-0"]);
    }
}
