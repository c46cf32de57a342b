#include <kubecoro/test/catch.hpp>

#include "fixtures.hpp"
#include "json_samples.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>

#include <set>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

result<list_page> decode_in_chunks(std::string_view text, std::size_t chunk, decode_options o = {})
{
    list_decoder decoder(o);
    for (; !text.empty(); text.remove_prefix(std::min(chunk, text.size()))) {
        // A separate copy, so that a sanitizer detects reads beyond the chunk.
        const std::string part(text.substr(0, chunk));
        if (auto fed = decoder.feed(part); !fed) return fed.error();
    }
    return decoder.finish();
}

result<list_page> decode_split(std::string_view text, std::size_t at)
{
    list_decoder decoder;
    const std::string first(text.substr(0, at));
    const std::string second(text.substr(at));
    if (auto fed = decoder.feed(first); !fed) return fed.error();
    if (auto fed = decoder.feed(second); !fed) return fed.error();
    return decoder.finish();
}

list_page decoded(std::string_view text, decode_options o = {})
{
    auto page = decode_in_chunks(text, text.size() + 1, o);
    if (!page) FAIL(page.error().describe());
    return std::move(*page);
}

std::string flat(const list_page& p)
{
    std::string out = p.api_version + " " + p.kind + " " + p.resource_version + " " + p.continue_token + " " +
                      (p.remaining ? std::to_string(*p.remaining) : "-");
    for (const object& o : p.items) out += "\n" + std::to_string(o.bytes()) + " " + o.to_text();
    return out;
}

void refused(std::string_view text, std::string_view why, cond condition = cond::corrupt)
{
    INFO(text);
    const auto page = decode_in_chunks(text, text.size() + 1);
    REQUIRE_FALSE(page);
    CHECK(page.error() == condition);
    INFO(page.error().message());
    CHECK(page.error().message().find(why) != std::string::npos);
    for (const std::size_t chunk : {1, 2, 3}) CHECK_FALSE(decode_in_chunks(text, chunk));
}

} // namespace

