// Lists and watches in protobuf: in any chunking, with known and too large objects, damaged and cut.
#include "fixtures.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/test/protobuf_bytes.hpp>
#include <kubecoro/test/protobuf_samples.hpp>

#include <algorithm>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

std::string message_of(const watch_event& e) { return e.status ? e.status->message : std::string(); }

result<list_page> list_of(std::string_view bytes, std::size_t chunk, const decode_options& options = {},
                          std::shared_ptr<const detail::known_objects> known = {})
{
    detail::list_decoder decoder(options, {}, std::move(known), wire_form::protobuf);
    for (; !bytes.empty(); bytes.remove_prefix(std::min(chunk, bytes.size())))
        if (auto fed = decoder.feed(bytes.substr(0, chunk)); !fed) return fed.error();
    return decoder.finish();
}

result<std::vector<watch_event>> events_of(std::string_view bytes, std::size_t chunk,
                                           const decode_options& options = {},
                                           std::shared_ptr<const detail::known_objects> known = {})
{
    detail::watch_decoder decoder(options, {}, std::move(known), wire_form::protobuf);
    std::vector<watch_event> out;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(chunk, bytes.size())))
        if (auto fed = decoder.feed(bytes.substr(0, chunk), out); !fed) return fed.error();
    if (auto ended = decoder.finish(); !ended) return ended.error();
    return out;
}

/// Knows one object.
class one_known final : public detail::known_objects
{
public:
    explicit one_known(object o) : object_(std::move(o)) {}
    [[nodiscard]] object find(object_key_view key, std::string_view uid, std::string_view version) const override
    {
        return key == object_.key() && object_.has_uid(uid) && object_.resource_version() == version ? object_
                                                                                                     : object();
    }

private:
    object object_;
};

/// Knows nothing; records what it is asked and told.
class asked final : public detail::known_objects
{
public:
    [[nodiscard]] object find(object_key_view key, std::string_view, std::string_view) const override
    {
        log.push_back("find " + to_string(key));
        return {};
    }
    void expect(object_key_view key) const override { log.push_back("expect " + to_string(key)); }

    mutable std::vector<std::string> log;
};

object config_map_object(std::string_view ns, std::string_view name, std::string_view value)
{
    auto o = decode_object(enveloped("v1", "ConfigMap", config_map(ns, name, value)), {}, {}, wire_form::protobuf);
    REQUIRE(o);
    return *o;
}

std::string pod_list_bytes()
{
    protobuf_samples samples;
    while (const auto s = samples.next())
        if (s->name == "list v1 PodList 0") return std::string(s->protobuf);
    FAIL("no list of pods");
    return {};
}

/// With metadata that is nested too deeply.
std::string nested_config_map(std::string_view ns, std::string_view name)
{
    const std::string json = std::string(1000, '[') + std::string(1000, ']');
    const std::string entry = field(1, "kubectl") + field(2, "Update") + field(3, "v1") + field(7, field(1, json));
    return field(1, object_meta(ns, name) + field(17, entry)) + field(2, field(1, "key") + field(2, "value"));
}

} // namespace

TEST_CASE("protobuf list: samples of all kinds equal their JSON in any chunking", "[protobuf]")
{
    protobuf_samples samples;
    decode_options options;
    options.limits.max_depth = 500;
    std::size_t lists = 0;
    while (const auto sample = samples.next()) {
        // The items of a List may be of any kind: no server sends it as protobuf.
        if (!sample->name.starts_with("list ") || sample->name.starts_with("list v1 List ")) continue;
        INFO(sample->name);
        detail::list_decoder json(options);
        REQUIRE(json.feed(sample->json));
        const auto expected = json.finish();
        REQUIRE(expected);
        ++lists;
        for (const std::size_t chunk : {std::size_t{7}, std::size_t{500}, sample->protobuf.size() + 1}) {
            INFO("in chunks of " << chunk);
            const auto got = list_of(sample->protobuf, chunk, options);
            REQUIRE(got);
            CHECK(got->kind == expected->kind);
            CHECK(got->api_version == expected->api_version);
            CHECK(got->remaining == expected->remaining);
            CHECK(got->left_out.empty());
            REQUIRE(got->items.size() == expected->items.size());
            for (std::size_t i = 0; i < got->items.size(); ++i)
                CHECK(got->items[i].root() == expected->items[i].root());
        }
    }
    CHECK(lists > 100);
}

