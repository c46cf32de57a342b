#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/read_everything.hpp>

#include "json_samples.hpp"

#include "storage/encoding.hpp"
#include "storage/object_block.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>

#include <set>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

using encoding_ptr = std::shared_ptr<object_encoding>;

const detail::vocabulary& words_of(const encoding_ptr& e) { return *detail::encoding::words_of(e); }

object decoded(std::string_view text, const encoding_ptr& e)
{
    auto o = decode_object(text, {}, e);
    INFO(text);
    if (!o) FAIL(o.error().describe());
    return *o;
}

/// All learnt texts, keys and values.
std::set<std::string> learnt(const encoding_ptr& e)
{
    std::set<std::string> all;
    const auto& words = words_of(e);
    for (detail::vocabulary::number n = 0; n < words.keys().size(); ++n) all.emplace(words.key(n));
    for (detail::vocabulary::number n = 0; n < words.values().size(); ++n) all.emplace(words.value(n));
    return all;
}

std::string list_of(const std::string& document, int times)
{
    std::string text = R"({"kind":"ThingList","apiVersion":"x/v1","items":[)";
    for (int i = 0; i < times; ++i) text += (i != 0 ? "," : "") + document;
    return text + "]}";
}

std::vector<object> decode_split(const std::string& text, std::size_t at, const encoding_ptr& e)
{
    list_decoder decoder({}, e);
    // Copies, so that a sanitizer detects reads beyond each part.
    REQUIRE(decoder.feed(std::string(text.substr(0, at))));
    REQUIRE(decoder.feed(std::string(text.substr(at))));
    auto page = decoder.finish();
    REQUIRE(page);
    return std::move(page->items);
}

} // namespace

TEST_CASE("vocabulary: every document survives a round trip before, during and after learning", "[api][vocabulary]")
{
    for (const std::string& text : testing_samples::edge_documents()) {
        INFO(text.substr(0, 200));
        const auto alone = object::parse(text);
        REQUIRE(alone);
        const std::string expected = alone->to_text();
        const auto e = make_object_encoding();
        std::vector<object> all;
        for (int i = 0; i < 12; ++i) {
            all.push_back(decoded(text, e));
            REQUIRE(all.back().to_text() == expected);
            REQUIRE(all.back().root() == alone->root());
            REQUIRE(testing_samples::same_json(all.back().to_json(), testing_samples::oracle(text)));
        }
        for (const object& o : all) {
            REQUIRE(o.to_text() == expected);
            REQUIRE(o.root() == all.front().root());
            REQUIRE(all.back().root() == o.root());
        }
        CHECK(object_builder::tape_of(all.back()).size() <= object_builder::tape_of(all.front()).size());
    }
}

TEST_CASE("vocabulary: every split gives the same objects at any stage of learning", "[api][vocabulary]")
{
    for (const std::string& document : testing_samples::edge_documents()) {
        const std::string text = list_of(document, 2);
        const std::string expected = decode_split(text, 0, nullptr).front().to_text();
        const auto e = make_object_encoding();
        const std::size_t step = text.size() < 2000 ? 1 : text.size() / 40;
        // Learns during the loop: the first splits use an empty vocabulary, the last ones a complete one.
        for (std::size_t at = 0; at <= text.size(); at += step)
            for (const object& o : decode_split(text, at, e)) REQUIRE(o.to_text() == expected);
        const auto whole = decode_split(text, 0, e);
        const auto tape = object_builder::tape_of(whole.front());
        for (std::size_t at = 0; at <= text.size(); at += step) {
            const auto cut = decode_split(text, at, e);
            const auto other = object_builder::tape_of(cut.front());
            REQUIRE(std::equal(tape.begin(), tape.end(), other.begin(), other.end()));
        }
    }
}

TEST_CASE("vocabulary: random documents agree with Boost.JSON", "[api][vocabulary]")
{
    testing_samples::generator random(20261121);
    const auto e = make_object_encoding();
    for (int i = 0; i < 2000; ++i) {
        const std::string text = random.document();
        INFO("document " << i << ": " << text);
        const object o = decoded(text, e);
        REQUIRE(testing_samples::same_json(o.to_json(), testing_samples::oracle(text)));
        REQUIRE(o.root() == object::parse(text)->root());
        const auto shuffled = decoded(random.shuffled(o.root()), e);
        REQUIRE(o.root() == shuffled.root());
    }
    CHECK(words_of(e).keys().size() > 0);
}

