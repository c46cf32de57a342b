// Repeated containers are copied, not parsed: this must affect only the time it takes.
#include <kubecoro/test/catch.hpp>

#include "json_samples.hpp"
#include "storage/encoding.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/test/allocations.hpp>

#include <algorithm>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;

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

/// Long enough to be cached; each `variant` is a different container.
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

/// Blanks that make a container long enough to be considered.
const std::string wide(detail::repeats::shortest, ' ');

/// Documents composed of a few containers, so that these get numbers. They contain empty and filled containers, with
/// blanks wherever JSON allows them.
class blank_documents
{
public:
    explicit blank_documents(std::uint64_t seed) : random_(seed)
    {
        for (int i = 0; i < 12; ++i) parts_.push_back(container(2));
    }

    std::string next()
    {
        std::string out = R"({"metadata":{"name":"web-)" + std::to_string(below(50)) + R"("},"spec":{)";
        for (const char* key : {"a", "b", "c", "d"})
            out += std::string(out.back() == '{' ? "" : ",") + '"' + key + "\":" + parts_[below(parts_.size())];
        return out + blank() + "}}";
    }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

private:
    std::string blank() { return below(6) == 0 ? std::string(1, " \t\n\r"[below(4)]) : ""; }
    std::string empty()
    {
        const bool is_object = below(2) == 0;
        return (is_object ? "{" : "[") + (below(2) == 0 ? wide : blank()) + (is_object ? "}" : "]");
    }
    std::string container(int depth)
    {
        std::string out = "{" + blank();
        const std::size_t members = 6 + below(6);
        for (std::size_t i = 0; i < members; ++i) {
            if (i != 0) out += ',';
            out += "\"key-" + std::to_string(i) + "\":";
            const std::size_t kind = below(6);
            out += kind == 0 ? empty() : kind == 1 && depth > 0 ? container(depth - 1) : R"("text")";
            out += blank();
        }
        return out + "}";
    }

    std::mt19937_64 random_;
    std::vector<std::string> parts_;
};

/// Overwrites each chunk after it is decoded, like the buffer of a connection.
result<list_page> decode_list(const std::vector<std::string>& texts, std::size_t chunk, const encoding_ptr& e)
{
    std::string list = R"({"kind":"ThingList","apiVersion":"v1","items":[)";
    for (const auto& t : texts) list += (list.back() == '[' ? "" : ",") + t;
    list += "]}";
    list_decoder decoder({}, e);
    for (std::size_t at = 0; at < list.size(); at += chunk) {
        const auto part = std::make_unique<std::string>(list, at, chunk);
        if (const auto fed = decoder.feed(*part); !fed) return fed.error();
        std::fill(part->begin(), part->end(), 'x');
    }
    return decoder.finish();
}

} // namespace

TEST_CASE("repeats: a repeated container reads the same, and equal texts give equal tapes", "[api][repeats]")
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

TEST_CASE("repeats: variants alternate, in lists of any chunking", "[api][repeats]")
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

TEST_CASE("repeats: secrets are not cached", "[api][repeats]")
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

TEST_CASE("repeats: limits apply to copied containers as well", "[api][repeats]")
{
    const auto e = taught(container(0));
    const std::string text = document("web", container(0));
    CHECK_FALSE(decode_object(text, {.limits = {.max_depth = 4}}, e));
    CHECK(decode_object(text, {.limits = {.max_depth = 5}}, e).has_value() ==
          decode_object(text, {.limits = {.max_depth = 5}}).has_value());
    CHECK_FALSE(decode_object(text, {.limits = {.max_object_bytes = 16}}, e));
    decode_again(text, e);
}

TEST_CASE("repeats: a failure after a copied container has the same condition as without copying", "[api][repeats]")
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

TEST_CASE("repeats: pruned fields stay pruned", "[api][repeats]")
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

TEST_CASE("repeats: an empty container with many blanks does not affect the text of other objects", "[api][repeats]")
{
    for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u}) {
        blank_documents make(seed);
        const auto e = make_object_encoding();
        for (int i = 0; i < 200; ++i) {
            const std::string text = make.next();
            INFO("seed " << seed << ", document " << i << ": " << text);
            const auto o = decode_object(text, {}, e);
            REQUIRE(o);
            REQUIRE(testing_samples::same_json(o->to_json(), testing_samples::oracle(text)));
        }
    }
}

