// The escape of a lone surrogate is read as U+FFFD, as by Go's decoder, in any chunking.
#include <kubecoro/test/catch.hpp>

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

struct sample
{
    std::string_view written;
    std::string_view read;
};

constexpr std::array samples{
    sample{R"(\ud800)", R"(\ufffd)"},
    sample{R"(\udfff)", R"(\ufffd)"},
    sample{R"(\uDbFf)", R"(\ufffd)"},
    sample{R"(\uDC00)", R"(\ufffd)"},
    sample{R"(a\ud800b)", R"(a\ufffdb)"},
    sample{R"(\ud800\u0041)", R"(\ufffd\u0041)"},
    sample{R"(\ud800\n\udc00)", R"(\ufffd\n\ufffd)"},
    sample{R"(\ud83d\ude00\ud83d)", R"(\ud83d\ude00\ufffd)"},
    sample{R"(\ud83d\ud83d\ude00\ude00)", R"(\ufffd\ud83d\ude00\ufffd)"},
    sample{R"(\\ud800\\\ud800\\\\ud800)", R"(\\ud800\\\ufffd\\\\ud800)"},
    sample{R"(\"\ud800\")", R"(\"\ufffd\")"},
    sample{R"(k:{\"uid\":\"\udc00\"})", R"(k:{\"uid\":\"\ufffd\"})"},
    sample{R"(\ud800\udc00\uDBFF\uDFFF)", R"(\ud800\udc00\uDBFF\uDFFF)"},
    sample{R"(\ue000\ud7ff\u0fff)", R"(\ue000\ud7ff\u0fff)"},
    sample{R"(\ud7ff\udc00)", R"(\ud7ff\ufffd)"},
    sample{R"(\\\\\\\\\ud800)", R"(\\\\\\\\\ufffd)"},
};

/// A list of two objects, with the text at every place where a text can be.
std::string list_with(std::string_view text)
{
    std::string all =
        R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[)"
        R"({"metadata":{"name":"a","annotations":{"first":"T","T":"x","last":"a T b"}},"T":{"T":["T","x T"]}},)"
        R"({"T":1,"spec" : [ "T" , 1, {"a":{}, "T":"T"}],"metadata":{"name":"b","labels":{"T":"T"}}}]})";
    for (std::size_t at = all.find('T'); at != std::string::npos; at = all.find('T', at + text.size()))
        all.replace(at, 1, text);
    return all;
}

std::optional<std::string> decoded(std::string_view text, std::size_t chunk, const decode_options& options = {})
{
    list_decoder decoder(options, make_object_encoding());
    for (std::size_t at = 0; at < text.size(); at += chunk)
        // A separate copy, so that a sanitizer detects reads beyond the chunk.
        if (!decoder.feed(std::string(text.substr(at, chunk)))) return std::nullopt;
    const auto page = decoder.finish();
    if (!page) return std::nullopt;
    std::string out;
    for (const object& o : page->items) out += o.to_text() + "\n";
    return out;
}

} // namespace

TEST_CASE("surrogates: a list reads lone ones as U+FFFD, in every chunking", "[api][decode]")
{
    for (const auto& s : samples) {
        const std::string text = list_with(s.written);
        const auto wanted = decoded(list_with(s.read), text.size());
        REQUIRE(wanted);
        for (std::size_t chunk = 1; chunk <= text.size(); ++chunk) {
            CAPTURE(s.written, chunk);
            REQUIRE(decoded(text, chunk) == wanted);
        }
    }
}

TEST_CASE("surrogates: pruned fields may contain lone ones", "[api][decode]")
{
    decode_options options;
    options.prune.keep = {"metadata", "spec"};
    options.prune.drop = {"metadata.labels", "metadata.annotations.first"};
    const std::string text = list_with(R"(x\ud800\\)");
    const auto wanted = decoded(list_with(R"(x\ufffd\\)"), text.size(), options);
    REQUIRE(wanted);
    for (std::size_t chunk = 1; chunk <= text.size(); ++chunk) {
        CAPTURE(chunk);
        REQUIRE(decoded(text, chunk, options) == wanted);
    }
}

