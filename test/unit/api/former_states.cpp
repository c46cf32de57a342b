// Compares objects whose unchanged sections are copied from a former state with their decoding as a whole.
#include "protobuf/object_reader.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/protobuf_bytes.hpp>
#include <kubecoro/test/protobuf_samples.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace kubecoro::test;

namespace {

/// Has one former state for every key.
class one_former final : public known_objects, public former_objects
{
public:
    [[nodiscard]] object find(object_key_view, std::string_view, std::string_view) const override { return {}; }
    [[nodiscard]] object former(object_key_view) const override { return last; }

    object last;
};

/// A watch in which each object is a former state of the next one.
class watched
{
public:
    explicit watched(decode_options options = deep(), std::shared_ptr<object_encoding> e = make_object_encoding())
        : decoder_(std::move(options), std::move(e), former_, wire_form::protobuf)
    {
    }

    object next(std::string_view envelope, std::string_view type = "MODIFIED")
    {
        std::vector<watch_event> events;
        REQUIRE(decoder_.feed(framed(type, envelope), events));
        REQUIRE(events.size() == 1);
        former_->last = events[0].obj;
        return events[0].obj;
    }
    /// Replaces the former state by one that has its digests and other content.
    void forge(const std::shared_ptr<object_encoding>& e, std::string_view json)
    {
        const auto digests = object_builder::block_of(former_->last)->as_plain().digests();
        const auto other = decode_object(json, deep(), e);
        REQUIRE(other);
        former_->last = object_builder::build(object_builder::tape_of(*other), encoding::of(e), {}, arrival::in_use,
                                              false, digests);
    }

    static decode_options deep()
    {
        decode_options o;
        o.limits.max_depth = 500;
        return o;
    }

private:
    std::shared_ptr<one_former> former_ = std::make_shared<one_former>();
    watch_decoder decoder_;
};

section_digests digests_of(const object& o)
{
    const auto* const b = object_builder::block_of(o);
    return b->packed ? section_digests{} : b->as_plain().digests();
}

/// The value that forge() has put into the first fieldsV1.
value_view forged_fields(const object& o)
{
    return (*o["metadata"]["managedFields"].items().begin())["fieldsV1"]["forged"];
}

std::string decoded_alone(std::string_view envelope, const decode_options& options = watched::deep())
{
    const auto o = decode_object(envelope, options, {}, wire_form::protobuf);
    REQUIRE(o);
    return o->to_text();
}

/// The fields of a message by number, each with all its occurrences.
std::map<std::uint32_t, std::string> fields_by_number(std::string_view message)
{
    std::map<std::uint32_t, std::string> out;
    wire_cursor in(message);
    while (!in.done()) {
        const char* const begin = in.position();
        wire_field w;
        REQUIRE(in.next(w));
        out[w.number].append(begin, in.position());
    }
    return out;
}

/// A message with each field of one of the two.
std::string mixed(std::string_view a, std::string_view b, std::mt19937& random)
{
    auto first = fields_by_number(a);
    auto second = fields_by_number(b);
    std::string out;
    for (const auto& [number, text] : first) out += random() % 2 == 0 ? second[number] : text;
    return out;
}

std::string fields_entry(std::string_view manager, std::string_view raw, std::string_view time)
{
    return field(1, manager) + field(2, "Update") + field(3, "v1") +
           field(4, field(1, 1700000000) + field(2, time.size())) + field(6, "FieldsV1") + field(7, field(1, raw)) +
           field(8, std::string_view());
}

const std::string long_fields = R"({"f:spec":{"f:a":{},"f:b":{},"f:c":{}},"x":")" + std::string(200, 'x') + "\"}";

/// A pod whose spec has a node and a long text, and whose managedFields have one entry for each text.
std::string pod(std::string_view node, std::vector<std::string> fields = {long_fields},
                std::string_view phase = "Running", std::string_view unknown = {})
{
    std::string meta = object_meta("web", "a");
    for (const auto& f : fields) meta += field(17, fields_entry("kubelet", f, phase));
    const std::string spec =
        field(3, "Always") + field(8, std::string(shortest_section, 's')) + field(10, node) + std::string(unknown);
    return enveloped("v1", "Pod", field(1, meta) + field(2, spec) + field(3, field(1, phase)));
}

} // namespace

