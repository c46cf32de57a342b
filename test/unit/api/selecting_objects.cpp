// Lists and watches of which only some objects are wanted, in JSON and protobuf.
#include "fixtures.hpp"

#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/test/protobuf_bytes.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

/// Wants objects by their whole keys, and knows one object.
class wanted final : public detail::selecting_objects
{
public:
    explicit wanted(std::set<std::string> keys, object known = {}) : keys_(std::move(keys)), known_(std::move(known)) {}
    [[nodiscard]] object find(object_key_view key, std::string_view uid, std::string_view version) const override
    {
        const bool is_it = known_ && key == known_.key() && known_.has_uid(uid) && known_.resource_version() == version;
        return is_it ? known_ : object();
    }
    [[nodiscard]] bool wants(object_key_view key) const noexcept override
    {
        if (keys_.contains(to_string(key))) return true;
        ++passed_over;
        return false;
    }
    mutable int passed_over = 0;

private:
    std::set<std::string> keys_;
    object known_;
};

std::shared_ptr<wanted> only(std::set<std::string> keys, object known = {})
{
    return std::make_shared<wanted>(std::move(keys), std::move(known));
}

list_page page_of(std::string_view text, std::size_t chunk, std::shared_ptr<const detail::known_objects> known,
                  wire_form form = wire_form::json, const decode_options& options = {})
{
    detail::list_decoder decoder(options, {}, std::move(known), form);
    for (; !text.empty(); text.remove_prefix(std::min(chunk, text.size())))
        REQUIRE(decoder.feed(text.substr(0, chunk)));
    auto page = decoder.finish();
    REQUIRE(page);
    return std::move(*page);
}

std::vector<watch_event> events_of(std::string_view text, std::size_t chunk,
                                   std::shared_ptr<const detail::known_objects> known, wire_form form = wire_form::json,
                                   const decode_options& options = {})
{
    detail::watch_decoder decoder(options, {}, std::move(known), form);
    std::vector<watch_event> out;
    for (; !text.empty(); text.remove_prefix(std::min(chunk, text.size())))
        REQUIRE(decoder.feed(text.substr(0, chunk), out));
    REQUIRE(decoder.finish());
    return out;
}

std::vector<std::string> names(const list_page& page)
{
    std::vector<std::string> out;
    for (const auto& o : page.items) out.push_back(to_string(o.key()));
    return out;
}

/// "ADDED web/a", "MODIFIED -@7" for one that is passed over at that version, "BOOKMARK".
std::vector<std::string> lines(const std::vector<watch_event>& events)
{
    std::vector<std::string> out;
    for (const auto& e : events) {
        const char* type = e.type == watch_event_type::added      ? "ADDED"
                           : e.type == watch_event_type::modified ? "MODIFIED"
                           : e.type == watch_event_type::deleted  ? "DELETED"
                                                                  : "BOOKMARK";
        std::string line = type;
        if (e.passed_over || e.left_out) {
            CHECK_FALSE(e.obj);
            line += e.passed_over ? " -@" + *e.passed_over : " " + to_string(e.left_out->key) + " too large";
        } else if (e.type != watch_event_type::bookmark) {
            line += " " + to_string(e.obj.key());
        }
        out.push_back(std::move(line));
    }
    return out;
}

std::string item(const std::string& name, const std::string& version = "1", const std::string& more = "")
{
    return R"({"metadata":{"name":")" + name + R"(","namespace":"web","uid":"u","resourceVersion":")" + version +
           R"("},"spec":{"x":[1,{"y":"}"}])" + more + "}}";
}

std::string event(const std::string& type, const std::string& object)
{
    return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

const std::string end_of_list =
    event("BOOKMARK", R"({"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}})");

} // namespace

TEST_CASE("selecting objects: a list has those that are wanted, wherever their names stand", "[api][decode][selection]")
{
    const std::vector<std::string> items{
        item("a"),
        item("b"),
        R"({"spec":{"name":"c"},"metadata":{"resourceVersion":"1","uid":"u","name":"b","labels":{"name":"c"},"namespace":"web"}})",
        R"({"metadata":{"resourceVersion":"1","uid":"u","name":"c","namespace":"web"},"spec":{}})",
        R"({"metadata":{"name":"b","namespace":"web"}})",
        R"({"metadata":{"name":"d","uid":"u","resourceVersion":"1"},"status":[]})",
        R"({"metadata":{"name":"b","uid":"u","resourceVersion":"1"},"status":[{}]})",
        R"({"spec":{}})"};
    std::string text = R"({"metadata":{"resourceVersion":"9"},"items":[)";
    for (const auto& i : items) text += (text.back() == '[' ? "" : ",") + i;
    text += R"(],"kind":"PodList","apiVersion":"v1"})";
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{13}, text.size()}) {
        const auto known = only({"web/a", "web/c", "d"});
        const auto page = page_of(text, chunk, known);
        CHECK(names(page) ==
              std::vector<std::string>{"web/a", "web/c", "d", ""}); // one without a name is for others to judge
        CHECK(known->passed_over == 4);
        CHECK(page.resource_version == "9");
        CHECK(page.left_out.empty());
        CHECK(page.items[0]["spec"]["x"][1]["y"].as_string() == "}");
    }
}