TEST_CASE("repeats: blanks and empty containers in lists whose chunks are freed", "[api][repeats]")
{
    blank_documents make(7);
    const auto e = make_object_encoding();
    for (int round = 0; round < 50; ++round) {
        std::vector<std::string> texts;
        for (int i = 0; i < 20; ++i) texts.push_back(make.next());
        const auto page = decode_list(texts, 200 + make.below(2000), e);
        REQUIRE(page);
        REQUIRE(page->items.size() == texts.size());
        for (std::size_t i = 0; i < texts.size(); ++i) {
            INFO("round " << round << ": " << texts[i]);
            const auto alone = object::parse(texts[i]).value();
            REQUIRE(page->items[i]["spec"] == alone["spec"]);
        }
    }
}

namespace {

/// A document whose other parts do not repeat.
std::string own_document(int i, const std::string& part)
{
    return R"({"metadata":{"name":"web"},"spec":{"own":"number )" + std::to_string(i) + R"(","part":)" + part + "}}";
}

const detail::former_repeats& former(const encoding_ptr& e)
{
    return detail::encoding::of(e)->words.documents().former();
}

} // namespace

TEST_CASE("repeats: containers that have repeated are found in any order, at any place of their depth",
          "[api][repeats]")
{
    constexpr std::size_t depth_of_part = 2;
    const auto e = make_object_encoding();
    for (int i = 0; i < 120; ++i) decode_again(own_document(i, container(i / 40)), e);
    CHECK(former(e).find(container(0), {}, depth_of_part) != nullptr);
    CHECK(former(e).find(container(1), {}, depth_of_part) != nullptr);
    CHECK(former(e).find(container(2), {}, depth_of_part) == nullptr); // the last one is still at its place

    const auto seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937 random(seed);
    for (int i = 0; i < 200; ++i) {
        const auto variant = static_cast<int>(random() % 3);
        decode_again(own_document(i, container(variant)), e);
        decode_again(R"({"metadata":{"name":"m"},"spec":{"elsewhere":)" + container(variant) + "}}", e);
        decode_again(own_document(i, container(variant, " ")), e);
    }
}

TEST_CASE("repeats: a container that was never copied is not kept for other places", "[api][repeats]")
{
    const auto e = make_object_encoding();
    for (int i = 0; i < 120; ++i)
        decode_again(own_document(i, R"({"number":)" + std::to_string(i) + R"(,"c":)" + container(0) + "}"), e);
    CHECK(former(e).bytes() == 0);
}

TEST_CASE("repeats: a container that was somewhere else before keeps the limit of depth", "[api][repeats]")
{
    decode_options tight{.limits = {.max_depth = 1}};
    while (!decode_object(own_document(0, container(0)), tight)) ++tight.limits.max_depth;
    const auto deep = [](int i, const std::string& part) {
        return R"({"metadata":{"name":"m"},"spec":{"other":{"own":"number )" + std::to_string(i) + R"(","a":)" + part +
               "}}}";
    };
    const std::string flat = R"({"a":")" + std::string(300, 'x') + R"("})";
    const auto e = make_object_encoding();
    for (int i = 0; i < 120; ++i) {
        decode_again(own_document(i, container(i / 60)), e, tight);
        decode_again(deep(i, flat), e, tight);
    }
    REQUIRE(former(e).find(container(0), {}, 2) != nullptr);
    CHECK(decode_object(own_document(1, container(0)), tight, e));
    CHECK_FALSE(decode_object(deep(1, container(0)), tight));
    CHECK_FALSE(decode_object(deep(1, container(0)), tight, e));
}

TEST_CASE("repeats: a pruned container is copied", "[api][repeats]")
{
    const bool is_way = GENERATE(false, true);
    decode_options options{.prune = {.drop = {"spec.part.member-1"}}};
    if (is_way) options.prune = {.keep = {"spec.part.member-1"}};
    const auto e = make_object_encoding();
    for (int i = 0; i < 60; ++i) {
        const std::string text = own_document(i, container(0));
        REQUIRE(decode_object(text, options, e).value().to_text() == decode_object(text, options).value().to_text());
    }
    std::size_t copied = 0;
    for (std::size_t n = 1; n < remembered(e).size(); ++n) {
        const auto& entry = remembered(e).at(static_cast<std::uint8_t>(n));
        if (entry.copied && entry.text == container(0)) copied += entry.when.how.pruning != 0;
    }
    CHECK(copied == 1);
}