TEST_CASE("vocabulary: recurring texts are learnt and make objects small", "[api][vocabulary]")
{
    const auto e = make_object_encoding();
    const auto pod = [&e](int i) {
        std::string text(testing_samples::pod);
        return decoded(text.replace(text.find("7a5c-1"), 6, "7a5c-" + std::to_string(i)), e);
    };
    const object first = pod(1);
    for (int i = 2; i < 12; ++i) (void)pod(i);
    const object last = pod(12);
    CHECK(object_builder::tape_of(last).size() < object_builder::tape_of(first).size() / 2);
    CHECK(last.kind() == "Pod");
    CHECK(last.ns() == "web");
    CHECK(last["spec"]["nodeName"].as_string() == "n1");
    CHECK(last["metadata"]["labels"]["app"].as_string() == "shop");
    CHECK(last.path("status.phase").as_string() == "Running");
    CHECK(learnt(e).count("Running") == 1);
    CHECK(learnt(e).count("nodeName") == 1);
    CHECK(e->bytes() > 1000);
}

TEST_CASE("vocabulary: the tape shown in the decision record", "[api][vocabulary]")
{
    const auto e = make_object_encoding();
    auto& words = *detail::encoding::words_of(e);
    for (const char* key : {"metadata", "name", "labels", "app"}) words.keys().admit(key);
    words.values().admit("shop");
    const object o = decoded(R"({"metadata":{"name":"web-1","labels":{"app":"shop"}},"replicas":300})", e);
    const auto tape = object_builder::tape_of(o);
    const std::vector<unsigned char> shown{0xdd, 0x00, 0xce, 0x01, 0x05, 'w',  'e',  'b',  '-',
                                           '1',  0x02, 0xc5, 0x03, 0x40, 0xfe, 0x08, 'r',  'e',
                                           'p',  'l',  'i',  'c',  'a',  's',  0xb1, 0x2c, 0x01};
    CHECK(std::vector<unsigned char>(tape.begin(), tape.end()) == shown);
}

TEST_CASE("vocabulary: names of single objects are not learnt", "[api][vocabulary]")
{
    const auto e = make_object_encoding();
    for (int i = 0; i < 30; ++i)
        decoded(R"({"metadata":{"name":"only-one","uid":"12-34","resourceVersion":"777","creationTimestamp":"2026",)"
                R"("managedFields":[{"fieldsV1":{"k:{\"uid\":\"12-34\"}":{},"v:\"x/protect\"":{},)"
                R"("k:{\"type\":\"Ready\"}":{}}}]}})",
                e);
    const auto all = learnt(e);
    for (const char* text : {"only-one", "12-34", "777", "2026", "k:{\"uid\":\"12-34\"}", "v:\"x/protect\""}) {
        INFO(text);
        CHECK(all.count(text) == 0);
    }
    CHECK(all.count("k:{\"type\":\"Ready\"}") == 1);
    CHECK(all.count("fieldsV1") == 1);
}

TEST_CASE("vocabulary: data maps and values of variables are not learnt", "[api][vocabulary]")
{
    const std::string text =
        R"({"metadata":{"name":"a","managedFields":[{"fieldsV1":{"f:data":{"f:mapkey1":{}},"f:stringData":{"f:mapkey2":{}}}}]},)"
        R"("data":{"mapkey3":"secret1","mapkey4":["secret2",{"mapkey5":"secret3"}]},"stringData":{"mapkey6":"secret4"},)"
        R"("binaryData":"secret5","spec":{"env":[{"name":"TOKEN","value":"secret6"}],"value":{"inner":"secret7"}}})";
    for (const bool values : {true, false}) {
        const auto e = make_object_encoding({.values = values});
        for (int i = 0; i < 40; ++i) REQUIRE(decoded(text, e).to_text() == text);
        for (const auto& word : learnt(e)) {
            INFO(word);
            CHECK(word.find("secret") == std::string::npos);
            CHECK(word.find("mapkey") == std::string::npos);
        }
        CHECK(learnt(e).count("TOKEN") == (values ? 1 : 0));
        CHECK((words_of(e).values().size() == 0) == !values);
    }
}