TEST_CASE("protobuf list: every chunking gives the same", "[protobuf]")
{
    const std::string bytes =
        config_maps({config_map("web", "a", "1"), config_map("web", "b", std::string(200, 'x'))}, "more");
    for (std::size_t chunk = 1; chunk <= bytes.size(); ++chunk) {
        INFO("in chunks of " << chunk);
        const auto page = list_of(bytes, chunk);
        REQUIRE(page);
        CHECK(page->resource_version == "77");
        CHECK(page->continue_token == "more");
        REQUIRE(page->items.size() == 2);
        CHECK(page->items[0].kind() == "ConfigMap");
        CHECK(page->items[0].api_version() == "v1");
        CHECK(page->items[1]["data"]["key"].as_string() == std::string(200, 'x'));
    }
}

TEST_CASE("protobuf list: cut anywhere it fails", "[protobuf]")
{
    const std::string bytes = config_maps({config_map("web", "a", "1"), config_map("web", "b", "2")});
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        INFO("the first " << size << " bytes");
        const auto page = list_of(std::string_view(bytes).substr(0, size), 5);
        // The two empty fields behind the list may be missing.
        const bool has_list = size == bytes.size() - 4 || size == bytes.size() - 2;
        CHECK(page.has_value() == has_list);
        // A message ends between the parts of its envelope, so that one without a list is no broken one.
        const bool is_whole = size == 0 || (!page && page.error().message().find("no list") != std::string::npos);
        if (!page) CHECK(page.error() == (is_whole ? cond::corrupt : cond::unreachable));
    }
}

TEST_CASE("protobuf list: lengths that do not fit fail at once", "[protobuf]")
{
    const std::string type = field(1, field(1, "v1") + field(2, "ConfigMapList"));
    const std::string magic("k8s\0", 4);
    const auto why = [&](const std::string& rest) {
        const auto page = list_of(magic + rest, 3);
        return page ? std::string("none") : page.error().message();
    };
    // An item that is longer than the list, and one that would be longer than memory.
    CHECK_THAT(why(type + field(2, "\x12\x7f")), Catch::Contains("damaged"));
    CHECK_THAT(why(type + "\x12\x7f" + "\x12" + std::string(9, '\xff') + "\x01"), Catch::Contains("damaged"));
    CHECK_THAT(why("\x12\x03"
                   "abc"),
               Catch::Contains("does not say its kind"));
    CHECK_THAT(why(field(1, field(1, "v1") + field(2, "ConfigMap"))),
               Catch::Contains("expected a list, got kind ConfigMap"));
    CHECK_THAT(why(field(1, field(1, "example.com/v1") + field(2, "WidgetList"))), Catch::Contains("WidgetList"));
    CHECK_THAT(why(type + "\x0d\x01\x01\x01\x01"), Catch::Contains("damaged"));
    CHECK_THAT(why(type), Catch::Contains("no list"));
    CHECK_FALSE(list_of("{\"kind\":\"ConfigMapList\"}", 100));
}

TEST_CASE("protobuf list: known objects are not decoded again", "[protobuf]")
{
    const object known = config_map_object("web", "a", "1");
    const auto page = list_of(config_maps({config_map("web", "a", "damaged: \xff"), config_map("web", "b", "2")}), 1000,
                              {}, std::make_shared<one_known>(known));
    REQUIRE(page);
    REQUIRE(page->items.size() == 2);
    CHECK(page->items[0].is_same(known));
    CHECK(page->items[1]["data"]["key"].as_string() == "2");
}

