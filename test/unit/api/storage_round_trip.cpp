// All forms of JSON under every storage policy, in any chunking.
#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/api/detail/kept_object.hpp>
#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/test/catch.hpp>

#include "json_samples.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

using testing_samples::numbered_pod;

constexpr storage policies[] = {storage::plain, storage::compressed, storage::metadata_only};

struct form
{
    explicit form(storage policy, std::size_t learn_from = 8)
        : encoding(make_object_encoding({.storage = {.policy = policy, .learn_from = learn_from}}))
    {
        if (policy != storage::metadata_only) return;
        decode.prune.keep = {"metadata"};
        decode.drop_managed_fields = true;
    }

    /// Decodes enough objects for a settled dictionary.
    void teach() const
    {
        for (int i = 0; i < 200; ++i) REQUIRE(decode_object(numbered_pod(i), decode, encoding));
    }

    decode_options decode;
    std::shared_ptr<object_encoding> encoding;
};

std::vector<std::string> small_documents()
{
    auto all = testing_samples::edge_documents();
    all.emplace_back(
        R"({"a":1,"b":{"c":1,"c":[2],"c":"3"},"a":{"x":0,"x":-0},"metadata":1,"metadata":{"name":"n","name":"m"}})");
    all.push_back(numbered_pod(500));
    std::erase_if(all, [](const std::string& text) { return text.size() > 2000; });
    return all;
}

std::vector<std::string> large_documents()
{
    auto all = testing_samples::edge_documents();
    std::erase_if(all, [](const std::string& text) { return text.size() <= 2000; });
    std::string items;
    for (int i = 0; i < 10'000; ++i) items += (i == 0 ? "{\"n\":" : ",{\"n\":") + std::to_string(i * i) + "}";
    std::string deep = "1";
    for (int i = 0; i < 198; ++i) deep = (i % 2 == 0 ? "{\"k\":" : "[") + deep + (i % 2 == 0 ? "}" : "]");
    const std::string metadata = R"({"metadata":{"name":"n","annotations":{"v":)";
    all.push_back(metadata + "\"" + std::string(1 << 20, 'y') + "\"}}}");
    all.push_back(metadata + "[" + items + "]}}}");
    all.push_back(R"({"v":)" + deep + "}");
    testing_samples::generator random(3);
    std::string many = R"({"metadata":{"name":"n"},"items":[)" + random.document();
    while (many.size() < 60'000) many += "," + random.document();
    all.push_back(many + "]}");
    return all;
}

/// The expected value under a policy.
boost::json::value expected(const std::string& text, storage policy)
{
    auto all = testing_samples::oracle(text);
    if (policy != storage::metadata_only) return all;
    boost::json::object kept;
    for (const auto* key : {"apiVersion", "kind", "metadata"})
        if (const auto* v = all.as_object().if_contains(key)) kept[key] = *v;
    return kept;
}

void check_reads(const object& o, const std::string& text, storage policy)
{
    const auto wanted = expected(text, policy);
    CHECK(testing_samples::same_json(o.to_json(), wanted));
    CHECK(testing_samples::same_json(testing_samples::oracle(o.to_text()), wanted));
}

} // namespace

TEST_CASE("storage: every edge case of JSON survives every policy and every split", "[api][storage]")
{
    for (const storage policy : policies) {
        const form f(policy);
        f.teach();
        for (const auto& text : small_documents()) {
            INFO(to_string(policy) << " " << text);
            const object whole = decode_object(text, f.decode, f.encoding).value();
            check_reads(whole, text, policy);
            std::string line = R"({"type":"MODIFIED","object":)" + text + "}";
            for (char& c : line)
                if (c == '\n') c = ' ';
            line += '\n';
            std::size_t wrong = 0;
            for (std::size_t cut = 0; cut <= line.size(); ++cut) {
                watch_decoder decoder(f.decode, f.encoding);
                std::vector<watch_event> events;
                const bool fed = decoder.feed(std::string_view(line).substr(0, cut), events) &&
                                 decoder.feed(std::string_view(line).substr(cut), events);
                const bool one = fed && events.size() == 1;
                const kept_object kept(one ? std::exchange(events[0].obj, {}) : object());
                const object read = kept.get();
                wrong += one && read.root() == whole.root() ? 0 : 1;
            }
            CHECK(wrong == 0);
        }
        CHECK(f.encoding->stats().broken == 0);
    }
}

TEST_CASE("storage: long texts, long lists and deep nesting survive every policy", "[api][storage]")
{
    testing_samples::generator random(1);
    for (const storage policy : policies) {
        const form f(policy);
        f.teach();
        for (const auto& text : large_documents()) {
            INFO(to_string(policy) << " " << text.size() << " " << text.substr(0, 60));
            const kept_object kept(decode_object(text, f.decode, f.encoding).value());
            check_reads(kept.get(), text, policy);
            const std::string list = R"({"kind":"List","apiVersion":"v1","metadata":{},"items":[)" + text + "]}";
            list_decoder decoder(f.decode, f.encoding);
            for (std::string_view rest = list; !rest.empty();) {
                const auto chunk = rest.substr(0, 1 + random.below(20'000));
                REQUIRE(decoder.feed(chunk));
                rest.remove_prefix(chunk.size());
            }
            const auto page = decoder.finish();
            REQUIRE(page);
            REQUIRE(page->items.size() == 1);
            const object read = kept.get();
            CHECK(page->items[0].path("metadata") == read.path("metadata"));
        }
        CHECK(f.encoding->stats().broken == 0);
    }
}

TEST_CASE("storage: a dictionary may be trained at any point of a list", "[api][storage]")
{
    constexpr int count = 60;
    for (std::size_t learn_from = 8; learn_from <= count + 1; ++learn_from) {
        CAPTURE(learn_from);
        const form f(storage::compressed, learn_from);
        list_decoder decoder(f.decode, f.encoding);
        std::string list = R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[)" + numbered_pod(0);
        for (int i = 1; i < count; ++i) list += "," + numbered_pod(i);
        REQUIRE(decoder.feed(list + "]}"));
        const auto page = decoder.finish();
        REQUIRE(page);
        REQUIRE(page->items.size() == count);
        std::vector<kept_object> kept;
        for (const auto& o : page->items) kept.emplace_back(f.encoding->at_rest(o));
        for (int i = 0; i < count; ++i) {
            const auto& k = kept[static_cast<std::size_t>(i)];
            CHECK_FALSE((f.encoding->stale(k) && f.encoding->stats().stage != dictionary_stage::none));
            CHECK(k.get().to_text() == object::parse(numbered_pod(i)).value().to_text());
        }
    }
}

TEST_CASE("storage: an object is readable in another thread after its encoding is released", "[api][storage]")
{
    for (const storage policy : policies) {
        std::vector<object> left;
        {
            const form f(policy);
            f.teach();
            for (int i = 0; i < 20; ++i) left.push_back(decode_object(numbered_pod(i), f.decode, f.encoding).value());
            for (auto& o : left) o = f.encoding->at_rest(kept_object(std::exchange(o, {})).get());
        }
        std::vector<std::string> read;
        std::thread([&read, objects = std::move(left)]() mutable {
            for (auto& o : objects) {
                const object last = std::exchange(o, {});
                read.push_back(last.metadata().to_text());
            }
        }).join();
        for (int i = 0; i < 20; ++i) {
            const object alone = object::parse(numbered_pod(i)).value();
            CHECK(read[static_cast<std::size_t>(i)] == alone.metadata().to_text());
        }
    }
}