TEST_CASE("list_decoder: the cost of a page is in proportion to its text", "[api][decode]")
{
    const auto list = [](std::size_t items, std::string_view item) {
        std::string text = R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[)";
        for (std::size_t i = 0; i < items; ++i) text.append(i == 0 ? "" : ",").append(item);
        return text + "]}";
    };
    constexpr std::string_view named = R"({"metadata":{"name":"a"}})";
    CHECK(decoded(list(20'000, named)).items.size() == 20'000);
    CHECK(decoded(list(4'000, "{}")).items.size() == 4'000);
    refused(list(6'000, "{}"), "too many items for the length of the text");
    refused(list(20'000, R"({"a":1})"), "too many items for the length of the text");

    // A longer list is rejected as early.
    list_decoder decoder;
    REQUIRE(decoder.feed(R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{})"));
    std::string more;
    for (int i = 0; i < 1'000; ++i) more += ",{}";
    int parts = 0;
    while (decoder.feed(more)) ++parts;
    CHECK(parts < 6);
}

TEST_CASE("list_decoder: pages of a real server", "[api][decode]")
{
    const list_page first = decoded(fixture("list_page1.json"));
    CHECK(first.kind == "ConfigMapList");
    CHECK(first.api_version == "v1");
    CHECK(first.resource_version == "336");
    CHECK(first.continue_token == "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MzM2LCJzdGFydCI6Ii9hMVx1MDAwMCJ9");
    CHECK(first.remaining == 2);
    REQUIRE(first.items.size() == 2);
    CHECK(first.items[0].name() == "a0");
    CHECK(first.items[0].kind() == "ConfigMap");
    CHECK(first.items[0].api_version() == "v1");
    CHECK(first.items[1].resource_version() == "324");
    CHECK(first.items[1]["data"]["k"].as_string() == "v");

    const list_page last = decoded(fixture("list_last_page.json"));
    CHECK(last.continue_token.empty());
    CHECK_FALSE(last.remaining);
    CHECK(last.items.size() == 2);

    const list_page custom = decoded(fixture("list_custom.json"));
    CHECK(custom.kind == "WidgetList");
    CHECK(custom.resource_version == "780");
    CHECK(custom.continue_token.empty());
    REQUIRE(custom.items.size() == 3);
    CHECK(custom.items[0].kind() == "Widget");
    CHECK(custom.items[0].generation() == 3);

    CHECK(decoded(fixture("list_empty.json")).items.empty());
    CHECK(decoded(fixture("list_custom_empty.json")).resource_version == "772");
    CHECK(decoded(fixture("list_partial.json")).items.at(0).kind() == "PartialObjectMetadata");
}

TEST_CASE("list_decoder: every split of a real page gives the same page", "[api][decode]")
{
    for (const char* name : {"list_page1.json", "list_custom.json", "list_empty.json"}) {
        const std::string text = fixture(name);
        const std::string expected = flat(decoded(text));
        for (std::size_t at = 0; at <= text.size(); ++at) REQUIRE(flat(*decode_split(text, at)) == expected);
        for (const std::size_t chunk : {1, 2, 3, 7, 100}) REQUIRE(flat(*decode_in_chunks(text, chunk)) == expected);
    }
}

TEST_CASE("list_decoder: every split of every edge document gives the same object", "[api][decode]")
{
    for (const std::string& document : testing_samples::edge_documents()) {
        const std::string text = R"({"kind":"List","items":[)" + document + "," + document + "]}";
        const std::string expected = flat(decoded(text));
        REQUIRE(decoded(text).items.at(1).to_text() == object::parse(document)->to_text());
        const std::size_t step = text.size() < 2000 ? 1 : text.size() / 40;
        for (std::size_t at = 0; at <= text.size(); at += step) REQUIRE(flat(*decode_split(text, at)) == expected);
        for (const std::size_t chunk : {1, 5, 1400}) REQUIRE(flat(*decode_in_chunks(text, chunk)) == expected);
    }
}

TEST_CASE("list_decoder: random documents in random chunks", "[api][decode]")
{
    testing_samples::generator random(77);
    for (int round = 0; round < 200; ++round) {
        std::string text = R"({"items":[)";
        for (int i = 0; i < 3; ++i) text += (i ? "," : "") + random.document();
        text += R"(],"kind":"ThingList","apiVersion":"x/v1"})";
        const std::string expected = flat(decoded(text));
        list_decoder decoder;
        for (std::string_view rest = text; !rest.empty();) {
            const std::string part(rest.substr(0, 1 + random.below(20)));
            rest.remove_prefix(part.size());
            REQUIRE(decoder.feed(part));
        }
        REQUIRE(flat(*decoder.finish()) == expected);
    }
}

TEST_CASE("list_decoder: members come in any order", "[api][decode]")
{
    std::vector<std::string> members = {R"("kind":"PodList")", R"("apiVersion":"v1")",
                                        R"("metadata":{"resourceVersion":"7","continue":"c","remainingItemCount":3})",
                                        R"("items":[{"metadata":{"name":"a"}},{"kind":"Own","metadata":{"name":"b"}}])",
                                        R"("zextra":{"items":[1,{"kind":"No"}],"kind":[]})"};
    std::sort(members.begin(), members.end());
    std::set<std::string> seen;
    do {
        std::string text = "{";
        for (const auto& m : members) text += (text.size() > 1 ? "," : "") + m;
        const list_page page = decoded(text + "}");
        REQUIRE(page.items.size() == 2);
        REQUIRE(page.items[0].kind() == "Pod");
        REQUIRE(page.items[1].kind() == "Own");
        REQUIRE(page.items[1].api_version() == "v1");
        REQUIRE(page.continue_token == "c");
        seen.insert(page.items[0].to_json().as_object().contains("apiVersion") ? flat(page).substr(0, 20) : "");
    } while (std::next_permutation(members.begin(), members.end()));
    CHECK(seen.size() == 1);
}

TEST_CASE("list_decoder: items get kind and apiVersion from the list", "[api][decode]")
{
    CHECK(decoded(R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]})").items[0].to_text() ==
          R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})");
    CHECK(decoded(R"({"items":[{},{"apiVersion":"w"}],"kind":"PodList","apiVersion":"v1"})").items[0].to_text() ==
          R"({"kind":"Pod","apiVersion":"v1"})");
    CHECK(decoded(R"({"items":[{},{"apiVersion":"w"}],"kind":"PodList","apiVersion":"v1"})").items[1].to_text() ==
          R"({"kind":"Pod","apiVersion":"w"})");
    // A kind without the suffix List, or that is only List, does not determine the kind of the items.
    CHECK(decoded(R"({"kind":"Pods","apiVersion":"v1","items":[{}]})").items[0].to_text() == "{}");
    CHECK(decoded(R"({"kind":"List","apiVersion":"v1","items":[{}]})").items[0].to_text() == "{}");
    // The object's header widens with the two members.
    const std::string filler(240, 'x');
    const list_page wide = decoded(R"({"kind":"PodList","apiVersion":"v1","items":[{"a":")" + filler + "\"}]}");
    CHECK(wide.items[0]["a"].as_string() == filler);
    CHECK(wide.items[0].root().size() == 3);
    CHECK(wide.items[0].kind() == "Pod");
}

TEST_CASE("list_decoder: null and absent parts", "[api][decode]")
{
    CHECK(decoded(R"({"items":null})").items.empty());
    CHECK(decoded(R"({"items":[],"metadata":null,"kind":null})").resource_version.empty());
    CHECK(decoded(R"({"items":[{"metadata":{"name":"a"}}],"items":[]})").items.empty());
    CHECK(decoded(R"({"items":[{"metadata":{"name":"a"}}],"items":null})").items.empty());
    CHECK(decoded(" \n{\"items\":[]}\n \t").items.empty());
    CHECK(decoded(R"({"items":[],"metadata":{"continue":""}})").continue_token.empty());
    CHECK_FALSE(decoded(R"({"items":[],"metadata":{"remainingItemCount":"5"}})").remaining);
}

TEST_CASE("list_decoder: anything but a list is rejected with its kind", "[api][decode]")
{
    refused(fixture("table.json"), "expected a list, got kind Table");
    refused(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"})",
            "expected a list, got kind Status");
    refused("{}", "expected a list, got neither kind nor items");
    refused(R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"}})", "the PodList has no items");
    refused("", "unexpected end of text");
    refused(" \n", "unexpected end of text");
    refused("[]", "expected a list, got an array");
    refused("7", "expected a list");
    refused(R"({"items":{}})", "`items` is not an array");
    refused(R"({"items":1})", "`items` is not an array");
    refused(R"({"items":[],"metadata":[]})", "`metadata` is not an object");
    refused(R"({"items":[],"metadata":"x"})", "`metadata` is not an object");
    refused(R"({"items":[{},7]})", "item 1 is not an object");
    refused(R"({"items":[[]]})", "item 0 is not an object");
    refused(R"({"items":[null,7]})", "item 1 is not an object");
}

TEST_CASE("list_decoder: an item that is null costs that item", "[api][decode]")
{
    const std::string text = R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},)"
                             R"("items":[{"metadata":{"name":"a"}},null,{"metadata":{"name":"b"}},null]})";
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}, text.size()}) {
        const auto page = decode_in_chunks(text, chunk);
        REQUIRE(page);
        REQUIRE(page->items.size() == 2);
        CHECK(page->items[1].name() == "b");
        REQUIRE(page->left_out.size() == 2);
        CHECK(page->left_out[0].key.name.empty());
        CHECK(page->left_out[0].why == "item 1 of the list is null");
        CHECK(page->left_out[1].why == "item 3 of the list is null");
    }
    CHECK(decoded(R"({"items":[null],"items":[]})").left_out.empty());
    std::string many;
    for (int i = 0; i < 20'000; ++i) many += "null,";
    refused("{\"items\":[" + many + "null]}", "too many items for the length of the text");
}

TEST_CASE("list_decoder: a Status in place of a list keeps the server's words", "[api][decode]")
{
    const std::string text = fixture("status_not_found.json");
    for (const std::size_t chunk : {std::size_t{1}, text.size()}) {
        const auto page = decode_in_chunks(text, chunk);
        REQUIRE_FALSE(page);
        CHECK(page.error() == cond::not_found);
        REQUIRE(page.error().status());
        CHECK(page.error().status()->message == "configmaps \"nope\" not found");
        CHECK(page.error().status()->name == "nope");
    }
    // One that is too long to be one, or that is cut, is none.
    refused(R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":")" + std::string(20'000, 'x') + "\"}",
            "expected a list, got kind Status");
    refused(std::string_view(text).substr(0, text.size() - 3), "unexpected end of text", cond::unreachable);
    // Only as the whole answer.
    CHECK(decoded(R"({"kind":"Status","status":"Failure","items":[]})").kind == "Status");
}

TEST_CASE("list_decoder: broken input is rejected, and the decoder stays failed", "[api][decode]")
{
    refused(R"({"items":[]} x)", "unexpected text after the list, at byte 13");
    refused(R"({"items":[]}{"items":[]})", "unexpected text after the list");
    refused("{\"items\":[{\"a\":\"\xff\"}]}", "malformed JSON");
    refused(R"({"items":[{"a":1,}]})", "malformed JSON");
    refused("", "unexpected end of text after byte 0");
    refused("{\"items\":[{\"v\":" + std::string(1000, '['), "nested too deeply");
    refused("{\"items\":[],\"other\":" + std::string(1000, '['), "unexpected end of text", cond::unreachable);
    for (const std::string& broken : testing_samples::broken_documents()) {
        const std::string text = "{\"items\":[{\"a\":" + broken + "}]}";
        if (object::parse("{\"a\":" + broken + "}")) continue;
        INFO(text);
        CHECK_FALSE(decode_in_chunks(text, text.size()));
        CHECK_FALSE(decode_in_chunks(text, 1));
    }
    list_decoder decoder;
    REQUIRE_FALSE(decoder.feed("{]"));
    CHECK_FALSE(decoder.feed("{\"items\":[]}"));
    CHECK_FALSE(decoder.finish());
}

TEST_CASE("list_decoder: a list cut at any byte is rejected", "[api][decode]")
{
    for (const char* name : {"list_page1.json", "list_custom.json"}) {
        const std::string text = fixture(name);
        // The last two bytes are the closing brace and a newline.
        for (std::size_t n = 0; n + 1 < text.size(); ++n) {
            const auto page = decode_in_chunks(std::string_view(text).substr(0, n), text.size());
            REQUIRE_FALSE(page);
            // A broken transfer, even if its body ended in order; nothing at all is no list.
            REQUIRE(page.error() == (n == 0 ? cond::corrupt : cond::unreachable));
            REQUIRE(page.error().message().find("unexpected end of text") != std::string::npos);
        }
    }
}

TEST_CASE("list_decoder: limits apply per object, not per list", "[api][decode]")
{
    decode_options o;
    o.limits.max_object_bytes = 200;
    o.limits.max_depth = 4;
    std::string text = R"({"kind":"XList","items":[{})";
    for (int i = 0; i < 100; ++i) text += ",{\"v\":\"" + std::string(150, 'x') + "\"}";
    CHECK(decoded(text + "]}", o).items.size() == 101);
    for (const std::size_t chunk : {1, 64, 100000}) {
        const auto large = decode_in_chunks(R"({"items":[{"v":")" + std::string(300, 'x') + "\"}]}", chunk, o);
        REQUIRE_FALSE(large);
        CHECK(large.error().message().find("an object is larger than 200 bytes") != std::string::npos);
    }
    CHECK(decoded(R"({"items":[{"a":[[[1]]]}]})", o).items.size() == 1);
    CHECK_FALSE(decode_in_chunks(R"({"items":[{"a":[[[[1]]]]}]})", 1000, o));
    // Skipped members cost nothing, so they have no limit.
    CHECK(decoded(R"({"extra":")" + std::string(5000, 'x') + R"(","items":[]})", o).items.empty());
}

