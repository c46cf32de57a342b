// Compares lists with known items with a decoder without known objects.
#include "fixtures.hpp"
#include "json_samples.hpp"
#include "text/json_skipper.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>

#include <algorithm>
#include <map>
#include <stdexcept>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

/// Byte-by-byte reference of json_skipper.
std::size_t end_of(std::string_view text, std::size_t depth)
{
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string && c == '\\')
            ++i;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == '{' || c == '['))
            ++depth;
        else if (!in_string && (c == '}' || c == ']') && --depth == 0)
            return i + 1;
    }
    return std::string_view::npos;
}

class known final : public known_objects
{
public:
    void add(const std::string& item)
    {
        auto o = object::parse(item);
        REQUIRE(o);
        objects_[to_string(o->key())] = *o;
    }
    [[nodiscard]] object find(object_key_view key, std::string_view uid, std::string_view version) const override
    {
        const auto at = objects_.find(to_string(key));
        if (at == objects_.end() || at->second.uid() != uid || at->second.resource_version() != version) return {};
        return at->second;
    }

private:
    std::map<std::string, object> objects_;
};

std::vector<object> decoded(std::string_view list, std::size_t chunk, std::shared_ptr<const known_objects> known,
                            const decode_options& options = {})
{
    list_decoder decoder(options, nullptr, std::move(known));
    for (; !list.empty(); list.remove_prefix(std::min(chunk, list.size())))
        REQUIRE(decoder.feed(list.substr(0, chunk)));
    auto page = decoder.finish();
    REQUIRE(page);
    return std::move(page->items);
}

std::string list_of(const std::vector<std::string>& items)
{
    std::string out = R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[)";
    for (std::size_t i = 0; i < items.size(); ++i) out += (i == 0 ? "" : ",") + items[i];
    return out + "]}";
}

} // namespace

TEST_CASE("known objects: recognised at any position of the metadata and in every chunking", "[api][decode][known]")
{
    const std::string stored =
        R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"web","uid":"u","resourceVersion":"1"}})";
    const std::vector<std::string> same{
        R"({"metadata":{"name":"a","namespace":"web","uid":"u","resourceVersion":"1","labels":{"uid":"x"}},"spec":{"a":[{"b":"c"}]}})",
        R"({"spec":{"a":[{"b":"c"}]},"status":"s","metadata":{"name":"a","namespace":"web","uid":"u","resourceVersion":"1"}})",
        R"({"metadata":{"annotations":{"name":"z"},"managedFields":[{"uid":"y"}],"resourceVersion":"1","uid":"u","name":"a","namespace":"web"},"x":1})",
        R"({"metadata":{"n\u0061me":"\u0061","namespace":"web","uid":"u","resourceVersion":"1"}})",
        R"({"metadata":{"resourceVersion":"1","ownerReferences":[{"uid":"y","name":"q"}],"uid":"u","namespace":"web","name":"a"}})"};
    const std::vector<std::string> other{
        R"({"metadata":{"name":"a","namespace":"web","uid":"u","resourceVersion":"2"},"spec":{"x":1}})",
        R"({"metadata":{"name":"a","namespace":"web","uid":"v","resourceVersion":"1"}})",
        R"({"metadata":{"name":"a","namespace":"jobs","uid":"u","resourceVersion":"1"}})",
        R"({"metadata":{"name":"a","uid":"u","resourceVersion":"1"}})",
        R"({"metadata":{"namespace":"web","uid":"u","resourceVersion":"1"}})",
        R"({"metadata":{"name":["a"],"namespace":"web","uid":"u","resourceVersion":"1"}})",
        R"({"metadata":{"name":{"k":"a"},"namespace":"web","uid":"u","resourceVersion":"1"}})",
        R"({"metadata":{"namespace":"web","uid":"u","ownerReferences":["1"],"resourceVersion":1,"name":"a"}})",
        R"({"spec":{"metadata":{"name":"a","namespace":"web","uid":"u","resourceVersion":"1"}}})",
        R"({"name":"a","namespace":"web","uid":"u","resourceVersion":"1"})",
        R"({})"};
    auto k = std::make_shared<known>();
    k->add(stored);
    const object handle = k->find({"web", "a"}, "u", "1");
    for (const auto& item : same) {
        CAPTURE(item);
        const std::string list = list_of({item, other[0], item});
        for (std::size_t chunk = 1; chunk <= list.size(); ++chunk) {
            const auto items = decoded(list, chunk, k);
            REQUIRE(items.size() == 3);
            CHECK(items[0].is_same(handle));
            CHECK(items[1]["spec"]["x"].as_int64() == 1);
            CHECK(items[2].is_same(handle));
        }
    }
    const std::string list = list_of(other);
    const auto plain = decoded(list, list.size(), nullptr);
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{17}, list.size()}) {
        const auto items = decoded(list, chunk, k);
        REQUIRE(items.size() == plain.size());
        for (std::size_t i = 0; i < items.size(); ++i) {
            CAPTURE(other[i]);
            CHECK_FALSE(items[i].is_same(handle));
            CHECK(items[i].to_text() == plain[i].to_text());
        }
    }
}