TEST_CASE("former states: random states of all kinds equal their decoding as a whole", "[protobuf][former]")
{
    std::mt19937 random(1);
    std::map<std::string, std::string, std::less<>> last; // by kind
    std::map<std::string, std::unique_ptr<watched>, std::less<>> watches;
    std::size_t with_sections = 0;
    protobuf_samples samples;
    while (const auto sample = samples.next()) {
        if (!sample->name.starts_with("object ")) continue;
        const auto envelope = read_envelope(sample->protobuf);
        REQUIRE(envelope);
        const std::string kind = std::string(envelope->api_version) + ' ' + std::string(envelope->kind);
        auto& before = last[kind];
        auto& watch = watches[kind];
        if (!watch) watch = std::make_unique<watched>();
        for (int i = 0; i < 4; ++i) {
            const std::string message =
                before.empty() ? std::string(envelope->content) : mixed(envelope->content, before, random);
            const std::string state = enveloped(envelope->api_version, envelope->kind, message);
            INFO(sample->name);
            const object got = watch->next(state);
            with_sections += !digests_of(got).empty();
            CHECK(got.to_text() == decoded_alone(state));
        }
        before = envelope->content;
    }
    CHECK(with_sections > 500);
}

TEST_CASE("former states: unchanged sections are copied and changed ones are read", "[protobuf][former]")
{
    const auto e = make_object_encoding();
    watched w(watched::deep(), e);
    const object first = w.next(pod("n1"));
    CHECK(digests_of(first).spec != 0);
    CHECK(digests_of(first).fields != 0);
    const std::string forged = R"({"kind":"Pod","metadata":{"name":"a","managedFields":[{"manager":"x"},
        {"fieldsV1":{"forged":1}},{"fieldsV1":{"forged":2}}]},"spec":{"forged":3}})";

    w.forge(e, forged);
    const object copied = w.next(pod("n1", {long_fields}, "Failed"));
    CHECK(forged_fields(copied).as_int64() == 1);
    CHECK(copied["spec"]["forged"].as_int64() == 3);
    CHECK(copied["status"]["phase"].as_string() == "Failed");

    w.forge(e, forged);
    const object moved = w.next(pod("n2"));
    CHECK(forged_fields(moved).as_int64() == 1);
    CHECK(moved["spec"]["nodeName"].as_string() == "n2");

    (void)w.next(pod("n1"));
    w.forge(e, forged);
    const object managed = w.next(pod("n1", {long_fields, "{\"f:a\":{}}"}));
    CHECK(managed["spec"]["forged"].as_int64() == 3);
    CHECK_FALSE(forged_fields(managed));
}

TEST_CASE("former states: fieldsV1 that moved to another entry are read", "[protobuf][former]")
{
    const auto without = [](std::string_view manager) { return field(1, manager); };
    const auto state = [&](const std::vector<std::string>& entries) {
        std::string meta = object_meta("web", "a");
        for (const auto& entry : entries) meta += field(17, entry);
        return enveloped("v1", "ConfigMap", field(1, meta));
    };
    const std::string a = fields_entry("a", long_fields, "");
    const std::string b = fields_entry("b", R"({"f:data":{}})", "");
    watched w;
    for (const auto& entries : std::vector<std::vector<std::string>>{{a, b},
                                                                     {b, a},
                                                                     {a, without("b")},
                                                                     {without("b"), a},
                                                                     {without("c"), a},
                                                                     {a},
                                                                     {a, field(1, "d") + field(7, std::string_view())},
                                                                     {a, without("d")},
                                                                     {a, b}}) {
        const std::string text = state(entries);
        CHECK(w.next(text).to_text() == decoded_alone(text));
        CHECK(w.next(text).to_text() == decoded_alone(text));
    }
}