TEST_CASE("repeats: filters that share an encoding do not share pruned containers", "[api][repeats]")
{
    const std::vector<prune_options> filters{
        {},
        {.drop = {"spec.part.member-0"}},
        {.drop = {"spec.part.member-1"}},
        {.keep = {"spec.part.member-0"}},
        {.keep = {"spec.part"}},
        {.keep = {"spec.part"}, .drop = {"spec.part.member-1", "spec.part.member-2.c"}},
        {.keep = {"spec.*.member-0", "spec.part.member-2"}},
        {.keep = {"spec.*.*.c"}},
        {.keep = {"spec.one.member-0", "spec.two.member-1", "spec.*"}, .drop = {"spec.two.member-2"}},
        {.drop = {"spec.one", "spec.two.*.c"}},
    };
    const auto seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    // All filters at once, which are more than an encoding numbers, or two of them in turn.
    const bool all = GENERATE(false, true);
    const auto first = below(filters.size());
    const auto second = below(filters.size());
    const auto e = make_object_encoding();
    for (int i = 0; i < 2000; ++i) {
        const auto f = all ? below(filters.size()) : below(2) == 0 ? first : second;
        const decode_options options{.prune = filters[f]};
        std::string text = R"({"metadata":{"name":"m)" + std::to_string(below(20)) + R"("},"spec":{"own":1)";
        // Names that are new have no numbers, and share a place.
        for (const std::string name : {"part", "one", "two", "new"})
            if (below(3) != 0)
                text += ",\"" + name + (name == "new" ? std::to_string(i) : "") +
                        "\":" + container(static_cast<int>(below(4) == 0 ? 1 : 0));
        text += "}}";
        INFO("document " << i << ", filter " << f << ": " << text);
        REQUIRE(decode_object(text, options, e).value().to_text() == decode_object(text, options).value().to_text());
    }
}

TEST_CASE("repeats: a container that was somewhere else before is pruned by the path of its present place",
          "[api][repeats]")
{
    const auto of_one_path = GENERATE(true, false);
    decode_options options{.prune = {.keep = {"spec.one.x.member-0", "spec.one.y.member-1"}}};
    // The path of y ends in one node of the filter, that of x in two.
    if (!of_one_path) options.prune.keep = {"spec.*.x.member-0", "spec.one.*.member-1"};
    const auto e = make_object_encoding();
    const auto decode = [&](const char* key, int i, int variant) {
        const std::string text = R"({"metadata":{"name":"web"},"spec":{"one":{"own":"number )" + std::to_string(i) +
                                 R"(",")" + key + R"(":)" + container(variant) + "}}}";
        REQUIRE(decode_object(text, options, e).value().to_text() == decode_object(text, options).value().to_text());
    };
    for (int i = 0; i < 120; ++i) decode("y", i, i / 40);
    for (int i = 0; i < 60; ++i) decode("x", i, 2);
    for (int i = 0; i < 60; ++i) decode("x", i, 0);
    for (int i = 0; i < 60; ++i) decode("y", i, 0);
}

TEST_CASE("repeats: an allocation that fails leaves no text with the tape of another container", "[api][repeats]")
{
    const auto tape_of = [](char c, std::size_t size) {
        return std::vector<unsigned char>(size, static_cast<unsigned char>(c));
    };
    const std::vector<unsigned char> first = tape_of('a', 50);
    const std::vector<unsigned char> second = tape_of('b', 500);
    const std::string text_of_first(100, 'a');
    const std::string text_of_second(1000, 'b');
    const bool replaces = GENERATE(true, false);
    for (std::uint64_t nth = 1, failures = 1; failures != 0; ++nth) {
        detail::repeats all;
        const auto n = all.put(detail::repeats::none, text_of_first, first, {});
        failures = 0;
        kubecoro::test::fail_allocation(nth);
        try {
            (void)all.put(replaces ? n : detail::repeats::none, text_of_second, second, {});
        } catch (const std::bad_alloc&) {
            ++failures;
        }
        kubecoro::test::fail_allocation(0);
        INFO("allocation " << nth << " fails");
        for (std::size_t i = 1; i < all.size(); ++i) {
            const auto& e = all.at(static_cast<detail::repeats::number>(i));
            if (e.text.empty()) continue;
            CHECK((e.tape == (e.text == text_of_first ? first : second)));
        }
        // The bytes are counted right: all of them are free again for others.
        const auto m = all.put(n, text_of_second, second, {});
        CHECK(m == n);
        CHECK((all.at(m).tape == second));
        CHECK(all.bytes() < 4096);
    }
}