TEST_CASE("known objects: cluster-scoped ones, pruned ones, and invalid text after one", "[api][decode][known]")
{
    auto k = std::make_shared<known>();
    k->add(R"({"kind":"Node","metadata":{"name":"n","uid":"u","resourceVersion":"1"}})");
    const std::string item =
        R"({"metadata":{"labels":{"a":"b"},"name":"n","uid":"u","resourceVersion":"1"},"spec":[{}]})";
    CHECK(decoded(list_of({item}), 5, k)[0].kind() == "Node");
    decode_options o;
    o.prune.drop = {"metadata", "spec"};
    CHECK(decoded(list_of({item}), 5, k, o)[0].kind() == "Node");
    for (const char* rest : {"", ",", "]", "]}}", ",]}", ",5]}", "]}x", "],]"}) {
        const std::string list = R"({"items":[)" + item + rest;
        for (const std::size_t chunk : {std::size_t{1}, list.size()}) {
            CAPTURE(list, chunk);
            list_decoder decoder({}, nullptr, k);
            result<> fed;
            for (std::size_t at = 0; fed && at < list.size(); at += chunk) fed = decoder.feed(list.substr(at, chunk));
            // A list that is only cut is a broken transfer.
            CHECK((fed ? decoder.finish().error() == cond::unreachable : fed.error() == cond::corrupt));
        }
    }
    for (std::size_t end = 1; end < item.size(); ++end) {
        list_decoder decoder({}, nullptr, k);
        REQUIRE(decoder.feed(R"({"items":[)" + item.substr(0, end)));
        CHECK(decoder.finish().error() == cond::unreachable);
    }
}

TEST_CASE("known objects: a list that an exception interrupted is not taken as complete", "[api][decode][known]")
{
    struct throwing final : known_objects
    {
        [[nodiscard]] object find(object_key_view, std::string_view, std::string_view) const override
        {
            throw std::runtime_error("no memory");
        }
    };
    const std::string list = list_of({R"({"metadata":{"name":"a","uid":"u","resourceVersion":"1"}})"});
    int thrown = 0;
    for (std::size_t cut = 1; cut < list.size(); ++cut) {
        INFO("after " << cut << " bytes");
        list_decoder decoder({}, nullptr, std::make_shared<const throwing>());
        bool complete = true;
        try {
            complete = decoder.feed(list.substr(0, cut)).has_value();
        } catch (const std::runtime_error&) {
            complete = false;
            ++thrown;
        }
        if (complete) continue;
        // No continuation is accepted, however well it fits.
        for (const std::string& rest : {list.substr(cut), std::string("]}"), std::string("}]}"), std::string("}}]}")}) {
            const auto fed = decoder.feed(rest);
            REQUIRE_FALSE(fed);
            CHECK(fed.error() == cond::corrupt);
        }
        CHECK_FALSE(decoder.finish());
    }
    CHECK(thrown > 0);
}