TEST_CASE("former states: a schema's free JSON behind managedFields is read", "[protobuf][former]")
{
    watched w;
    for (int i = 0; i < 12; ++i) {
        // The managedFields of several objects are equal, so that they are copied as a whole.
        const std::string meta =
            object_meta("web", "a" + std::to_string(i)) + field(17, fields_entry("kubelet", long_fields, ""));
        const std::string data = R"({"n":)" + std::to_string(i) + "}";
        const object o =
            w.next(enveloped("apps/v1", "ControllerRevision", field(1, meta) + field(2, field(1, data)) + field(3, i)));
        CHECK(o["data"]["n"].as_int64() == i);
    }
}

TEST_CASE("former states: a state with unknown fields is read as a whole", "[protobuf][former]")
{
    watched w;
    const std::string text = pod("n1", {long_fields}, "Running", field(99, "new"));
    for (int i = 0; i < 3; ++i) {
        const object o = w.next(text);
        CHECK(o.is_partial());
        CHECK(digests_of(o).empty());
    }
}

TEST_CASE("former states: small sections have no digests and take no memory", "[protobuf][former]")
{
    const std::string small = enveloped("v1", "Pod",
                                        field(1, object_meta("web", "a") + field(17, fields_entry("m", "{}", ""))) +
                                            field(2, field(10, "n1")));
    watched w;
    CHECK(digests_of(w.next(small)).empty());
    const object alone = *decode_object(pod("n1"), watched::deep(), make_object_encoding(), wire_form::protobuf);
    CHECK(digests_of(alone).empty());
    CHECK(w.next(pod("n1")).bytes() == alone.bytes() + sizeof(section_digests));
}

TEST_CASE("former states: a state of another encoding, or of a packed one, is not used", "[protobuf][former]")
{
    auto known = std::make_shared<one_former>();
    const auto read_with = [&](const std::shared_ptr<object_encoding>& e, const decode_options& options) {
        watch_decoder decoder(options, e, known, wire_form::protobuf);
        std::vector<watch_event> events;
        REQUIRE(decoder.feed(framed("MODIFIED", pod("n1")), events));
        REQUIRE(events.size() == 1);
        return std::exchange(known->last, events[0].obj);
    };
    encoding_options packs;
    packs.storage.policy = storage::compressed;
    for (const auto& e :
         {make_object_encoding(), make_object_encoding(), make_object_encoding(packs), make_object_encoding(packs)})
        for (int i = 0; i < 8; ++i) {
            (void)read_with(e, watched::deep());
            CHECK(known->last.to_text() == decoded_alone(pod("n1")));
        }
}

TEST_CASE("former states: sections are not used under another limit of depth", "[protobuf][former]")
{
    const auto e = make_object_encoding();
    auto known = std::make_shared<one_former>();
    watch_decoder wide({}, e, known, wire_form::protobuf);
    std::vector<watch_event> events;
    const std::string nested =
        "{\"a\":[" + std::string(20, '[') + std::string(20, ']') + "],\"x\":\"" + std::string(200, 'x') + "\"}";
    REQUIRE(wide.feed(framed("MODIFIED", pod("n1", {nested})), events));
    known->last = events.at(0).obj;
    decode_options shallow;
    shallow.limits.max_depth = 10;
    watch_decoder narrow(shallow, e, known, wire_form::protobuf);
    REQUIRE(narrow.feed(framed("MODIFIED", pod("n1", {nested})), events));
    REQUIRE(events.at(1).left_out);
    CHECK(events[1].left_out->why == "nested too deeply");
}

TEST_CASE("former states: a copied section counts towards the largest object", "[protobuf][former]")
{
    const auto e = make_object_encoding();
    auto known = std::make_shared<one_former>();
    watch_decoder wide({}, e, known, wire_form::protobuf);
    std::vector<watch_event> events;
    REQUIRE(wide.feed(framed("MODIFIED", pod("n1")), events));
    known->last = events.at(0).obj;
    decode_options small;
    small.limits.max_object_bytes = 300;
    watch_decoder narrow(small, e, known, wire_form::protobuf);
    REQUIRE(narrow.feed(framed("MODIFIED", pod("n1")), events));
    REQUIRE(events.at(1).left_out);
    CHECK(to_string(events[1].left_out->key) == "web/a");
}