TEST_CASE("selecting objects: known objects are recognised among those that are wanted", "[api][decode][selection]")
{
    const auto a = object::parse(item("a"));
    const auto b = object::parse(item("b"));
    REQUIRE((a && b));
    const std::string text = R"({"metadata":{"resourceVersion":"9"},"items":[)" + item("a") + "," + item("b") + "]}";
    CHECK(page_of(text, 7, only({"web/a"}, *a)).items.at(0).is_same(*a));
    CHECK(names(page_of(text, 7, only({"web/a"}, *b))) == std::vector<std::string>{"web/a"});
    const auto bare = detail::selection_of(only({"web/a"}, *a));
    REQUIRE(bare);
    const auto page = page_of(text, 7, bare);
    REQUIRE(page.items.size() == 1);
    CHECK_FALSE(page.items[0].is_same(*a));
    CHECK(detail::selection_of(nullptr) == nullptr);
}

TEST_CASE("selecting objects: large objects are reported if they are wanted", "[api][decode][selection]")
{
    decode_options small;
    small.limits.max_object_bytes = 500;
    const std::string large = R"(,"z":")" + std::string(1000, 'x') + '"';
    const std::string text =
        R"({"metadata":{"resourceVersion":"9"},"items":[)" + item("a", "1", large) + "," + item("b", "1", large) + "]}";
    const auto page = page_of(text, 100, only({"web/a"}), wire_form::json, small);
    REQUIRE(page.left_out.size() == 1);
    CHECK(page.left_out[0].key == object_key{"web", "a"});
    const auto events = events_of(event("ADDED", item("a", "2", large)) + event("ADDED", item("b", "3", large)), 50,
                                  only({"web/a"}), wire_form::json, small);
    CHECK(lines(events) == std::vector<std::string>{"ADDED web/a too large", "ADDED -@3"});
}

TEST_CASE("selecting objects: a watch tells the versions of what is passed over", "[api][decode][selection]")
{
    const std::string type_last = R"({"object":)" + item("b", "6") + R"(,"type":"MODIFIED"})" + "\n";
    const std::string text =
        event("ADDED", item("a", "2")) + event("MODIFIED", item("b", "3")) + event("MODIFIED", item("c", "4")) +
        event("DELETED", item("b", "5")) + event("MODIFIED", item("a", "6")) + type_last +
        event("BOOKMARK", R"({"metadata":{"name":"b","resourceVersion":"8"}})") + event("DELETED", item("a", "9"));
    const std::vector<std::string> expected{"ADDED web/a",    "MODIFIED -@3", "MODIFIED -@4", "DELETED -@5",
                                            "MODIFIED web/a", "MODIFIED -@6", "BOOKMARK",     "DELETED web/a"};
    const auto one_by_one = lines(events_of(text, text.size(), detail::selection_of(only({"web/a"}))));
    auto merged = expected;
    merged.erase(merged.begin() + 1); // of two in a row, the last one tells the version of both
    CHECK(one_by_one == merged);
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{13}}) {
        const auto known = only({"web/a"});
        CHECK(lines(events_of(text, chunk, detail::selection_of(known))) == merged);
        CHECK(known->passed_over == 4);
    }
}

TEST_CASE("selecting objects: a streamed list and the watch behind it are selected", "[api][decode][selection]")
{
    const auto a = object::parse(item("a"));
    REQUIRE(a);
    const std::string text = event("ADDED", item("a")) + event("ADDED", item("b", "2")) + end_of_list +
                             event("ADDED", item("a")) + event("MODIFIED", item("b", "10"));
    const auto events = events_of(text, 17, only({"web/a"}, *a));
    CHECK(lines(events) ==
          std::vector<std::string>{"ADDED web/a", "ADDED -@2", "BOOKMARK", "ADDED web/a", "MODIFIED -@10"});
    CHECK(events[0].obj.is_same(*a));
    CHECK_FALSE(events[3].obj.is_same(*a));
}

TEST_CASE("selecting objects: protobuf is selected without being decoded", "[api][decode][selection]")
{
    decode_options small;
    small.limits.max_object_bytes = 1000;
    const std::string large(100'000, 'x');
    const std::string bytes =
        config_maps({config_map("web", "a", "1"), config_map("web", "b", "damaged: \xff"),
                     config_map("web", "a", large), config_map("web", "b", large), config_map("web", "c", "3")});
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{333}, bytes.size()}) {
        const auto known = only({"web/a", "web/c"});
        const auto page = page_of(bytes, chunk, known, wire_form::protobuf, small);
        CHECK(names(page) == std::vector<std::string>{"web/a", "web/c"});
        REQUIRE(page.left_out.size() == 1);
        CHECK(page.left_out[0].key == object_key{"web", "a"});
        CHECK(known->passed_over == 2);
    }
    const auto frame = [](std::string_view type, std::string_view name, std::string_view value) {
        return framed(type, enveloped("v1", "ConfigMap", config_map("web", name, value)));
    };
    const std::string frames = frame("ADDED", "a", "1") + frame("ADDED", "b", "damaged: \xff") +
                               frame("ADDED", "b", large) + frame("DELETED", "b", "1") + frame("DELETED", "a", "1");
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{333}, frames.size()})
        CHECK(lines(events_of(frames, chunk, detail::selection_of(only({"web/a"})), wire_form::protobuf, small)) ==
              std::vector<std::string>{"ADDED web/a", "ADDED -@5", "DELETED -@5", "DELETED web/a"});
}
