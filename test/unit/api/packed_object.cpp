#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/api/detail/kept_object.hpp>
#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/catch.hpp>

#include "json_samples.hpp"

// Private to the module: dictionaries after fewer objects than usual, and records corrupted on purpose.
#include "storage/packing.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

std::shared_ptr<object_encoding> make_encoding(detail::body_codec_limits limits = {.provisional_after = 20,
                                                                                   .settled_after = 100,
                                                                                   .samples = 40,
                                                                                   .relearn_after = 600},
                                               std::vector<std::string> hot_fields = storage_options{}.hot_fields)
{
    const encoding_options options{.storage = {.policy = storage::compressed, .hot_fields = std::move(hot_fields)}};
    auto made = make_object_encoding(options);
    auto* e = detail::encoding::of(made);
    e->packed = std::make_unique<detail::packing>(*e, limits);
    return made;
}

std::string pod(int i, const std::string& era = "first")
{
    const auto n = std::to_string(i);
    std::string text = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p)" + n +
                       R"(","namespace":"n","uid":"u)" + n + R"(","resourceVersion":")" + n +
                       R"(","generation":2,"labels":{"app":"shop"},"annotations":{"note":")" + n +
                       R"("},"ownerReferences":[{"kind":"ReplicaSet","name":"rs","uid":"r"}]},"spec":{"nodeName":"n)" +
                       n + R"(","containers":[)";
    for (int c = 0; c < 5; ++c)
        text += (c == 0 ? R"({"name":")" : R"(,{"name":")") + era + std::to_string(c) + R"(","image":"registry/)" +
                era + "/image-" + std::to_string(c * 7) + R"(","imagePullPolicy":"IfNotPresent","own":")" +
                std::to_string(i * 7919 + c) + R"("})";
    return text + R"(]},"status":{"phase":"Running"}})";
}

object decode(const std::string& text, const std::shared_ptr<object_encoding>& encoding)
{
    return decode_object(text, {}, encoding).value();
}

void teach(const std::shared_ptr<object_encoding>& encoding, int count, const std::string& era = "first")
{
    for (int i = 0; i < count; ++i) (void)decode(pod(i, era), encoding);
}

bool at_rest(const kept_object& k) { return k.get().bytes() == k.bytes(); }

/// Compares all accessors.
void check_equal(const object& a, const object& b)
{
    CHECK(a.api_version() == b.api_version());
    CHECK(a.kind() == b.kind());
    CHECK(a.key() == b.key());
    CHECK(a.has_metadata() == b.has_metadata());
    CHECK(a.uid() == b.uid());
    CHECK(a.resource_version() == b.resource_version());
    CHECK(a.generation() == b.generation());
    CHECK(a.being_deleted() == b.being_deleted());
    CHECK(a.labels() == b.labels());
    CHECK(a.owner_references() == b.owner_references());
    CHECK(a.annotations() == b.annotations());
    CHECK(a.metadata() == b.metadata());
    CHECK(a.root() == b.root());
    for (const auto* path : {"spec.nodeName", "status.phase", "metadata.name", "metadata.uid", "metadata.labels.app",
                             "metadata.generation", "metadata.deletionTimestamp", "kind", "spec", "none.such"})
        CHECK(a.path(path) == b.path(path));
    CHECK(a.to_text() == b.to_text());
    CHECK(a.to_json() == b.to_json());
}

} // namespace

TEST_CASE("packed object: returns the same values as a plain one", "[api][storage]")
{
    const auto encoding = make_encoding();
    const int taught = GENERATE(0, 30, 200); // none, provisional, settled
    teach(encoding, taught);
    std::vector<std::string> documents = testing_samples::edge_documents();
    documents.emplace_back(testing_samples::pod);
    testing_samples::generator random(static_cast<std::uint64_t>(taught));
    for (int i = 0; i < 100; ++i) documents.push_back(random.document());
    for (int i = 0; i < 10; ++i) documents.push_back(pod(1000 + i));
    for (const auto& text : documents) {
        INFO(text.substr(0, 200));
        const object plain = object::parse(text).value();
        const kept_object kept(decode(text, encoding));
        check_equal(plain, kept.get());
        check_equal(plain, encoding->at_rest(plain));
        check_equal(encoding->at_rest(kept.get()), plain);
    }
    CHECK(encoding->stats().broken == 0);
}