TEST_CASE("known objects: random lists equal those decoded in full", "[api][decode][known][model]")
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        testing_samples::generator random(seed);
        auto k = std::make_shared<known>();
        std::vector<std::string> items;
        for (std::size_t n = random.below(6); n != 0; --n) {
            const std::string key = std::to_string(random.below(4));
            const std::string metadata = R"("metadata":{"name":"n)" + key + R"(","uid":"u","x":)" + random.document() +
                                         R"(,"resourceVersion":")" + std::to_string(random.below(3)) + "\"}";
            const std::string other = R"("spec":)" + random.document();
            items.push_back("{" + (random.below(2) == 0 ? metadata + "," + other : other + "," + metadata) + "}");
            if (random.below(2) == 0) k->add(items.back());
        }
        const std::string list = list_of(items);
        const auto plain = decoded(list, list.size(), nullptr);
        const auto got = decoded(list, 1 + random.below(80), k);
        REQUIRE(got.size() == plain.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            const object wanted = k->find(plain[i].key(), plain[i].uid(), plain[i].resource_version());
            if (wanted)
                CHECK(got[i].is_same(wanted));
            else
                CHECK(got[i].to_text() == plain[i].to_text());
        }
    }
}

TEST_CASE("json_skipper: agrees with a byte-by-byte search in every chunking", "[api][decode][known]")
{
    std::vector<std::string> texts{R"("a":"}","b":"\"}","c":"\\","d":"\\\"}"}x)", std::string(63, ' ') + R"("\"}"}])",
                                   R"(})", R"({{[]}}[],""}}})"};
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        testing_samples::generator random(seed);
        texts.push_back(random.document().substr(1) + "}]");
        // Long runs of backslashes across block boundaries.
        std::string odd = "\"" + std::string(random.below(70), ' ');
        for (std::size_t n = random.below(150); n != 0; --n) odd += random.below(4) == 0 ? "x" : "\\\\";
        texts.push_back(odd + (random.below(2) == 0 ? "\\\"" : "") + "\"}}");
    }
    // On every processor without wide instructions, and also with them where available.
    const bool wide = GENERATE(false, detail::json_skipper::has_wide_instructions());
    for (const auto& text : texts) {
        CAPTURE(text, wide);
        const std::size_t end = end_of(text, 1);
        for (const std::size_t chunk : {1, 2, 3, 7, 63, 64, 65, 1000}) {
            detail::json_skipper skipper(wide);
            skipper.begin(1);
            std::size_t taken = 0;
            for (std::string_view rest = text; !rest.empty() && !skipper.done();) {
                const std::string_view part = rest.substr(0, chunk);
                const std::size_t n = skipper.feed(part);
                REQUIRE((skipper.done() || n == part.size()));
                taken += n;
                rest.remove_prefix(n);
            }
            CHECK(skipper.done() == (end != std::string_view::npos));
            if (skipper.done()) CHECK(taken == end);
        }
    }
}

namespace {

std::string event(std::string_view type, const std::string& item)
{
    return R"({"type":")" + std::string(type) + R"(","object":)" + item + "}\n";
}

const std::string last_bookmark =
    event("BOOKMARK",
          R"({"kind":"Pod","metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}})");

std::vector<watch_event> followed(std::string_view text, std::size_t chunk, std::shared_ptr<const known_objects> known,
                                  const decode_options& options = {})
{
    std::vector<watch_event> events;
    watch_decoder decoder(options, nullptr, std::move(known));
    for (; !text.empty(); text.remove_prefix(std::min(chunk, text.size())))
        REQUIRE(decoder.feed(text.substr(0, chunk), events));
    REQUIRE(decoder.finish());
    return events;
}

} // namespace