TEST_CASE("list_decoder: an item that is too large is left out by name, and the list continues", "[api][decode]")
{
    decode_options o;
    o.limits.max_object_bytes = 300;
    const std::string large(1000, 'x');
    const std::string head =
        R"({"kind":"Pod","metadata":{"name":"big","namespace":"web","uid":"u","resourceVersion":"9"},)";
    const auto list_of = [](const std::string& item) {
        return R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"a"}},)" +
               item + R"(,{"metadata":{"name":"b"},"spec":{"v":[1,2,{"w":"x"}]}}]})";
    };
    // Too large because of a text, a text in parts, a key, a number, many small values, and at the very end.
    std::string many;
    for (int i = 0; i < 400; ++i) many += "\"" + std::to_string(i) + "\",";
    std::string containers;
    for (int i = 0; i < 400; ++i) containers += R"({"k":[{"l":{}}]},)";
    const std::string items[] = {
        head + R"("v":")" + large + R"("})",
        head + R"("v":{"w":["\n)" + large + R"(","z",{}]},"end":[[]]})",
        head + R"("v":{")" + large + R"(":{"a":"b"}}})",
        head + R"("v":[1,)" + std::string(1000, '1') + R"(,2]})",
        head + R"("v":[)" + many + R"(0],"w":{"x":[{"y":"z"}]}})",
        head + R"("v":{"list":[)" + containers + R"({}]},"w":{}})",
        head + R"("v":")" + std::string(290, 'x') + R"(","w":{"x":{"y":["a","b","c","d","e","f","g","h"]}}})",
    };
    for (const auto& item : items)
        for (const std::size_t chunk : {1, 13, 200, 100000}) {
            INFO(item.substr(80, 40) << " in chunks of " << chunk);
            const auto page = decode_in_chunks(list_of(item), chunk, o);
            REQUIRE(page);
            REQUIRE(page->items.size() == 2);
            CHECK(page->items[0].name() == "a");
            CHECK(page->items[1]["spec"]["v"][2]["w"].as_string() == "x");
            CHECK(page->resource_version == "5");
            REQUIRE(page->left_out.size() == 1);
            CHECK(page->left_out[0].key == object_key("web", "big"));
            CHECK(page->left_out[0].uid == "u");
            CHECK(page->left_out[0].resource_version == "9");
            CHECK(page->left_out[0].why == "an object is larger than 300 bytes");
        }
    // The item cannot be identified, so the list fails: it must not be taken as complete.
    for (const std::string& item : {R"({"v":")" + large + R"(","metadata":{"name":"big"}})",
                                    R"({"metadata":{"name":"big","annotations":{"a":")" + large + "\"}}}"}) {
        const auto page = decode_in_chunks(list_of(item), 100, o);
        REQUIRE_FALSE(page);
        CHECK(page.error().message().find("an object is larger than 300 bytes") != std::string::npos);
    }
    CHECK_FALSE(
        decode_in_chunks(R"({"metadata":{"name":"big","resourceVersion":")" + large + R"("},"items":[]})", 100, o));
    CHECK_FALSE(decode_in_chunks(list_of(head + R"("v":[1,)" + large + "]}"), 100, o));
}