TEST_CASE("vocabulary: Secrets have no shared values", "[api][vocabulary]")
{
    CHECK_FALSE(
        encoding_for(resource_type{.group = "", .version = "v1", .plural = "secrets", .kind = "Secret"}).values);
    CHECK(encoding_for(resource_type{.group = "", .version = "v1", .plural = "pods", .kind = "Pod"}).values);
    CHECK(encoding_for(resource_type{.group = "x.io", .version = "v1", .plural = "secrets", .kind = "Secret"}).values);
}

TEST_CASE("vocabulary: a full one stays within its size limit", "[api][vocabulary]")
{
    const auto fill = [](detail::text_table& table, std::size_t size) {
        for (int i = 0; i < 80'000; ++i) {
            auto text = std::to_string(i);
            text.resize(size, 'x');
            table.admit(text);
        }
    };
    for (const std::size_t size : {20u, 64u, 128u, 700u, 1400u, 2050u}) {
        const auto e = make_object_encoding();
        auto& words = *detail::encoding::words_of(e);
        fill(words.keys(), std::min(size, detail::longest_shared_key));
        fill(words.values(), std::min(size, detail::longest_shared_value));
        fill(words.containers(), size);
        CAPTURE(size);
        CHECK(e->bytes() > 2u << 20);
        CHECK(e->bytes() < 16u << 20);
    }
}

TEST_CASE("vocabulary: a full one keeps working", "[api][vocabulary]")
{
    const auto e = make_object_encoding();
    std::string rest = R"(},"v":[)";
    for (int i = 0; i < 30000; ++i) rest += (i != 0 ? ",\"" : "\"") + std::string(80, 'p') + std::to_string(i) + "\"";
    rest += "]";
    for (int i = 0; i < 9000; ++i) rest += ",\"key-" + std::to_string(i) + "\":" + std::to_string(i);
    rest += "}";
    const auto text_of = [&](int i) { return R"({"metadata":{"uid":"uid-)" + std::to_string(i) + "\"" + rest; };
    for (int i = 0; i < 12; ++i) REQUIRE(decoded(text_of(i), e).to_text() == text_of(i));
    const auto& words = words_of(e);
    // The table of counted texts is bounded too, so not all of them are admitted; admitted ones are readable.
    CHECK(words.keys().size() <= detail::key_numbers);
    CHECK(words.keys().size() > detail::short_keys);
    CHECK(words.values().size() > detail::wide_values);
    CHECK(e->bytes() < 8u << 20);
    const object o = decoded(text_of(12), e);
    CHECK(o["key-8999"].as_int64() == 8999);
    CHECK(o["v"].size() == 30000);
    CHECK(o.root() == object::parse(text_of(12))->root());
}

TEST_CASE("vocabulary: objects of different vocabularies compare by value", "[api][vocabulary]")
{
    const auto a = make_object_encoding();
    const auto b = make_object_encoding();
    const std::string odd = R"({"x":{"one":"first","two":"second"},"y":["first","second"]})";
    const std::string even = R"({"x":{"one":"second","two":"first"},"y":["second","first"]})";
    // The same numbers stand for different texts.
    for (int i = 0; i < 10; ++i) {
        decoded(odd, a);
        decoded(even, b);
    }
    const object left = decoded(odd, a);
    const object right = decoded(even, b);
    CHECK_FALSE(left.root() == right.root());
    const auto odd_right = decoded(odd, b);
    const auto even_left = decoded(even, a);
    CHECK(left.root() == odd_right.root());
    CHECK(even_left.root() == right.root());
    CHECK(left.root() == object::parse(odd)->root());
}

TEST_CASE("vocabulary: lives as long as its last object", "[api][vocabulary]")
{
    object o;
    {
        const auto e = make_object_encoding();
        for (int i = 0; i < 20; ++i) o = decoded(testing_samples::pod, e);
    }
    const object copy = o;
    o = {};
    CHECK(copy.kind() == "Pod");
    CHECK(copy.root() == object::parse(testing_samples::pod)->root());
}