TEST_CASE("known objects: recognised in ADDED events until the streamed list ends", "[api][decode][known]")
{
    const std::string a =
        R"({"kind":"Pod","metadata":{"name":"a","uid":"u","resourceVersion":"1"},"spec":{"x":["}",{"y":1}]}})";
    auto k = std::make_shared<known>();
    k->add(a);
    const object handle = k->find({"", "a"}, "u", "1");
    const std::string newer = R"({"kind":"Pod","metadata":{"name":"a","uid":"u","resourceVersion":"2"}})";
    const std::string text = event("ADDED", a) + event("ADDED", newer) + event("MODIFIED", a) +
                             R"({"x":[1],"type":"ADDED","object":)" + a + R"(,"y":{"z":2}} )" + event("ADDED", a) +
                             R"({"object":)" + a + R"(,"type":"ADDED"})" + "\n" + last_bookmark + event("ADDED", a);
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{13}, text.size()}) {
        const auto events = followed(text, chunk, k);
        REQUIRE(events.size() == 8);
        const std::vector<bool> recognised{true, false, false, true, true, false, false, false};
        for (std::size_t i = 0; i < events.size(); ++i) {
            CAPTURE(chunk, i);
            CHECK(events[i].obj.is_same(handle) == recognised[i]);
            if (i != 1 && i != 6) CHECK(events[i].obj.to_text() == handle.to_text());
        }
        CHECK(events[2].type == watch_event_type::modified);
        CHECK(events[3].type == watch_event_type::added);
        CHECK(events[6].ends_initial_events());
    }
}

TEST_CASE("known objects: invalid text after one in a streamed list is rejected", "[api][decode][known]")
{
    auto k = std::make_shared<known>();
    const std::string a = R"({"metadata":{"name":"a","uid":"u","resourceVersion":"1"},"spec":{}})";
    k->add(a);
    const auto broken = GENERATE(as<std::string>{}, "\n", ",\n", "]\n", "}}\n", ",5}\n", "}x\n");
    CAPTURE(broken);
    std::vector<watch_event> events;
    watch_decoder decoder({}, nullptr, k);
    const auto fed = decoder.feed(R"({"type":"ADDED","object":)" + a + broken, events);
    REQUIRE_FALSE(fed);
    CHECK(fed.error() == cond::corrupt);
    watch_decoder ended({}, nullptr, k);
    REQUIRE(ended.feed(R"({"type":"ADDED","object":)" + a.substr(0, a.size() - 1), events));
    CHECK_FALSE(ended.finish());
}

TEST_CASE("known objects: random streamed lists equal those decoded in full", "[api][decode][known][model]")
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        testing_samples::generator random(seed);
        auto k = std::make_shared<known>();
        std::string text;
        for (std::size_t n = random.below(6); n != 0; --n) {
            std::string item = R"({"spec":)" + random.document() + R"(,"metadata":{"name":"n)" +
                               std::to_string(random.below(4)) + R"(","uid":"u","resourceVersion":")" +
                               std::to_string(random.below(3)) + R"("},"status":)" + random.document() + "}";
            std::replace(item.begin(), item.end(), '\n', ' '); // a newline would end the event
            text += event("ADDED", item);
            if (random.below(2) == 0) k->add(item);
        }
        text += last_bookmark;
        const auto plain = followed(text, text.size(), nullptr);
        const auto got = followed(text, 1 + random.below(80), k);
        REQUIRE(got.size() == plain.size());
        for (std::size_t i = 0; i + 1 < got.size(); ++i) {
            const auto& o = plain[i].obj;
            if (const object wanted = k->find(o.key(), o.uid(), o.resource_version()))
                CHECK(got[i].obj.is_same(wanted));
            else
                CHECK(got[i].obj.to_text() == o.to_text());
        }
    }
}