TEST_CASE("protobuf: the next item that has arrived is expected before this one is looked up", "[protobuf]")
{
    using lines = std::vector<std::string>;
    const auto all = std::make_shared<asked>();
    SECTION("list")
    {
        const std::string list = config_maps({config_map("web", "a", "1"), config_map("web", "b", "2")});
        REQUIRE(list_of(list, list.size(), {}, all));
        CHECK(all->log == lines{"expect web/a", "expect web/b", "find web/a", "find web/b"});
    }
    SECTION("list of which the next item has not arrived")
    {
        const std::string begun = config_maps({config_map("web", "a", "1")});
        const std::string list = config_maps({config_map("web", "a", "1"), config_map("web", "b", "2")});
        REQUIRE(list_of(list, begun.size(), {}, all));
        CHECK(all->log == lines{"expect web/a", "find web/a", "find web/b"});
    }
    SECTION("streamed list")
    {
        const auto added = [](std::string_view name) {
            return framed("ADDED", enveloped("v1", "ConfigMap", config_map("web", name, "1")));
        };
        const std::string end = framed(
            "BOOKMARK",
            enveloped("v1", "ConfigMap",
                      field(1, field(6, "99") + field(12, field(1, "k8s.io/initial-events-end") + field(2, "true")))));
        const std::string stream = added("a") + added("b") + added("c") + end + added("d") + added("e");
        REQUIRE(events_of(stream, stream.size(), {}, all));
        CHECK(all->log ==
              lines{"expect web/b", "find web/a", "expect web/c", "find web/b", "find web/c", "expect web/d"});
    }
}

TEST_CASE("protobuf: an object without uid or version is never known", "[protobuf]")
{
    const auto nameless = [](std::string_view value) {
        return field(1, field(1, "a") + field(3, "web")) + field(2, field(1, "key") + field(2, value));
    };
    auto known = decode_object(enveloped("v1", "ConfigMap", nameless("old")), {}, {}, wire_form::protobuf);
    REQUIRE(known);
    const auto page = list_of(config_maps({nameless("new")}), 1000, {}, std::make_shared<one_known>(*known));
    REQUIRE(page);
    CHECK(page->items.at(0)["data"]["key"].as_string() == "new");
    const auto events = events_of(framed("ADDED", enveloped("v1", "ConfigMap", nameless("new"))), 1000, {},
                                  std::make_shared<one_known>(*known));
    REQUIRE(events);
    CHECK(events->at(0).obj["data"]["key"].as_string() == "new");
}

TEST_CASE("protobuf: the limit of an object's size holds for what is kept of it", "[protobuf]")
{
    decode_options little;
    little.limits.max_object_bytes = 1000;
    little.prune.keep = {"metadata.labels"};
    const std::string item = config_map("web", "a", std::string(5000, 'x'));
    const auto page = list_of(config_maps({item}), 100, little);
    REQUIRE(page);
    CHECK(page->items.size() == 1);
    const auto events = events_of(framed("ADDED", enveloped("v1", "ConfigMap", item)), 100, little);
    REQUIRE(events);
    CHECK(events->at(0).obj.name() == "a");
}

TEST_CASE("protobuf list: a time beyond the year 9999 does not fail the list", "[protobuf]")
{
    const std::string lease =
        field(1, object_meta("web", "a")) + field(2, field(4, field(1, std::uint64_t{253402351199}) + field(2, 0)));
    const auto page =
        list_of(enveloped("coordination.k8s.io/v1", "LeaseList", field(1, list_meta("7")) + field(2, lease)), 50);
    REQUIRE(page);
    CHECK(page->items.at(0)["spec"]["renewTime"].as_string() == "10000-01-01T13:59:59.000000Z");
}

TEST_CASE("protobuf list: too large objects are left out by name, in any chunking", "[protobuf]")
{
    decode_options small;
    small.limits.max_object_bytes = 1000;
    const std::size_t size = GENERATE(1500, 100'000);
    const std::string bytes = config_maps(
        {config_map("web", "a", "1"), config_map("web", "big", std::string(size, 'x')), config_map("web", "c", "3")});
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{333}, bytes.size()}) {
        INFO(size << " bytes in chunks of " << chunk);
        const auto page = list_of(bytes, chunk, small);
        REQUIRE(page);
        REQUIRE(page->items.size() == 2);
        CHECK(page->items[1].name() == "c");
        REQUIRE(page->left_out.size() == 1);
        CHECK(page->left_out[0].key == object_key{"web", "big"});
        CHECK(page->left_out[0].uid == "uid-of-big");
        CHECK(page->left_out[0].resource_version == "5");
    }
}