TEST_CASE("packed object: a uid in canonical form is compared without expanding", "[api][storage]")
{
    const auto encoding = make_encoding();
    teach(encoding, 200);
    constexpr std::string_view canonical = "2fb88144-0bee-4346-a488-1cd6ec6e8519";
    const auto with_uid = [&](std::string_view uid) {
        auto text = pod(7);
        text.replace(text.find("u7"), 2, uid);
        return text;
    };
    const std::vector<std::string> uids = {std::string(canonical),
                                           "2fb88144-0bee-4346-a488-1cd6ec6e851a",
                                           "2FB88144-0bee-4346-a488-1cd6ec6e8519",
                                           "2fb88144-0bee-4346-a488-1cd6ec6e851",
                                           "2fb88144-0bee-4346-a488-1cd6ec6e85190",
                                           "2fb881440-bee-4346-a488-1cd6ec6e8519",
                                           "2fb88144-0bee-4346-a488-1cd6ec6e851g",
                                           std::string(36, '-'),
                                           "u",
                                           ""};
    for (const auto& mine : uids) {
        CAPTURE(mine);
        const object plain = object::parse(with_uid(mine)).value();
        const kept_object kept(decode(with_uid(mine), encoding));
        REQUIRE(object_builder::block_of(kept)->packed);
        check_equal(plain, kept.get());
        const auto expansions = encoding->stats().expansions;
        CHECK(kept.get().uuid() == plain.uuid());
        CHECK(kept.get().uuid().has_value() == (mine == uids[0] || mine == uids[1]));
        CHECK(encoding->stats().expansions == expansions);
        for (const auto& other : uids) {
            CAPTURE(other);
            const kept_object another(decode(with_uid(other), encoding));
            const auto before = encoding->stats().expansions;
            CHECK(kept.get().has_uid(other) == (mine == other));
            CHECK(kept.get().same_uid(another.get()) == (mine == other));
            CHECK(plain.same_uid(another.get()) == (mine == other));
            CHECK(another.get().same_uid(plain) == (mine == other));
            CHECK(encoding->stats().expansions == before);
        }
        CHECK(object().same_uid(kept.get()) == mine.empty());
        CHECK(kept.get().same_uid(object()) == mine.empty());
    }
}

TEST_CASE("packed object: paths in the front do not expand, also when absent", "[api][storage]")
{
    const auto encoding = make_encoding();
    teach(encoding, 200);
    const kept_object kept(decode(pod(7), encoding));
    const auto before = encoding->stats().expansions;
    const object o = kept.get();
    CHECK(o.path("metadata.name").as_string() == "p7");
    CHECK(o.path("metadata.namespace").as_string() == "n");
    CHECK(o.path("metadata.resourceVersion").as_string() == "7");
    CHECK(o.path("metadata.generation").as_int64() == 2);
    CHECK_FALSE(o.path("metadata.deletionTimestamp"));
    CHECK(o.path("apiVersion").as_string() == "v1");
    CHECK(o.path("kind").as_string() == "Pod");
    CHECK(o.path("metadata.labels.app").as_string() == "shop");
    CHECK_FALSE(o.path("metadata.labels.none"));
    CHECK_FALSE(o.path("metadata.name.none"));
    CHECK(o.path("metadata.ownerReferences")[0]["name"].as_string() == "rs");
    CHECK(o.path("spec.nodeName").as_string() == "n7");
    CHECK(encoding->stats().expansions == before);
    CHECK(o.path("metadata.names") == value_view());
    CHECK(o.path("metadata.uid").as_string() == "u7");
    CHECK(encoding->stats().expansions == before + 1);
}