TEST_CASE("vocabulary: duplicate keys, few and many", "[api][vocabulary]")
{
    const auto e = make_object_encoding();
    for (const int members : {1, 5, 31, 32, 33, 200}) {
        std::string text = "{";
        for (int i = 0; i < members; ++i) text += "\"k" + std::to_string(i) + "\":" + std::to_string(i) + ",";
        const std::string last = "k" + std::to_string(members - 1);
        const std::string twice = text + "\"k0\":\"again\",\"tail\":0}";
        const std::string once = text + "\"tail\":0}";
        // The first occurrence of the key is inline and the second has a number, later both have a number.
        for (int i = 0; i < 6; ++i) {
            const object o = decoded(twice, e);
            REQUIRE(o["k0"].as_string() == "again");
            REQUIRE(o["tail"].as_int64(1) == 0);
            REQUIRE(o.to_text() == twice);
            REQUIRE(o.root().size() == static_cast<std::size_t>(members) + 2);
            const object single = decoded(once, e);
            REQUIRE(single[last].as_int64(-1) == members - 1);
            REQUIRE_FALSE(single["k"]);
            REQUIRE_FALSE(single.root() == o.root());
        }
    }
}

TEST_CASE("vocabulary: a broken tape is read within bounds", "[api][vocabulary]")
{
    const auto e = make_object_encoding();
    object o;
    for (int i = 0; i < 20; ++i) o = decoded(testing_samples::pod, e);
    const auto whole = object_builder::tape_of(o);
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (unsigned value = 0; value < 256; ++value) {
            const auto copy = std::make_unique<unsigned char[]>(whole.size());
            std::copy(whole.begin(), whole.end(), copy.get());
            copy[at] = static_cast<unsigned char>(value);
            const value_view v = tape_access::view(copy.get(), copy.get() + whole.size(), &words_of(e));
            // A one-byte number stands for a text of several bytes.
            REQUIRE(test::read_everything(v) < 300 * whole.size());
        }
    // Without a vocabulary, numbers are unknown; they never resolve to other texts.
    const value_view orphan = tape_access::view(whole.data(), whole.data() + whole.size(), nullptr);
    CHECK(orphan.size() == 0);
    CHECK(orphan.to_text() == "{}");
}

TEST_CASE("vocabulary: texts of a single object are not learnt, however often it is updated", "[api][vocabulary]")
{
    const auto e = make_object_encoding();
    const auto version_of = [&e](int object, int version) {
        const auto n = std::to_string(object);
        return decoded(R"({"kind":"Thing","apiVersion":"x/v1","metadata":{"name":"a-)" + n + R"(","uid":"uid-of-)" + n +
                           R"(","resourceVersion":")" + std::to_string(version) + R"("},"spec":{"host":"host-of-)" + n +
                           R"(","class":"what all have"}})",
                       e);
    };
    for (int version = 0; version < 40; ++version) (void)version_of(1, version);
    CHECK_FALSE(learnt(e).contains("host-of-1"));
    CHECK_FALSE(learnt(e).contains("what all have"));
    CHECK(learnt(e).contains("class")); // keys are few, and known ones are faster
    for (int object = 2; object < 12; ++object) (void)version_of(object, 1);
    CHECK(learnt(e).contains("what all have"));
    CHECK_FALSE(learnt(e).contains("host-of-1"));
}

namespace {

/// A custom resource as written by a kube-apiserver: the metadata members in alphabetical order.
std::string custom_resource(const std::string& uid, int version, const std::string& annotations,
                            const std::string& labels)
{
    return R"({"apiVersion":"x/v1","kind":"Run","metadata":{"annotations":{)" + annotations + R"(},"labels":{)" +
           labels + R"(},"name":"n","namespace":"a","resourceVersion":")" + std::to_string(version) + R"(","uid":")" +
           uid + R"("},"spec":{"class":"what all have"}})";
}

std::string pair_of(const std::string& key, const std::string& value) { return '"' + key + R"(":")" + value + '"'; }

/// Keys that occur nowhere else, as many as fit into one object's annotations.
std::string many_keys(int first, int count)
{
    std::string text;
    for (int i = first; i < first + count; ++i)
        text += (text.empty() ? "" : ",") + pair_of("key-" + std::to_string(i), "");
    return text;
}

} // namespace