TEST_CASE("list_decoder: an item that is nested too deeply is left out by name, and the list continues",
          "[api][decode]")
{
    const std::size_t levels = GENERATE(200, 5000);
    std::string deep;
    for (std::size_t i = 0; i < levels; ++i) deep += i % 2 == 0 ? R"({"a]":)" : R"(["\"[",)";
    deep += "1";
    for (std::size_t i = levels; i-- != 0;) deep += i % 2 == 0 ? '}' : ']';
    const std::string metadata = R"("metadata":{"name":"deep","namespace":"web","uid":"u","resourceVersion":"9"})";
    // Behind the metadata, before them, and inside, where the name precedes or follows.
    const std::string items[] = {
        "{" + metadata + R"(,"spec":{"v":[)" + deep + R"(]},"status":{"w":[1]}})",
        R"({"data":)" + deep + "," + metadata + R"(,"spec":{"v":[)" + deep + "]}}",
        R"({"metadata":{"namespace":"web","name":"deep","managedFields":[)" + deep +
            R"(],"resourceVersion":"9","uid":"u","labels":{"name":"x"}},"spec":{}})",
        R"({"metadata":{"annotations":{"name":"x"},"managedFields":[{"fieldsV1":)" + deep +
            R"(}],"name":"deep","namespace":"web","ownerReferences":[{"uid":"y"}],"resourceVersion":"9","uid":"u"}})",
    };
    const auto list_of = [](const std::string& item) {
        return R"({"kind":"XList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"a"}},)" +
               item + R"(,{"metadata":{"name":"b"},"spec":{"v":[1]}}]})";
    };
    for (const auto& item : items)
        for (const std::size_t chunk : {1, 13, 200, 1000000}) {
            INFO(item.substr(0, 60) << " in chunks of " << chunk);
            const auto page = decode_in_chunks(list_of(item), chunk);
            REQUIRE(page);
            REQUIRE(page->items.size() == 2);
            CHECK(page->items[1]["spec"]["v"][0].as_int64() == 1);
            REQUIRE(page->left_out.size() == 1);
            CHECK(page->left_out[0].key == object_key("web", "deep"));
            CHECK(page->left_out[0].uid == "u");
            CHECK(page->left_out[0].resource_version == "9");
            CHECK(page->left_out[0].why == "nested too deeply");
        }
    // An object without a name cannot be identified: the list must not be taken as complete.
    const auto nameless = decode_in_chunks(list_of(R"({"metadata":{"uid":"u"},"v":)" + deep + "}"), 100);
    REQUIRE_FALSE(nameless);
    CHECK(nameless.error().message().find("nested too deeply") != std::string::npos);
    decode_options small;
    small.limits.max_object_bytes = 300;
    const auto large = decode_in_chunks(
        list_of("{" + metadata + R"(,"v":")" + std::string(400, 'x') + R"(","w":)" + deep + "}"), 100, small);
    REQUIRE(large);
    CHECK(large->left_out.size() == 1);
}

TEST_CASE("list_decoder: drops managedFields in any chunking", "[api][decode]")
{
    decode_options o;
    o.drop_managed_fields = true;
    const std::string text = fixture("list_page1.json");
    for (const std::size_t chunk : {1, 13, 5000}) {
        const auto page = decode_in_chunks(text, chunk, o);
        REQUIRE(page);
        CHECK_FALSE(page->items[0].metadata()["managedFields"]);
        CHECK(page->items[0].labels()["app"].as_string() == "web");
        CHECK(page->items[1]["data"]["k"].as_string() == "v");
    }
}