TEST_CASE("surrogates: an object and an event read lone ones as U+FFFD", "[api][decode]")
{
    const std::string text = R"({"metadata":{"name":"a"},"\ud800k":"\udc00v","n":"\ud800"})";
    const auto o = object::parse(text);
    REQUIRE(o);
    CHECK((*o)["\xef\xbf\xbdk"].as_string() == "\xef\xbf\xbdv");
    CHECK((*o)["n"].as_string() == "\xef\xbf\xbd");
    watch_decoder watch;
    std::vector<watch_event> events;
    REQUIRE(watch.feed(R"({"type":"ADDED","object":)" + text + "}\n" + R"({"object":)" + text +
                           R"(,"type":"ADDED"})"
                           "\n",
                       events));
    REQUIRE(events.size() == 2);
    CHECK(events[0].obj.root() == o->root());
    CHECK(events[1].obj.root() == o->root());
}

TEST_CASE("surrogates: a text of nothing else takes linear time", "[api][decode]")
{
    // With a copy of the remainder for each one, this would take minutes.
    std::string value;
    for (int i = 0; i < 300'000; ++i) value += R"(\ud800 )";
    const std::string text = R"({"a":")" + value + R"("})";
    const auto o = object::parse(text);
    REQUIRE(o);
    CHECK((*o)["a"].as_string().size() == 300'000 * 4);
}

TEST_CASE("surrogates: other errors are still rejected", "[api][decode]")
{
    for (const std::string_view text :
         {R"({"a":"\ud800","b":})", R"({"a":"x" ! "\ud800"})", R"({"a":"x"\ud800})", R"({"a":"\ud800)",
          R"({"a":"\ud80")", R"({"a":"\ud8zz"})", R"({"a":"\ud800\x"})", R"({"a":"\ud800\u00"})", R"({"\ud800"})",
          R"({"a":\ud800})", R"({"a":"\ud800"}})", R"({"a":"x","b":"\ud800" "c"})"}) {
        CAPTURE(text);
        CHECK_FALSE(object::parse(text));
        const std::string list = R"({"items":[)" + std::string(text) + "]}";
        for (std::size_t chunk = 1; chunk <= list.size(); ++chunk) CHECK_FALSE(decoded(list, chunk));
    }
}

TEST_CASE("surrogates: however many backslashes are before one, it is read as U+FFFD in every chunking",
          "[api][decode]")
{
    for (std::size_t n = 0; n < 24; ++n) {
        const std::string backslashes(2 * n, '\\');
        for (const std::string& before : {backslashes, "x" + backslashes}) {
            const auto text = [&](std::string_view one) { return R"({"items":[{"a":")" + before + std::string(one); };
            const std::string rest = R"(\ud83d\ude00\\\\\n","b":"\\\\\\\\\\\\\\\\ud800"}]})";
            const auto given = text(R"(\ud800)") + rest;
            const auto wanted = decoded(text(R"(\ufffd)") + rest, given.size());
            REQUIRE(wanted);
            for (std::size_t chunk = 1; chunk <= given.size(); ++chunk) {
                CAPTURE(n, chunk);
                REQUIRE(decoded(given, chunk) == wanted);
            }
        }
    }
}

TEST_CASE("surrogates: fields around objects, known and unknown, may have single ones in every chunking",
          "[api][decode]")
{
    for (const auto& s : samples) {
        std::string text = R"({"T":"T","kind":"aTb","x":{"T":"T","T":1,"T":"T","y":["T",{"T":1,"z":"T"},[],"T"],)"
                           R"("T":{}},"T":null,"T":true,"T":"T","metadata":{"resourceVersion":"7","T":"T"},)"
                           R"("apiVersion":"T","v":["T",["T"],{"a":"T"},"T"],"items":[{"a":"T"}],"T":["T"],)"
                           R"("end":{"T":{"T":"T"},"T":"T"}})";
        for (std::size_t at = text.find('T'); at != std::string::npos; at = text.find('T', at + s.written.size()))
            text.replace(at, 1, s.written);
        const auto kind = object::parse(R"({"k":"a)" + std::string(s.read) + R"(b"})");
        REQUIRE(kind);
        for (std::size_t chunk = 1; chunk <= text.size(); ++chunk) {
            CAPTURE(s.written, chunk);
            list_decoder decoder({}, make_object_encoding());
            for (std::size_t at = 0; at < text.size(); at += chunk)
                REQUIRE(decoder.feed(std::string(text.substr(at, chunk))));
            const auto page = decoder.finish();
            REQUIRE(page);
            CHECK(page->kind == (*kind)["k"].as_string());
            CHECK(page->resource_version == "7");
            REQUIRE(page->items.size() == 1);
        }
    }
}