TEST_CASE("protobuf list: an item that is nested too deeply is left out by name, and so is the object of an event",
          "[protobuf]")
{
    const auto page = list_of(
        config_maps({config_map("web", "a", "1"), nested_config_map("web", "deep"), config_map("web", "c", "3")}), 333);
    REQUIRE(page);
    REQUIRE(page->items.size() == 2);
    CHECK(page->items[1].name() == "c");
    REQUIRE(page->left_out.size() == 1);
    CHECK(page->left_out[0].key == object_key{"web", "deep"});
    CHECK(page->left_out[0].uid == "uid-of-deep");
    CHECK(page->left_out[0].resource_version == "5");
    CHECK(page->left_out[0].why == "nested too deeply");

    const auto events = events_of(framed("MODIFIED", enveloped("v1", "ConfigMap", nested_config_map("web", "deep"))) +
                                      framed("DELETED", enveloped("v1", "ConfigMap", config_map("web", "a", "1"))),
                                  333);
    REQUIRE(events);
    REQUIRE(events->size() == 2);
    REQUIRE((*events)[0].left_out);
    CHECK((*events)[0].left_out->key == object_key{"web", "deep"});
    CHECK((*events)[1].obj.name() == "a");

    // Fields that are pruned while decoding have no depth.
    decode_options o;
    o.drop_managed_fields = true;
    const auto pruned = list_of(config_maps({nested_config_map("web", "deep")}), 333, o);
    REQUIRE(pruned);
    CHECK(pruned->left_out.empty());
}

TEST_CASE("protobuf list: items without content do not cost more than they say", "[protobuf]")
{
    std::string list = field(1, list_meta("77"));
    for (int i = 0; i < 100'000; ++i) list += field(2, std::string_view());
    const auto page = list_of(enveloped("v1", "ConfigMapList", list), 4096);
    REQUIRE_FALSE(page);
    CHECK_THAT(page.error().message(), Catch::Contains("too many items"));
}

TEST_CASE("protobuf list: an item's version of the schema does not matter", "[protobuf]")
{
    const std::string item = config_map("web", "a", "1") + field(900, "new");
    const auto page = list_of(config_maps({item}), 10);
    REQUIRE(page);
    REQUIRE(page->items.size() == 1);
    CHECK(page->items[0].is_partial());
}

TEST_CASE("protobuf watch: samples of all kinds equal their JSON in any chunking", "[protobuf]")
{
    protobuf_samples samples;
    decode_options options;
    options.limits.max_depth = 500;
    std::string frames;
    std::string lines;
    while (const auto sample = samples.next()) {
        if (!sample->name.starts_with("watch ")) continue;
        frames += sample->protobuf;
        lines += std::string(sample->json) + "\n";
    }
    detail::watch_decoder json(options);
    std::vector<watch_event> expected;
    REQUIRE(json.feed(lines, expected));
    for (const std::size_t chunk : {std::size_t{3}, std::size_t{1000}, frames.size()}) {
        INFO("in chunks of " << chunk);
        const auto got = events_of(frames, chunk, options);
        REQUIRE(got);
        REQUIRE(got->size() == expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            INFO("event " << i);
            CHECK((*got)[i].type == expected[i].type);
            CHECK((*got)[i].obj.root() == expected[i].obj.root());
            CHECK(message_of((*got)[i]) == message_of(expected[i]));
            CHECK((*got)[i].ends_initial_events() == expected[i].ends_initial_events());
        }
    }
}

TEST_CASE("protobuf watch: cut anywhere it fails at the end, and events before the cut arrive", "[protobuf]")
{
    const std::string first = framed("ADDED", enveloped("v1", "ConfigMap", config_map("web", "a", "1")));
    const std::string bytes = first + framed("MODIFIED", enveloped("v1", "ConfigMap", config_map("web", "a", "2")));
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
        INFO("the first " << size << " bytes");
        detail::watch_decoder decoder({}, {}, {}, wire_form::protobuf);
        std::vector<watch_event> events;
        REQUIRE(decoder.feed(std::string_view(bytes).substr(0, size), events));
        CHECK(events.size() == (size == bytes.size() ? 2u : size >= first.size() ? 1u : 0u));
        CHECK(decoder.finish().has_value() == (size == 0 || size == first.size() || size == bytes.size()));
    }
}

