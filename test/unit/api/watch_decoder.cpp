#include <kubecoro/test/catch.hpp>

#include "fixtures.hpp"
#include "json_samples.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

struct outcome
{
    std::vector<watch_event> events;
    std::string problem;
};

outcome decode_in_chunks(std::string_view text, std::size_t chunk, decode_options o = {})
{
    outcome all;
    watch_decoder decoder(o);
    for (; !text.empty(); text.remove_prefix(std::min(chunk, text.size()))) {
        const std::string part(text.substr(0, chunk));
        if (auto fed = decoder.feed(part, all.events); !fed) {
            all.problem = fed.error().message();
            REQUIRE(fed.error() == cond::corrupt);
            // The decoder stays failed.
            REQUIRE_FALSE(decoder.feed("\n", all.events));
            REQUIRE_FALSE(decoder.finish());
            return all;
        }
    }
    if (auto done = decoder.finish(); !done) {
        all.problem = done.error().message();
        REQUIRE(done.error() == cond::unreachable); // a watch that was cut can be resumed
        REQUIRE_FALSE(decoder.feed("\n", all.events));
    }
    return all;
}

outcome decoded(std::string_view text) { return decode_in_chunks(text, text.size() + 1); }

std::string flat(const outcome& all)
{
    std::string out = all.problem;
    for (const auto& e : all.events)
        out += "\n" + std::to_string(static_cast<int>(e.type)) + e.unknown_type + (e.status ? e.status->reason : "") +
               e.obj.to_text();
    return out;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("watch_decoder: changes of a real server", "[api][decode]")
{
    const outcome all = decoded(fixture("watch_changes.json"));
    CHECK(all.problem.empty());
    REQUIRE(all.events.size() == 3);
    CHECK(all.events[0].type == watch_event_type::added);
    CHECK(all.events[1].type == watch_event_type::modified);
    CHECK(all.events[2].type == watch_event_type::deleted);
    CHECK(all.events[0].obj.name() == "ev1");
    CHECK(all.events[0].obj.kind() == "ConfigMap");
    CHECK(all.events[2].obj.resource_version() == "410");
}

TEST_CASE("watch_decoder: bookmarks, and the one that ends the initial events", "[api][decode]")
{
    const outcome all = decoded(fixture("watch_initial_events.json"));
    REQUIRE(all.events.size() == 7);
    CHECK(all.events[6].type == watch_event_type::bookmark);
    CHECK(all.events[6].ends_initial_events());
    CHECK(all.events[6].obj.resource_version() == "1840");
    CHECK_FALSE(all.events[5].ends_initial_events());
    CHECK(decoded(fixture("watch_bookmark_pod.json")).events.at(0).ends_initial_events());
    const outcome plain = decoded(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5"}}})"
                                  "\n");
    CHECK_FALSE(plain.events.at(0).ends_initial_events());
    CHECK_FALSE(plain.events.at(0).obj.has_metadata());
    CHECK(decoded(fixture("watch_partial.json")).events.at(0).obj.kind() == "PartialObjectMetadata");
}

TEST_CASE("watch_decoder: errors carry the server's Status", "[api][decode]")
{
    const outcome expired = decoded(fixture("watch_expired.json"));
    REQUIRE(expired.events.size() == 1);
    CHECK(expired.events[0].type == watch_event_type::error);
    CHECK_FALSE(expired.events[0].obj);
    CHECK(expired.events[0].status->code == 410);
    CHECK(expired.events[0].status->reason == "Expired");
    CHECK(expired.events[0].status->message == "too old resource version: 1 (405)");
    const outcome large = decoded(fixture("watch_version_too_large.json"));
    REQUIRE(large.events.size() == 1);
    CHECK(large.events[0].status->retry_after == std::chrono::seconds(1));
    CHECK(large.events[0].status->causes.at(0).reason == "ResourceVersionTooLarge");
    CHECK(large.events[0].to_failure() == cond::too_large_resource_version);
    CHECK(watch_event{.type = watch_event_type::error}.to_failure() == cond::corrupt);
}

TEST_CASE("watch_decoder: a Status in place of an event keeps the server's words", "[api][decode]")
{
    const std::string status = fixture("status_not_found.json") + "\n";
    for (const std::size_t chunk : {std::size_t{1}, status.size()}) {
        const outcome all = decode_in_chunks(status, chunk);
        CHECK(all.problem.empty());
        REQUIRE(all.events.size() == 1);
        CHECK(all.events[0].type == watch_event_type::error);
        CHECK(all.events[0].to_failure() == cond::not_found);
        CHECK(contains(all.events[0].status->message, "not found"));
    }
    CHECK(contains(decoded("{\"kind\":\"Status\",\"status\":\"Success\"}\n").problem, "event without a type"));
}

TEST_CASE("watch_decoder: every split of a real stream gives the same events", "[api][decode]")
{
    for (const char* name : {"watch_changes.json", "watch_initial_events.json", "watch_expired.json"}) {
        const std::string text = fixture(name);
        const std::string expected = flat(decoded(text));
        for (std::size_t chunk = 1; chunk < text.size(); chunk += 1 + chunk / 8)
            REQUIRE(flat(decode_in_chunks(text, chunk)) == expected);
        for (std::size_t at = 0; at <= text.size(); ++at) {
            outcome all;
            watch_decoder decoder;
            REQUIRE(decoder.feed(std::string(text.substr(0, at)), all.events));
            REQUIRE(decoder.feed(std::string(text.substr(at)), all.events));
            REQUIRE(decoder.finish());
            REQUIRE(flat(all) == expected);
        }
    }
}

TEST_CASE("watch_decoder: events of complete lines are returned at once", "[api][decode]")
{
    watch_decoder decoder;
    std::vector<watch_event> events;
    REQUIRE(decoder.feed("{\"type\":\"ADDED\",\"object\":{}}\n{\"type\":\"ADD", events));
    CHECK(events.size() == 1);
    CHECK_FALSE(watch_decoder().finish().has_error());
    REQUIRE(decoder.feed("ED\",\"object\":{}}", events));
    CHECK(events.size() == 1);
    REQUIRE(decoder.feed("\n", events));
    CHECK(events.size() == 2);
    CHECK(decoder.finish());
}

TEST_CASE("watch_decoder: members come in any order, unknown ones are ignored", "[api][decode]")
{
    const outcome all =
        decoded("{\"object\":{\"metadata\":{\"name\":\"a\"}},\"x\":{\"type\":\"DELETED\"},\"type\":\"ADDED\"}\n"
                "{\"y\":[{}],\"object\":{\"message\":\"m\",\"code\":410},\"z\":1,\"type\":\"ERROR\"}\n"
                "{\"type\":\"NEW\\u0041\",\"object\":{\"metadata\":{\"name\":\"b\"}}}\n"
                "{\"type\":\"NOTHING\"}\n"
                "{\"type\":\"ADDED\",\"type\":\"DELETED\",\"object\":{},\"object\":{\"k\":1}}\n");
    CHECK(all.problem.empty());
    REQUIRE(all.events.size() == 5);
    CHECK(all.events[0].type == watch_event_type::added);
    CHECK(all.events[0].obj.name() == "a");
    CHECK(all.events[1].status->code == 410);
    CHECK(all.events[2].type == watch_event_type::unknown);
    CHECK(all.events[2].unknown_type == "NEWA");
    CHECK(all.events[2].obj.name() == "b");
    CHECK(all.events[3].unknown_type == "NOTHING");
    CHECK(all.events[4].type == watch_event_type::deleted);
    CHECK(all.events[4].obj.to_text() == "{\"k\":1}");
    const outcome long_type = decoded("{\"type\":\"" + std::string(100, 'T') + "\",\"object\":{}}\n");
    CHECK(long_type.events.at(0).unknown_type == std::string(64, 'T'));
}

TEST_CASE("watch_decoder: blank lines, carriage returns and two documents on a line", "[api][decode]")
{
    const std::string event = R"({"type":"ADDED","object":{}})";
    for (const std::size_t chunk : {1, 3, 1000}) {
        const outcome all =
            decode_in_chunks("\n\r\n  \n" + event + "\r\n\n" + event + event + " " + event + "\n \t", chunk);
        CHECK(all.problem.empty());
        CHECK(all.events.size() == 4);
    }
    CHECK(decoded("").events.empty());
    CHECK(decoded("").problem.empty());
}

TEST_CASE("watch_decoder: events before a broken line are delivered", "[api][decode]")
{
    const std::string good = R"({"type":"ADDED","object":{}})"
                             "\n";
    const std::pair<std::string, std::string> broken[] = {
        {"{\"type\":\"ADDED\",\"object\":{}\n", "unexpected end of text"},
        {"nonsense\n", "malformed JSON"},
        {"[]\n", "expected an event, got an array"},
        {"7\n", "expected an event"},
        {"{}\n", "event without a type"},
        {"{\"object\":{}}\n", "event without a type"},
        {"{\"type\":\"\",\"object\":{}}\n", "event without a type"},
        {"{\"type\":7,\"object\":{}}\n", "`type` is not a string"},
        {"{\"type\":[],\"object\":{}}\n", "`type` is not a string"},
        {"{\"type\":\"ADDED\"}\n", "ADDED event without an object"},
        {"{\"type\":\"ADDED\",\"object\":null}\n", "ADDED event without an object"},
        {"{\"type\":\"ERROR\"}\n", "ERROR event without an object"},
        {"{\"type\":\"ADDED\",\"object\":[]}\n", "`object` is not an object"},
        {"{\"type\":\"ADDED\",\"object\":\"x\"}\n", "`object` is not an object"},
        {"{\"type\":\"ADDED\",\"object\":{}} x\n", "malformed JSON"},
        {"{\"type\":\"ADDED\",\"object\":{\"a\":\"\xff\"}}\n", "malformed JSON"},
        {"{\"type\":\"ADDED\",\"object\":{\"a\":" + std::string(1000, '[') + "\n", "nested too deeply"},
        {"{\"type\":\"ADDED\",\"object\":{}", "the stream ends inside a line that starts at byte 29"},
    };
    for (const auto& [line, why] : broken) {
        INFO(line);
        for (const std::size_t chunk : {1, 7, 100000}) {
            const outcome all = decode_in_chunks(good + line + good, chunk);
            if (line.back() != '\n') break;
            INFO(all.problem);
            CHECK(contains(all.problem, why));
            CHECK(contains(all.problem, "watch response: "));
            CHECK(all.events.size() >= 1);
            CHECK(all.events.size() <= 2);
        }
        if (line.back() != '\n') CHECK(contains(decoded(good + line).problem, why));
    }
}

TEST_CASE("watch_decoder: a stream cut at any byte inside a line fails", "[api][decode]")
{
    const std::string text = fixture("watch_changes.json");
    const std::size_t first = text.find('\n') + 1;
    for (std::size_t n = first + 1; n < text.find('\n', first) + 1; ++n) {
        const outcome all = decoded(std::string_view(text).substr(0, n));
        REQUIRE(all.events.size() == 1);
        REQUIRE(contains(all.problem, "the stream ends inside a line that starts at byte " + std::to_string(first)));
    }
    CHECK(decoded(std::string_view(text).substr(0, first)).problem.empty());
}

TEST_CASE("watch_decoder: a line beyond the limit is rejected before it is complete", "[api][decode]")
{
    decode_options o;
    o.limits.max_object_bytes = 1000;
    const std::string fits = "{\"type\":\"ADDED\",\"object\":{\"a\":\"" + std::string(900, 'x') + "\"}}\n";
    CHECK(decode_in_chunks(fits + fits, 10, o).events.size() == 2);
    // Blanks alone exceed the line limit, not the object.
    const std::string wide = "{\"type\":\"ADDED\",\"object\":{" + std::string(100000, ' ');
    // The object cannot be identified.
    const std::string large = "{\"type\":\"ADDED\",\"object\":{\"a\":\"" + std::string(100000, 'x');
    for (const std::size_t chunk : {1, 500, 200000}) {
        for (const auto& [line, why] : {std::pair(wide, "a line is longer than 7024 bytes"),
                                        std::pair(large, "an object is larger than 1000 bytes")}) {
            CHECK(decode_in_chunks(fits + line, chunk, o).events.size() == 1);
            CHECK(contains(decode_in_chunks(fits + line, chunk, o).problem, why));
            CHECK(contains(decode_in_chunks(fits + line + "\n", chunk, o).problem, why));
        }
    }
    const outcome tape =
        decode_in_chunks("{\"type\":\"ADDED\",\"object\":{\"a\":\"" + std::string(1500, 'x') + "\"}}\n", 9, o);
    CHECK(contains(tape.problem, "an object is larger than 1000 bytes"));
    // The default limit accepts the largest object of a kube-apiserver, and rejects an object of 5 MB.
    CHECK(decode_in_chunks("{\"type\":\"ADDED\",\"object\":{\"a\":\"" + std::string(3 << 20, 'x') + "\"}}\n", 65536)
              .events.size() == 1);
    CHECK(contains(
        decode_in_chunks("{\"type\":\"ADDED\",\"object\":{\"a\":\"" + std::string(5 << 20, 'x') + "\"}}\n", 65536)
            .problem,
        "an object is larger"));
}

TEST_CASE("watch_decoder: a valid object is accepted however long its escapes make the line", "[api][decode]")
{
    std::string escaped;
    for (int i = 0; i < (3 << 20) - 4096; ++i) escaped += "\\u003c";
    const std::string line =
        R"({"type":"ADDED","object":{"kind":"ConfigMap","metadata":{"name":"big"},"data":{"page":")" + escaped +
        "\"}}}\n";
    const outcome all = decode_in_chunks(line, 65536);
    CHECK(all.problem.empty());
    REQUIRE(all.events.size() == 1);
    CHECK_FALSE(all.events[0].left_out);
    CHECK(all.events[0].obj["data"]["page"].as_string() == std::string((3 << 20) - 4096, '<'));
    const auto alone = object::parse(std::string_view(line).substr(25, line.size() - 27));
    REQUIRE(alone);
    CHECK(alone->root() == all.events[0].obj.root());
}