TEST_CASE("surrogates: an event's other fields may have single ones in every chunking", "[api][decode]")
{
    const std::string_view text = R"({"\ud800":"\udc00","other":[{"a":["\ud800\ud800",{"\udc00":{}}]},"\ud800"],)"
                                  R"("type":"ADDED","object":{"metadata":{"name":"a"}},"last":{"b":"\\\ud800"}})"
                                  "\n";
    for (std::size_t chunk = 1; chunk <= text.size(); ++chunk) {
        CAPTURE(chunk);
        watch_decoder watch;
        std::vector<watch_event> events;
        for (std::size_t at = 0; at < text.size(); at += chunk)
            REQUIRE(watch.feed(std::string(text.substr(at, chunk)), events));
        REQUIRE(events.size() == 1);
        CHECK(events[0].obj.name() == "a");
    }
}

TEST_CASE("surrogates: what is left of an object that is too large may have single ones, in every chunking",
          "[api][decode]")
{
    decode_options options;
    options.limits.max_object_bytes = 64;
    const std::string large(80, 'x');
    for (const std::string& inside : {R"("a":")" + large + R"(\ud800")", R"("a":")" + large + R"(","\ud800":"\udc00")",
                                      R"("a":{"b":[")" + large + R"(",["\ud800"],{"\ud800":"\ud800"}],"c\ud800":1})",
                                      R"("a":[{"b":"\ud800)" + large + R"(\ud800y\ud800"},"\ud800"],"\ud800":"\udc00")",
                                      R"("\ud800)" + large + R"(\ud800":{"\ud800":["\udc00"]},"b":"\udc00")"}) {
        const std::string text = R"({"type":"ADDED","object":{"metadata":{"name":"a"},)" + inside +
                                 R"(},"x":"\ud800"})"
                                 "\n"
                                 R"({"type":"ADDED","object":{"metadata":{"name":"b"}}})"
                                 "\n";
        for (std::size_t chunk = 1; chunk <= text.size(); ++chunk) {
            CAPTURE(inside, chunk);
            watch_decoder watch(options);
            std::vector<watch_event> events;
            for (std::size_t at = 0; at < text.size(); at += chunk)
                REQUIRE(watch.feed(std::string(text.substr(at, chunk)), events));
            REQUIRE_FALSE(events.empty());
            CHECK(events.back().obj.name() == "b");
        }
        const std::string list = R"({"items":[{"metadata":{"name":"a"},)" + inside +
                                 R"(},{"metadata":{"name":"b"}}],"metadata":{"resourceVersion":"7"}})";
        for (std::size_t chunk = 1; chunk <= list.size(); ++chunk) {
            CAPTURE(inside, chunk);
            list_decoder decoder(options, make_object_encoding());
            for (std::size_t at = 0; at < list.size(); at += chunk)
                REQUIRE(decoder.feed(std::string(list.substr(at, chunk))));
            const auto page = decoder.finish();
            REQUIRE(page);
            CHECK(page->left_out.size() == 1);
            CHECK(page->resource_version == "7");
            REQUIRE(page->items.size() == 1);
            CHECK(page->items[0].name() == "b");
        }
        // The key behind the object, where the text of the object is not forgotten, is another one.
        const std::string last =
            R"({"items":[{"metadata":{"name":"a"},)" + inside + R"(}],"metadata":{"resourceVersion":"7"}})";
        for (std::size_t cut = 1; cut < last.size(); ++cut) {
            CAPTURE(inside, cut);
            list_decoder decoder(options, make_object_encoding());
            REQUIRE(decoder.feed(last.substr(0, cut)));
            REQUIRE(decoder.feed(last.substr(cut)));
            const auto page = decoder.finish();
            REQUIRE(page);
            CHECK(page->resource_version == "7");
        }
    }
}