TEST_CASE("packed object: front values of an unexpected kind are read from the body", "[api][storage]")
{
    const auto encoding = make_encoding();
    teach(encoding, 200);
    for (const char* name : {"5", "null", "{\"a\":1}", "[\"x\"]", "false"}) {
        auto text = pod(7);
        text.replace(text.find("\"p7\""), 4, name);
        text.replace(text.find("\"Pod\""), 5, name);
        text.replace(text.find("\"Running\""), 9, name);
        const object plain = object::parse(text).value();
        const kept_object kept(decode(text, encoding));
        REQUIRE(object_builder::block_of(kept)->packed);
        for (const auto* path :
             {"metadata.name", "metadata.name.a", "kind", "kind.a", "status.phase", "status.phase.a"}) {
            CAPTURE(name, path);
            const object o = kept.get();
            CHECK(o.path(path) == plain.path(path));
        }
        check_equal(plain, kept.get());
    }
}

TEST_CASE("packed object: expanded only while it has a reader, and smaller otherwise", "[api][storage]")
{
    const auto encoding = make_encoding();
    teach(encoding, 200);
    object o = decode(pod(7), encoding);
    const object plain = object::parse(pod(7)).value();
    const kept_object kept(o);
    CHECK(o.bytes() > kept.bytes()); // created with its expansion
    object copy = o;
    o = {};
    CHECK(copy.bytes() > kept.bytes());
    copy = {};
    CHECK(at_rest(kept));
    CHECK(kept.bytes() < plain.bytes() / 2);

    const auto before = encoding->stats().expansions;
    object reader = kept.get();
    CHECK(reader.labels()["app"].as_string() == "shop");
    CHECK(reader.owner_references().size() == 1);
    CHECK(reader.path("spec.nodeName").as_string() == "n7");
    CHECK(reader.generation() == 2);
    CHECK(reader.kind() == "Pod");
    CHECK(encoding->stats().expansions == before);
    CHECK(at_rest(kept));

    const auto containers = reader["spec"]["containers"];
    const object other = kept.get();
    reader = {};
    CHECK(containers[0]["name"].as_string() == "first0"); // kept by the other reader
    CHECK(encoding->stats().expansions == before + 1);
}

TEST_CASE("packed object: recently read objects stay expanded for a while", "[api][storage]")
{
    const auto encoding = make_encoding();
    teach(encoding, 200);
    encoding->keep_recent(true);
    std::vector<kept_object> kept;
    for (int i = 0; i < 200; ++i) {
        kept.emplace_back(decode(pod(i), encoding));
        const object o = kept.back().get();
        CHECK(o["spec"].size() == 2);
    }
    const auto count = [&kept] {
        int n = 0;
        for (const auto& k : kept) n += at_rest(k) ? 0 : 1;
        return n;
    };
    for (const auto& k : kept) {
        const object o = k.get();
        (void)o["spec"];
    }
    CHECK(count() == 128);
    encoding->keep_recent(false);
    CHECK(count() == 0);
}

TEST_CASE("packed object: a reader outlives the encoding and all keepers", "[api][storage]")
{
    object read;
    object unread;
    {
        const auto encoding = make_encoding();
        teach(encoding, 200);
        encoding->keep_recent(true);
        const kept_object a(decode(pod(1), encoding));
        const kept_object b(decode(pod(2), encoding));
        read = a.get();
        (void)read.root();
        unread = b.get();
        encoding->keep_recent(false);
    }
    check_equal(read, object::parse(pod(1)).value());
    check_equal(unread, object::parse(pod(2)).value());
}

TEST_CASE("packed object: early ones are packed again at each stage", "[api][storage]")
{
    const auto encoding = make_encoding();
    std::vector<kept_object> kept;
    std::uint64_t revision = encoding->revision();
    std::vector<std::size_t> stages;
    for (int i = 0; i < 300; ++i) {
        kept.emplace_back(decode(pod(i), encoding));
        if (encoding->revision() == revision) continue;
        revision = encoding->revision();
        stages.push_back(kept.size());
        for (auto& k : kept) {
            if (!encoding->stale(k)) continue;
            k = kept_object(encoding->at_rest(k.get()));
            CHECK_FALSE(encoding->stale(k));
        }
    }
    CHECK(stages == std::vector<std::size_t>{20, 100});
    CHECK(encoding->stats().dictionaries == 1);
    for (int i = 0; i < 300; ++i) check_equal(kept[static_cast<std::size_t>(i)].get(), object::parse(pod(i)).value());
}