TEST_CASE("watch_decoder: an object that is too large is left out by name, and the stream continues", "[api][decode]")
{
    decode_options o;
    o.limits.max_object_bytes = 1000;
    const auto line = [](const std::string& type, const std::string& name, std::size_t size, const char* blank = "") {
        return R"({"type":")" + type + R"(","object":{"kind":"Pod",)" + std::string(blank) + R"("metadata":{"name":")" +
               name + R"(","namespace":"web","uid":"u-1","resourceVersion":"7"},"spec":{"a":[{"b":")" +
               std::string(size, 'x') + "\"},{\"c\":[{}]}],\"d\":\"" + std::string(size, 'y') + "\"}}}\n";
    };
    // One that fits into the line buffer, and ones whose remainder is not buffered.
    for (const std::size_t size : {1000, 6000, 100000})
        for (const std::size_t chunk : {1, 70, 1000, 300000}) {
            INFO(size << " in chunks of " << chunk);
            const std::string good = line("ADDED", "small", 10);
            const outcome all = decode_in_chunks(
                good + line("MODIFIED", "large", size) + good + line("DELETED", "large", size) + good, chunk, o);
            CHECK(all.problem.empty());
            REQUIRE(all.events.size() == 5);
            for (const std::size_t i : {0u, 2u, 4u}) {
                CHECK(all.events[i].obj.name() == "small");
                CHECK_FALSE(all.events[i].left_out);
            }
            CHECK(all.events[1].type == watch_event_type::modified);
            CHECK(all.events[3].type == watch_event_type::deleted);
            REQUIRE(all.events[1].left_out);
            CHECK_FALSE(all.events[1].obj);
            CHECK(all.events[1].left_out->key == object_key("web", "large"));
            CHECK(all.events[1].left_out->uid == "u-1");
            CHECK(all.events[1].left_out->resource_version == "7");
            CHECK(all.events[1].left_out->why == "an object is larger than 1000 bytes");
            REQUIRE(all.events[3].left_out);
        }
    SECTION("a malformed remainder fails")
    {
        std::string broken = line("ADDED", "large", 1000);
        broken.replace(broken.find("{\"c\":["), 6, "{\"c\":{");
        CHECK(contains(decode_in_chunks(broken, 50, o).problem, "malformed JSON"));
        CHECK(contains(decode_in_chunks(line("ADDED", "large", 100000).substr(0, 50000), 50, o).problem,
                       "the stream ends inside a line that starts at byte 0"));
    }
    SECTION("bookmarks and errors are not left out")
    {
        CHECK(contains(decode_in_chunks(line("BOOKMARK", "large", 1000), 50, o).problem, "larger than 1000 bytes"));
        CHECK(contains(decode_in_chunks(line("ERROR", "large", 1000), 50, o).problem, "larger than 1000 bytes"));
    }
    SECTION("byte positions stay correct after it")
    {
        const std::string large = line("ADDED", "large", 50000);
        for (const std::size_t chunk : {1, 999, 100000})
            CHECK(contains(decode_in_chunks(large + "{", chunk, o).problem,
                           "starts at byte " + std::to_string(large.size())));
    }
    SECTION("the last of two objects in an event counts")
    {
        const std::string two = line("ADDED", "large", 1000);
        const outcome all = decode_in_chunks(
            two.substr(0, two.size() - 2) + R"(,"object":{"metadata":{"name":"last"}}})" + "\n", 50, o);
        REQUIRE(all.events.size() == 1);
        CHECK_FALSE(all.events[0].left_out);
        CHECK(all.events[0].obj.name() == "last");
    }
    SECTION("with pruned fields and a vocabulary")
    {
        o.prune.drop = {"spec.d"};
        watch_decoder decoder(o, make_object_encoding());
        std::vector<watch_event> events;
        for (int i = 0; i < 20; ++i)
            REQUIRE(decoder.feed(line("ADDED", "n" + std::to_string(i), i % 2 == 0 ? 700 : 1100), events));
        REQUIRE(events.size() == 20);
        for (std::size_t i = 0; i < 20; ++i) CHECK((events[i].left_out != nullptr) == (i % 2 != 0));
    }
}

TEST_CASE("watch_decoder: an object that is nested too deeply is left out by name, and the stream continues",
          "[api][decode]")
{
    const std::string deep = std::string(1000, '[') + std::string(1000, ']');
    const std::string named = R"("name":"a","namespace":"web","resourceVersion":"7","uid":"u-1")";
    const auto line = [](const std::string& object) { return R"({"type":"MODIFIED","object":)" + object + "}\n"; };
    const std::string good = line("{\"metadata\":{" + named + "}}");
    const std::string lines = good + line("{\"metadata\":{" + named + "},\"spec\":" + deep + "}") +
                              line("{\"metadata\":{\"managedFields\":" + deep + "," + named + "},\"spec\":{}}") + good;
    for (const std::size_t chunk : {1, 70, 300000}) {
        INFO("in chunks of " << chunk);
        const outcome all = decode_in_chunks(lines, chunk, {});
        CHECK(all.problem.empty());
        REQUIRE(all.events.size() == 4);
        CHECK(all.events[3].obj.name() == "a");
        for (const std::size_t i : {1u, 2u}) {
            CHECK(all.events[i].type == watch_event_type::modified);
            REQUIRE(all.events[i].left_out);
            CHECK(all.events[i].left_out->key == object_key("web", "a"));
            CHECK(all.events[i].left_out->uid == "u-1");
            CHECK(all.events[i].left_out->resource_version == "7");
            CHECK(all.events[i].left_out->why == "nested too deeply");
        }
    }
    const std::string bookmark = R"({"type":"BOOKMARK","object":{"metadata":{"name":"a"},"x":)" + deep + "}}\n";
    CHECK(contains(decode_in_chunks(bookmark, 50, {}).problem, "nested too deeply"));
}

TEST_CASE("watch_decoder: drops managedFields on request", "[api][decode]")
{
    decode_options o;
    o.drop_managed_fields = true;
    const outcome all = decode_in_chunks(fixture("watch_changes.json"), 50, o);
    REQUIRE(all.events.size() == 3);
    for (const auto& e : all.events) CHECK_FALSE(e.obj.metadata()["managedFields"]);
    CHECK(decoded(fixture("watch_changes.json")).events[0].obj.metadata()["managedFields"]);
}