TEST_CASE("vocabulary: texts of a single object are not learnt when its uid comes last", "[api][vocabulary]")
{
    const auto e = make_object_encoding();
    for (int run = 0; run < 50; ++run) {
        const auto n = std::to_string(run);
        for (int version = 0; version < 20; ++version)
            (void)decoded(custom_resource("uid-" + n, version,
                                          pair_of("x/of-all", "log of " + n) + "," + pair_of("x/of-" + n, "y"),
                                          pair_of("app", "shop")),
                          e);
    }
    CHECK(learnt(e).contains("what all have"));
    CHECK(learnt(e).contains("shop"));
    CHECK(learnt(e).contains("x/of-all"));
    for (int run = 0; run < 50; ++run) {
        CHECK_FALSE(learnt(e).contains("log of " + std::to_string(run)));
        CHECK_FALSE(learnt(e).contains("x/of-" + std::to_string(run)));
    }
}

TEST_CASE("vocabulary: user-chosen keys leave room for schema keys", "[api][vocabulary]")
{
    const auto e = make_object_encoding();
    const auto& keys = words_of(e).keys();
    int version = 0;
    for (int first = 0; first < 10000; first += 400)
        for (int uid = 0; uid < 10; ++uid) {
            const std::string n = std::to_string(uid);
            (void)decoded(custom_resource("uid-" + n, ++version, many_keys(first, 200), many_keys(first + 200, 200)),
                          e);
            (void)decoded(R"({"kind":"Run","metadata":{"managedFields":[{"fieldsV1":{"f:metadata":{"f:labels":{)" +
                              many_keys(20000 + first, 400) + R"(}}}}],"uid":"uid-)" + n + R"("}})",
                          e);
        }
    CHECK(keys.size() > detail::key_numbers / 5);
    CHECK(keys.size() < detail::key_numbers / 3);

    for (int uid = 0; uid < 10; ++uid)
        (void)decoded(
            R"({"kind":"Run","metadata":{"uid":"uid-)" + std::to_string(uid) + R"("},"spec":{"schemaField":1}})", e);
    CHECK(learnt(e).contains("schemaField"));
}

TEST_CASE("vocabulary: a single document adds a bounded number of keys", "[api][vocabulary]")
{
    const auto e = make_object_encoding();
    const std::string wide = R"("},"spec":{)" + many_keys(0, 8000) + "}}";
    // The third document adds the first keys, the fifth the next ones.
    for (int i = 0; i < 5; ++i) (void)decoded(R"({"metadata":{"uid":")" + std::to_string(i) + wide, e);
    CHECK(words_of(e).keys().size() > 512);
    CHECK(words_of(e).keys().size() <= 1024);
}

TEST_CASE("vocabulary: user-chosen values leave room for others", "[api][vocabulary]")
{
    const auto e = make_object_encoding();
    auto& values = detail::encoding::words_of(e)->values();
    // Few documents fill the users' share of the table.
    const auto annotated = [&](const std::string& uid, int first) {
        std::string annotations;
        for (int i = first; i < first + 400; ++i)
            annotations += (annotations.empty() ? "" : ",") +
                           pair_of("key-" + std::to_string(i % 400), "value-" + std::to_string(i));
        return R"({"kind":"Run","metadata":{"uid":")" + uid + R"(","annotations":{)" + annotations + "}}}";
    };
    for (int first = 0; first < 80'000; first += 400)
        for (int uid = 0; uid < 9; ++uid) (void)decoded(annotated("uid-" + std::to_string(uid), first), e);
    CHECK(values.size() > detail::value_numbers / 3);
    CHECK(values.size() <= detail::value_numbers / 2 + 400);
}

TEST_CASE("vocabulary: members whose names have the same size and last byte are distinguished", "[api][vocabulary]")
{
    const std::string long_name(255, 'x');
    const std::string text = R"({"metadata":{"name":"n"},"spec":{"name":1,"type":2,"node":3,"a":4,"":5,")" + long_name +
                             R"(":6,"nage":7,"nage":8}})";
    const auto e = detail::make_object_encoding();
    for (int i = 0; i < 20; ++i) {
        const auto o = decode_object(text, {}, e).value();
        const auto at = [&o](std::string_view key) { return o["spec"][key].as_int64(); };
        REQUIRE(at("name") == 1);
        REQUIRE(at("type") == 2);
        REQUIRE(at("node") == 3);
        REQUIRE(at("a") == 4);
        REQUIRE(at("") == 5);
        REQUIRE(at(long_name) == 6);
        REQUIRE(at("nage") == 8);
        REQUIRE_FALSE(o["spec"]["nome"]);
        REQUIRE_FALSE(o["spec"][std::string(260, 'e')]); // its size is that of "name", modulo 256
    }
}