TEST_CASE("packed object: retraining at any point of a list does not change values", "[api][storage]")
{
    constexpr int count = 2300;
    const auto text = [](int i) { return pod(i, i < 700 ? "first" : "second-era-of-longer-names"); };
    std::string list = R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[)" + text(0);
    for (int i = 1; i < count; ++i) list += "," + text(i);
    list += "]}";
    for (std::size_t offset = 0; offset < 25; ++offset) {
        CAPTURE(offset);
        const auto encoding = make_encoding(
            {.provisional_after = 20, .settled_after = 40 + offset, .samples = 40, .relearn_after = 520 + 9 * offset});
        list_decoder decoder({}, encoding);
        REQUIRE(decoder.feed(list));
        auto page = decoder.finish();
        REQUIRE(page);
        REQUIRE(page->items.size() == count);
        CHECK(encoding->stats().trained == 3); // provisional, settled, and one for the second era
        std::size_t wrong = 0;
        for (int i = 0; i < count; ++i) {
            const kept_object kept(std::exchange(page->items[static_cast<std::size_t>(i)], {}));
            const kept_object renewed(encoding->at_rest(kept.get()));
            const std::string plain = object::parse(text(i)).value().to_text();
            wrong += kept.get().to_text() == plain && renewed.get().to_text() == plain ? 0 : 1;
        }
        CHECK(wrong == 0);
        CHECK(encoding->stats().broken == 0);
    }
}

TEST_CASE("packed object: a dictionary lives as long as a record uses it", "[api][storage]")
{
    const auto encoding = make_encoding();
    teach(encoding, 1200);
    REQUIRE(encoding->stats().dictionaries == 1);
    kept_object old(decode(pod(5), encoding));
    std::uint64_t trained = encoding->stats().trained;
    for (int era = 0; era < 20; ++era) {
        teach(encoding, 3000, "era-" + std::to_string(era) + std::string(static_cast<std::size_t>(era * 3), 'x'));
        CHECK(encoding->stats().dictionaries <= 2);
        check_equal(old.get(), object::parse(pod(5)).value());
    }
    CHECK(encoding->stats().trained > trained);
    CHECK(encoding->stale(old)); // so that a store releases the old dictionary
    old = {};
    CHECK(encoding->stats().dictionaries == 1);
}

TEST_CASE("packed object: an allocation that fails leaves no record behind", "[api][storage]")
{
    const auto encoding = make_encoding();
    teach(encoding, 1200);
    const auto tape = [&] {
        const object o = decode(pod(5), encoding);
        const auto bytes = object_builder::tape_of(o);
        return std::vector<unsigned char>(bytes.begin(), bytes.end());
    }();
    for (std::uint64_t nth = 1, failures = 1; failures != 0; ++nth) {
        failures = 0;
        kubecoro::test::fail_allocation(nth);
        try {
            (void)object_builder::build(tape, detail::encoding::of(encoding));
        } catch (const std::bad_alloc&) {
            ++failures;
        }
        kubecoro::test::fail_allocation(0);
    }
    // A record would keep the dictionary that it was made with.
    const auto trained = encoding->stats().trained;
    for (int era = 0; era < 20 && encoding->stats().trained == trained; ++era)
        teach(encoding, 3000, "era-" + std::to_string(era) + std::string(static_cast<std::size_t>(era * 3), 'x'));
    REQUIRE(encoding->stats().trained > trained);
    CHECK(encoding->stats().dictionaries == 1);
}

TEST_CASE("packed object: with a broken record the front stays readable", "[api][storage]")
{
    const auto encoding = make_encoding();
    teach(encoding, 200);
    const kept_object kept(decode(pod(9), encoding));
    auto& block = *object_builder::block_of(kept);
    REQUIRE(block.packed);
    unsigned char* const record = block.as_packed().begin() + block.front_size;
    for (std::uint32_t at = 0; at < block.size; ++at)
        for (int value = 0; value < 256; value += 5) {
            const auto intact = record[at];
            record[at] = static_cast<unsigned char>(value);
            const object o = kept.get();
            CHECK(o.name() == "p9");
            (void)o.to_text(); // empty, or another value within bounds
            record[at] = intact;
        }
    CHECK(encoding->stats().broken > 0);
    check_equal(kept.get(), object::parse(pod(9)).value());
}