TEST_CASE("protobuf watch: a too large object is left out, the next event arrives", "[protobuf]")
{
    decode_options small;
    small.limits.max_object_bytes = 1000;
    const std::size_t size = GENERATE(1500, 100'000);
    const std::string bytes =
        framed("ADDED", enveloped("v1", "ConfigMap", config_map("web", "big", std::string(size, 'x')))) +
        framed("DELETED", enveloped("v1", "ConfigMap", config_map("web", "a", "1")));
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{500}, bytes.size()}) {
        INFO(size << " bytes in chunks of " << chunk);
        const auto events = events_of(bytes, chunk, small);
        REQUIRE(events);
        REQUIRE(events->size() == 2);
        CHECK((*events)[0].type == watch_event_type::added);
        REQUIRE((*events)[0].left_out);
        CHECK((*events)[0].left_out->key == object_key{"web", "big"});
        CHECK((*events)[1].type == watch_event_type::deleted);
        CHECK((*events)[1].obj.name() == "a");
    }
}

TEST_CASE("protobuf watch: types, messages of the server, and unknown types", "[protobuf]")
{
    const std::string end = field(1, field(6, "99") + field(8, std::string_view()) +
                                         field(12, field(1, "k8s.io/initial-events-end") + field(2, "true")));
    const std::string expired =
        field(1, list_meta("")) + field(2, "Failure") + field(3, "too old") + field(4, "Expired") + field(6, 410);
    const auto events = events_of(framed("BOOKMARK", enveloped("v1", "ConfigMap", end)) +
                                      framed("RENAMED", enveloped("v1", "ConfigMap", config_map("web", "a", "1"))) +
                                      framed("ERROR", enveloped("v1", "Status", expired)),
                                  11);
    REQUIRE(events);
    REQUIRE(events->size() == 3);
    CHECK((*events)[0].ends_initial_events());
    CHECK((*events)[0].obj.resource_version() == "99");
    CHECK((*events)[1].type == watch_event_type::unknown);
    CHECK((*events)[1].unknown_type == "RENAMED");
    CHECK((*events)[1].obj.name() == "a");
    CHECK((*events)[2].status->code == 410);
    CHECK_FALSE((*events)[2].obj);
}

TEST_CASE("protobuf watch: items of a streamed list are recognised until its end", "[protobuf]")
{
    const object known = config_map_object("web", "a", "1");
    const std::string added = framed("ADDED", enveloped("v1", "ConfigMap", config_map("web", "a", "1")));
    const std::string end = framed(
        "BOOKMARK",
        enveloped("v1", "ConfigMap",
                  field(1, field(6, "99") + field(12, field(1, "k8s.io/initial-events-end") + field(2, "true")))));
    const auto events = events_of(added + end + added, 1000, {}, std::make_shared<one_known>(known));
    REQUIRE(events);
    REQUIRE(events->size() == 3);
    CHECK((*events)[0].obj.is_same(known));
    CHECK_FALSE((*events)[2].obj.is_same(known));
    CHECK((*events)[2].obj.root() == known.root());
}

TEST_CASE("protobuf watch: damaged frames fail with their position", "[protobuf]")
{
    const std::string good = framed("ADDED", enveloped("v1", "ConfigMap", config_map("web", "a", "1")));
    const auto why = [&](const std::string& frame) {
        const auto events = events_of(good + frame, 4);
        return events ? std::string("none") : events.error().message();
    };
    const std::string at = "byte " + std::to_string(good.size());
    CHECK_THAT(why(framed("", "x")), Catch::Contains("without a type") && Catch::Contains(at));
    CHECK_THAT(why(framed("ADDED", "")), Catch::Contains("without an object"));
    CHECK_THAT(why(framed("ADDED", enveloped("v1", "Nothing", ""))), Catch::Contains("without a schema"));
    CHECK_THAT(why(std::string("\0\0\0\2\x0a\x7f", 6)), Catch::Contains("damaged"));
}

TEST_CASE("protobuf list: pods of the samples are cut in every place", "[protobuf]")
{
    const std::string bytes = pod_list_bytes();
    const auto whole = list_of(bytes, bytes.size());
    REQUIRE(whole);
    for (std::size_t cut = 1; cut < bytes.size(); cut += 17) {
        INFO("cut at " << cut);
        detail::list_decoder decoder({}, {}, {}, wire_form::protobuf);
        REQUIRE(decoder.feed(std::string_view(bytes).substr(0, cut)));
        REQUIRE(decoder.feed(std::string_view(bytes).substr(cut)));
        const auto page = decoder.finish();
        REQUIRE(page);
        REQUIRE(page->items.size() == whole->items.size());
        for (std::size_t i = 0; i < page->items.size(); ++i) CHECK(page->items[i].root() == whole->items[i].root());
    }
}