TEST_CASE("former states: pruned objects equal their decoding as a whole", "[protobuf][former]")
{
    decode_options o = watched::deep();
    std::vector<decode_options> all;
    o.drop_managed_fields = true;
    all.push_back(o);
    o.drop_managed_fields = false;
    for (const char* const path :
         {"spec.nodeName", "spec", "metadata.managedFields.*.fieldsV1", "metadata.managedFields.*.fieldsV1.f:spec",
          "metadata.managedFields.*.time", "status"}) {
        o.prune = {.drop = {path}};
        all.push_back(o);
        o.prune = {.keep = {path}};
        all.push_back(o);
    }
    // One encoding for all: what one of them left out must not be missing in another one.
    const auto e = make_object_encoding();
    auto known = std::make_shared<one_former>();
    for (int round = 0; round < 3; ++round)
        for (const auto& options : all) {
            watch_decoder decoder(options, e, known, wire_form::protobuf);
            std::vector<watch_event> events;
            REQUIRE(decoder.feed(framed("MODIFIED", pod("n1")), events));
            known->last = events.at(0).obj;
            CHECK(known->last.to_text() == decoded_alone(pod("n1"), options));
        }
}

TEST_CASE("former states: items of a list have digests", "[protobuf][former]")
{
    const auto e = make_object_encoding();
    auto known = std::make_shared<one_former>();
    list_decoder listed(watched::deep(), e, known, wire_form::protobuf);
    const auto whole = pod("n1");
    const auto item = read_envelope(whole)->content;
    REQUIRE(listed.feed(enveloped("v1", "PodList", field(1, list_meta("7")) + field(2, item))));
    const auto page = listed.finish();
    REQUIRE(page);
    watch_decoder watch(watched::deep(), e, known, wire_form::protobuf);
    std::vector<watch_event> events;
    REQUIRE(watch.feed(framed("MODIFIED", pod("n1")), events));
    CHECK(digests_of(page->items.at(0)).spec == digests_of(events.at(0).obj).spec);
    CHECK(digests_of(page->items.at(0)).fields == digests_of(events.at(0).obj).fields);
    CHECK(digests_of(events.at(0).obj).spec != 0);
}

TEST_CASE("former states: digests depend on each byte, the length and what surrounds the text", "[former]")
{
    std::set<std::uint64_t> all;
    std::size_t made = 0;
    const auto add = [&](std::string_view text, std::uint64_t before = 0, std::uint64_t terms = 0) {
        all.insert(section_digest(text, before, terms));
        ++made;
    };
    for (const std::size_t size : {0, 1, 15, 16, 17, 31, 32, 33, 47, 48, 64, 65, 96, 200}) {
        std::string text(size, 'x');
        add(text);
        add(text, 1);
        add(text, 0, 1);
        for (std::size_t i = 0; i < size; ++i) {
            for (const char other : {'y', '\0'}) {
                text[i] = other;
                add(text);
            }
            text[i] = 'x';
        }
    }
    std::string words(64, 'a');
    words.replace(8, 8, "bbbbbbbb");
    for (std::size_t i = 0; i < 64; i += 8) { // the same words in other orders
        std::rotate(words.begin(), words.begin() + 8, words.end());
        add(words);
    }
    CHECK(all.size() == made);
}

TEST_CASE("former states: selection_of() keeps them and finds nothing", "[api][former]")
{
    auto known = std::make_shared<one_former>();
    known->last = *object::parse(R"({"metadata":{"name":"a"}})");
    const auto selection = selection_of(known);
    REQUIRE(selection);
    CHECK_FALSE(selection->find({"", "a"}, "", ""));
    const auto* const formers = dynamic_cast<const former_objects*>(selection.get());
    REQUIRE(formers);
    CHECK(formers->former({"", "a"}).is_same(known->last));
}