TEST_CASE("encoding: Secrets are never compressed, and data maps are never learnt", "[api][storage]")
{
    const resource_type secrets{.group = "", .version = "v1", .plural = "secrets", .kind = "Secret"};
    const auto options = encoding_for(secrets, {.policy = storage::compressed});
    CHECK(options.storage.policy == storage::plain);
    CHECK_FALSE(options.values);

    // Text that only data maps share is not in the dictionary, not even if a hot field is among it.
    const std::vector<std::string> hot_fields =
        GENERATE(storage_options{}.hot_fields, std::vector<std::string>{"data.url"});
    const auto encoding = make_encoding({.provisional_after = 20, .settled_after = 100, .samples = 40}, hot_fields);
    testing_samples::generator random(11);
    std::string secret;
    while (secret.size() < 400) secret += static_cast<char>('#' + random.below(56));
    const auto map = [&](int i) {
        const auto n = std::to_string(i);
        return R"({"kind":"ConfigMap","metadata":{"name":"m)" + n +
               R"(","namespace":"n","uid":"u","note":"as always"},)" + R"("data":{"url":"there","password":")" +
               secret + R"("}})";
    };
    for (int i = 0; i < 300; ++i) (void)decode(map(i), encoding);
    CHECK(encoding->stats().stage != dictionary_stage::none);
    CHECK(kept_object(decode(map(1), encoding)).bytes() > secret.size() * 3 / 4);
}

TEST_CASE("metadata only: an object with nothing but its kind gets only the resource's kind", "[api][storage]")
{
    const resource_type deployments{.group = "apps", .version = "v1", .plural = "deployments", .kind = "Deployment"};
    const auto encoding = make_object_encoding(encoding_for(deployments, {.policy = storage::metadata_only}));
    for (const std::string_view bare :
         {R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1"})", R"({"kind":"PartialObjectMetadata"})"}) {
        const auto o = decode_object(bare, {}, encoding);
        REQUIRE(o);
        CHECK(o->to_text() == R"({"kind":"Deployment","apiVersion":"apps/v1"})");
        CHECK(o->kind() == "Deployment");
        CHECK(o->root().size() == 2);
    }
}

TEST_CASE("metadata only: objects get the kind of the objects they describe", "[api][storage]")
{
    const resource_type deployments{.group = "apps", .version = "v1", .plural = "deployments", .kind = "Deployment"};
    const auto encoding = make_object_encoding(encoding_for(deployments, {.policy = storage::metadata_only}));
    decode_options options;
    options.prune.keep = {"metadata"};
    constexpr std::string_view partial =
        R"("kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","labels":{"x":"y"}}})";
    const std::string text =
        R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{},"items":[{)" +
        std::string(partial) + R"(,{"metadata":{"name":"b"}},)" +
        R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"c"},"spec":{"replicas":3}}]})";
    list_decoder list(options, encoding);
    REQUIRE(list.feed(text));
    const auto page = list.finish();
    REQUIRE(page);
    REQUIRE(page->items.size() == 3);
    for (const auto& o : page->items) {
        CHECK(o.kind() == "Deployment");
        CHECK(o.api_version() == "apps/v1");
        CHECK_FALSE(o["spec"]);
        const object again = object::parse(o.to_text()).value();
        CHECK(again.root() == o.root());
    }
    CHECK(page->items[0].labels()["x"].as_string() == "y");

    watch_decoder watch(options, encoding);
    std::vector<watch_event> events;
    REQUIRE(watch.feed(R"({"type":"MODIFIED","object":{)" + std::string(partial) + "}\n", events));
    REQUIRE(events.size() == 1);
    CHECK(events[0].obj.kind() == "Deployment");
    CHECK(events[0].obj.root() == page->items[0].root());
}
