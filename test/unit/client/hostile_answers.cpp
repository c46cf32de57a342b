// Every reader of a server's or a plugin's words: cut anywhere, with lies about types, too deep, too large. It ends with a
// value or one failure that a terminal can show.
#include "auth/exec_login_core.hpp"
#include "discovery/discovery_core.hpp"
#include "rest/answer_core.hpp"
#include "rest/log_core.hpp"
#include "rest/subresource_core.hpp"
#include "rest/table_core.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/status.hpp>
#include <kubecoro/client/apply.hpp>
#include <kubecoro/client/kubeconfig.hpp>
#include <kubecoro/client/manifests.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;
namespace json = boost::json;

namespace {

using outcome = result<>;

/// A text and its reader, which accepts it.
struct decoder
{
    std::string name;
    std::string sample;
    std::function<outcome(std::string_view)> read;
};

template<class T>
outcome plain(const result<T>& r)
{
    return r ? outcome() : outcome(r.error());
}

/// A reader of documents.
template<class Read>
std::function<outcome(std::string_view)> of_document(Read read)
{
    return [read](std::string_view text) -> outcome {
        const auto document = decode_object(text);
        if (!document) return document.error();
        return plain(read(*document));
    };
}

/// A reader of refusals: all that the failure has must be readable.
outcome read_refusal(std::string_view text)
{
    const auto conflict = failure_of_answer(409, text);
    std::size_t bytes = conflict.describe().size();
    for (const auto& c : apply_conflicts(conflict)) bytes += c.manager.size() + c.field.size();
    const auto busy = eviction_failure(failure_of_answer(429, text));
    bytes += is_disruption_budget(busy) ? 1 : 0;
    if (bytes == 0) return failure(cond::internal, "a refusal without a word");
    return {};
}

outcome read_config(std::string_view text)
{
    environment machine;
    machine.variable = [](const std::string& name) -> std::optional<std::string> {
        if (name == "KUBECONFIG") return "/file";
        return std::nullopt;
    };
    machine.read_file = [text](const std::string& path, std::size_t) -> result<std::string> {
        if (path == "/file") return std::string(text);
        return failure(cond::not_found, "no such file");
    };
    return plain(load_kubeconfig({}, machine));
}

const std::string managed_object =
    R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"b","resourceVersion":"7","managedFields":[)"
    R"({"manager":"me","operation":"Apply","apiVersion":"v1","time":"2026-11-21T06:09:05Z","fieldsType":"FieldsV1",)"
    R"("fieldsV1":{"f:data":{".":{},"f:k":{}},"f:list":{"k:{\"name\":\"x\"}":{"f:v":{}},"v:1":{},"i:2":{}}}},)"
    R"({"manager":"other","operation":"Update","apiVersion":"v1","fieldsV1":{"f:data":{"f:l":{}}}}]},)"
    R"("data":{"k":"1","l":"2"},"list":[{"name":"x","v":1},1,true]})";

apply_migration migration()
{
    apply_migration how;
    how.from = {"other"};
    how.to = "me";
    return how;
}

const std::vector<decoder>& decoders()
{
    static const std::vector<decoder> all{
        {"aggregated discovery",
         R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"apps"},"versions":[{"version":"v1",)"
         R"("freshness":"Current","resources":[{"resource":"deployments","responseKind":{"group":"","kind":"Deployment"},)"
         R"("scope":"Namespaced","singularResource":"deployment","verbs":["get"],"shortNames":["deploy"],)"
         R"("categories":["all"],"subresources":[{"subresource":"scale","verbs":["get"]}]}]}]}]})",
         of_document([](const object& o) { return read_aggregated(o); })},
        {"groups",
         R"({"kind":"APIGroupList","groups":[{"name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}],)"
         R"("preferredVersion":{"groupVersion":"apps/v1","version":"v1"}}]})",
         of_document([](const object& o) { return read_group_versions(o); })},
        {"versions", R"({"kind":"APIVersions","versions":["v1"]})",
         of_document([](const object& o) { return read_group_versions(o); })},
        {"resources",
         R"({"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods","singularName":"pod",)"
         R"("namespaced":true,"kind":"Pod","verbs":["get"],"shortNames":["po"],"categories":["all"]},)"
         R"({"name":"pods/log","kind":"Pod"}]})",
         of_document([](const object& o) {
             return read_resource_list(o, {"", "v1"});
         })},
        {"version", R"({"major":"1","minor":"36","gitVersion":"v1.36.3","platform":"linux/amd64"})",
         [](std::string_view t) { return plain(read_version(t)); }},
        {"OpenAPI index", R"({"paths":{"api/v1":{"serverRelativeURL":"/openapi/v3/api/v1?hash=x"}}})",
         [](std::string_view t) { return plain(read_openapi_index(t)); }},
        {"table",
         R"({"kind":"Table","metadata":{"resourceVersion":"4","continue":"c","remainingItemCount":3},)"
         R"("columnDefinitions":[{"name":"Name","type":"string","format":"name","description":"d","priority":0}],)"
         R"("rows":[{"cells":["a"],"object":{"kind":"P","metadata":{"name":"a"}}}]})",
         [](std::string_view t) { return plain(read_table(t, {})); }},
        {"table of a list",
         R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"4"},"items":[)"
         R"({"metadata":{"name":"a","creationTimestamp":"2026-11-21T06:09:05Z"}}]})",
         [](std::string_view t) { return plain(read_table(t, {})); }},
        {"scale",
         R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"d","uid":"u","resourceVersion":"4"},)"
         R"("spec":{"replicas":2},"status":{"replicas":1,"selector":"a=b"}})",
         of_document([](const object& o) { return read_scale(o); })},
        {"token",
         R"({"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","metadata":{"name":"a"},)"
         R"("status":{"token":"t","expirationTimestamp":"2026-11-21T06:09:05Z"}})",
         of_document([](const object& o) { return read_token(o); })},
        {"refusal",
         R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"m","reason":"Conflict",)"
         R"("details":{"name":"a","group":"g","kind":"k","retryAfterSeconds":3,"causes":[{"reason":"FieldManagerConflict",)"
         R"("message":"conflict with \"x\" with subresource \"status\" using v1 at 2026-11-21T06:09:05Z","field":".data.k"},)"
         R"({"reason":"DisruptionBudget","message":"b"}]},"code":409})",
         read_refusal},
        {"extract", managed_object, of_document([](const object& o) { return extract(o, "me"); })},
        {"migration", managed_object, of_document([](const object& o) { return migration_patch(o, migration()); })},
        {"exec credential",
         R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false},)"
         R"("status":{"expirationTimestamp":"2026-11-21T06:09:05Z","token":"t"}})",
         [](std::string_view t) { return plain(read_exec_credential(t, "client.authentication.k8s.io/v1")); }},
        {"kubeconfig",
         R"({"kind":"Config","apiVersion":"v1","current-context":"c","contexts":[{"name":"c","context":{"cluster":"k",)"
         R"("user":"u","namespace":"n"}}],"clusters":[{"name":"k","cluster":{"server":"https://h:1",)"
         R"("insecure-skip-tls-verify":true,"proxy-url":"socks5://p:1","disable-compression":true,"extensions":[{"name":)"
         R"("client.authentication.k8s.io/exec","extension":{"a":1}}]}}],"users":[{"name":"u","user":{"as":"x","as-groups":["g"],)"
         R"("as-user-extra":{"e":["v"]},"exec":{"apiVersion":"client.authentication.k8s.io/v1","command":"c","args":["a"],)"
         R"("env":[{"name":"n","value":"v"}],"interactiveMode":"Never","provideClusterInfo":true}}}]})",
         read_config},
        {"manifests",
         R"({"kind":"List","apiVersion":"v1","items":[{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}]})",
         [](std::string_view t) { return plain(load_manifests(t, "the file")); }},
    };
    return all;
}

/// A value, or one failure in printable words that are not longer than what was read.
void check_outcome(const decoder& d, std::string_view text)
{
    const auto got = d.read(text);
    if (got) return;
    const auto words = got.error().describe();
    const bool printable = std::none_of(words.begin(), words.end(),
                                        [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
    if (printable && words.size() < 1000 + text.size() && got.error() != cond::internal) return;
    INFO(words);
    FAIL_CHECK("an unclear failure");
}

using visitor = std::function<void(json::value&)>;

/// Calls back with each value inside, one after the other, the value itself included.
void for_each_value(json::value& v, const visitor& visit)
{
    visit(v);
    if (auto* list = v.if_array())
        for (auto& item : *list) for_each_value(item, visit);
    if (auto* members = v.if_object())
        for (auto& m : *members) for_each_value(m.value(), visit);
}

std::vector<json::value> lies()
{
    std::vector<json::value> out{nullptr,       true,          -1, 1e308, "", "x", json::string("\x1b[2J\r\n\0\x7f", 8),
                                 json::array{}, json::object{}};
    out.emplace_back(std::int64_t{0x7fffffffffffffff});
    out.emplace_back(std::uint64_t{0xffffffffffffffff});
    out.emplace_back(json::array{json::array{}, nullptr, 1, json::object{}});
    out.emplace_back(json::object{{"a", nullptr}, {"name", 7}, {"", json::array{}}});
    out.emplace_back(std::string(3000, 'y'));
    return out;
}

std::string nested(std::size_t depth, const std::string& begin, const std::string& end)
{
    std::string out;
    for (std::size_t i = 0; i < depth; ++i) out += begin;
    for (std::size_t i = 0; i < depth; ++i) out += end;
    return out;
}

} // namespace

TEST_CASE("hostile answers: the samples are accepted", "[client][hostile]")
{
    for (const auto& d : decoders()) {
        INFO(d.name);
        const auto got = d.read(d.sample);
        INFO((got ? "" : got.error().describe()));
        CHECK(got);
    }
}

TEST_CASE("hostile answers: cut at each byte", "[client][hostile]")
{
    for (const auto& d : decoders())
        for (std::size_t size = 0; size < d.sample.size(); ++size) {
            INFO(d.name << ", " << size << " bytes");
            const auto text = std::string_view(d.sample).substr(0, size);
            check_outcome(d, text);
            // Every refusal has a meaning; none of the others is whole.
            if (d.name != "refusal" && size > 0) CHECK_FALSE(d.read(text));
        }
}

TEST_CASE("hostile answers: every value is replaced by one of another type", "[client][hostile]")
{
    for (const auto& d : decoders()) {
        auto document = json::parse(d.sample);
        for_each_value(document, [&](json::value& at) {
            const auto truth = at;
            for (const auto& lie : lies()) {
                at = lie;
                const auto text = json::serialize(document);
                INFO(d.name << ": " << text);
                check_outcome(d, text);
            }
            at = truth;
        });
    }
}

TEST_CASE("hostile answers: values are nested deeply", "[client][hostile]")
{
    for (const auto& d : decoders()) {
        auto document = json::parse(d.sample);
        for_each_value(document, [&](json::value& at) {
            const auto truth = at;
            at = "\x02";
            auto text = json::serialize(document);
            at = truth;
            const std::string place = "\"\\u0002\"";
            const auto found = text.find(place);
            REQUIRE(found != text.npos);
            for (const auto& deep : {nested(5000, "[", "]"), nested(5000, "{\"a\":", "}")}) {
                INFO(d.name);
                check_outcome(d, std::string(text).replace(found, place.size(), deep));
            }
        });
    }
}

TEST_CASE("hostile answers: discovery with long names, and with many", "[client][hostile]")
{
    const auto resource = [](const std::string& name, const std::string& kind) {
        return R"({"resource":")" + name + R"(","responseKind":{"kind":")" + kind + "\"}}";
    };
    const auto group = [](const std::string& name, const std::string& resources) {
        return R"({"metadata":{"name":")" + name + R"("},"versions":[{"version":"v1","resources":[)" + resources +
               "]}]}";
    };
    const auto read = [](const std::string& groups) {
        return read_aggregated(*object::parse(R"({"kind":"APIGroupDiscoveryList","items":[)" + groups + "]}")).value();
    };
    // Names that no resource can have are compared with nothing, and shown in part.
    const auto long_named = read(group("g", resource(std::string(1'000'000, 'p'), "P")) + "," +
                                 group("h", resource("pods\\u001b[2J", "Q")));
    const auto unknown = pick_resource(long_named, "ppp");
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().message().size() < 400);
    CHECK(pick_resource(long_named, "qqq").error().message().find("mean") == std::string::npos);
    CHECK(pick_resource(long_named, "pods").error().message().find('\x1b') == std::string::npos);
    CHECK(pick_resource(long_named, std::string(1'000'000, 'p')));

    std::string groups;
    for (int i = 0; i < 20'000; ++i) groups += (i ? "," : "") + group("g" + std::to_string(i), resource("pods", "Pod"));
    const auto many = read(groups);
    CHECK(matching_resources(many, "pods").value().size() == 20'000);
    const auto ambiguous = pick_resource(many, "pods.g1");
    CHECK(ambiguous);
    CHECK(pick_resource(many, "pods.g").error().message().size() < 400);

    std::string resources;
    for (int i = 0; i < 20'000; ++i) {
        const auto name = "r" + std::to_string(i);
        resources += (i ? "," : "") + (R"({"name":")" + name + R"(","kind":"K"},{"name":")" + name + R"(/status"})");
    }
    const auto plainly =
        read_resource_list(*object::parse(R"({"kind":"APIResourceList","resources":[)" + resources + "]}"), {"", "v1"});
    REQUIRE(plainly);
    REQUIRE(plainly->size() == 20'000);
    CHECK(plainly->back().subresources == std::vector<std::string>{"status"});
    // Each of them would be a request.
    std::string versions = "\"v0\"";
    for (int i = 0; i < 10'000; ++i) versions += ",\"v1\"";
    const auto endless = read_group_versions(*object::parse(R"({"kind":"APIVersions","versions":[)" + versions + "]}"));
    REQUIRE_FALSE(endless);
    CHECK(endless.error() == cond::corrupt);
    std::string of_groups = R"({"groupVersion":"a/v1"})";
    for (int i = 0; i < 10'000; ++i) of_groups += R"(,{"groupVersion":"a/v1"})";
    const auto also =
        read_group_versions(*object::parse(R"({"kind":"APIGroupList","groups":[{"versions":[)" + of_groups + "]}]}"));
    REQUIRE_FALSE(also);
    CHECK(also.error() == cond::corrupt);
}

TEST_CASE("hostile answers: a table of many columns and empty rows", "[client][hostile]")
{
    const auto of = [](int columns, int rows) {
        std::string text = R"({"kind":"Table","columnDefinitions":[{})";
        for (int i = 1; i < columns; ++i) text += ",{}";
        text += R"(],"rows":[{})";
        for (int i = 1; i < rows; ++i) text += ",{}";
        return text + "]}";
    };
    CHECK(read_table(of(10, 100), {}).value().rows.back().cells.size() == 10);
    const auto large = read_table(of(10'000, 10'000), {});
    REQUIRE_FALSE(large);
    CHECK(large.error() == cond::corrupt);
}

TEST_CASE("hostile answers: a refusal with many causes, and causes that are no conflicts", "[client][hostile]")
{
    std::string causes;
    for (int i = 0; i < 10'000; ++i)
        causes += std::string(i ? "," : "") + R"({"reason":"FieldManagerConflict","message":"conflict with \"m\""})";
    const auto many = failure_of_answer(409, R"({"kind":"Status","reason":"Conflict","details":{"causes":[)" + causes +
                                                 R"(]},"code":409})");
    CHECK(apply_conflicts(many).size() == 256);
    for (const std::string message : {"conflict", "conflict with ", "conflict with \\\"", "conflict with \\\"a\\\\",
                                      "conflict with \\\"a\\\" using", "conflict with \\\"a\\\" with subresource x"}) {
        INFO(message);
        const auto odd = failure_of_answer(
            409,
            R"({"kind":"Status","reason":"Conflict","code":409,"details":{"causes":[{"reason":"FieldManagerConflict",)"
            R"("message":")" +
                message + R"("}]}})");
        REQUIRE(apply_conflicts(odd).size() == 1);
        CHECK(apply_conflicts(odd)[0].api_version.empty());
    }
}

TEST_CASE("hostile answers: managed fields of thousands of managers, and with elements that are none",
          "[client][hostile]")
{
    const auto with_entries = [](const std::string& entries) {
        return *object::parse(
            R"({"apiVersion":"v1","kind":"C","metadata":{"name":"a","resourceVersion":"1","managedFields":[)" +
            entries + R"(]},"data":{"k":"1"}})");
    };
    std::string entries = R"({"manager":"me","operation":"Apply","apiVersion":"v1","fieldsV1":{"f:data":{"f:k":{}}}})";
    for (int i = 0; i < 5000; ++i)
        entries += R"(,{"manager":"m","operation":"Apply","apiVersion":"v1","fieldsV1":{"f:data":{"f:k":{}}}})";
    const auto taken = extract(with_entries(entries), "me");
    REQUIRE(taken);
    CHECK(taken->at("data").at("k") == "1");
    for (const std::string element : {"", "x", "f", "k:", "k:1", "k:{}", "k:{\\\"a\\\"", "v:", "v:{", "i:", "i:-1",
                                      "i:99999999999999999999", "k:[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["}) {
        INFO(element);
        const auto odd =
            with_entries(R"({"manager":"me","operation":"Apply","apiVersion":"v1","fieldsV1":{"f:data":{")" + element +
                         R"(":{}}}})");
        const auto refused = extract(odd, "me");
        REQUIRE_FALSE(refused);
        CHECK(refused.error() == cond::corrupt);
        CHECK(migration_patch(odd, migration()).error() == cond::corrupt);
    }
    // As in Go, a kind of element that newer servers may have is passed over.
    CHECK(extract(
        with_entries(R"({"manager":"me","operation":"Apply","apiVersion":"v1","fieldsV1":{"f:data":{"q:a":{}}}})"),
        "me"));
}

TEST_CASE("manifests: a text has as many nodes as its length allows, in JSON as in YAML", "[client]")
{
    std::string text = "{\"a\":[0";
    for (int i = 0; i < 2'100'000; ++i) text += ",0";
    const auto got = parse_documents(text + "]}", "the file");
    REQUIRE(got);
    CHECK(got->at(0).at("a").as_array().size() == 2'100'001);
}

TEST_CASE("hostile answers: YAML with aliases that grow", "[client][hostile]")
{
    const auto refused = [](const std::string& text) {
        const auto got = parse_documents(text, "the file");
        REQUIRE_FALSE(got);
        CHECK(got.error() == cond::invalid);
        return got.error().message();
    };
    std::string laughs = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
    for (int i = 1; i < 12; ++i) {
        const auto before = "*a" + std::to_string(i - 1);
        laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
        for (int n = 1; n < 10; ++n) laughs += "," + before;
        laughs += "]\n";
    }
    CHECK_THAT(refused(laughs), Catch::Contains("excessive aliasing"));
    std::string merged = "a0: &a0 {x: 1}\n";
    for (int i = 1; i < 40; ++i) {
        const auto before = "*a" + std::to_string(i - 1);
        merged += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {<<: " + before + ", y: " + before + "}\n";
    }
    CHECK_THAT(refused(merged), Catch::Contains("excessive aliasing"));
    // Few nodes, and a text that is long.
    std::string long_text = "a: &a " + std::string(1'000'000, 'x') + "\nb: [*a";
    for (int i = 0; i < 100; ++i) long_text += ",*a";
    CHECK_THAT(refused(long_text + "]\n"), Catch::Contains("too long texts"));
    std::string long_keys = "a: &a {" + std::string(1000, 'k') + ": 1}\nb: [*a";
    for (int i = 0; i < 100'000; ++i) long_keys += ",*a";
    CHECK_THAT(refused(long_keys + "]\n"), Catch::Contains("too long texts"));
    CHECK(parse_documents("a: &a x\nb: [*a,*a]\n", "the file").value().at(0).at("b").as_array().size() == 2);

    for (const auto& deep : {nested(5000, "[", "]"), nested(5000, "{a: ", "}"), nested(5000, "- ", ""),
                             nested(5000, "? ", ""), nested(300, "[", "]")})
        (void)refused(deep);
    for (const std::string stray : {",", ",x]\nb: ", "a: 1\n---\n,\n"}) {
        INFO(stray);
        CHECK_THAT(refused(stray), Catch::Contains("did not find expected node content"));
    }
    for (const std::string stray : {"]", "}", "--- }\n--- a\n"}) (void)refused(stray);
    (void)refused("a: &a [*a]\nb: *unknown\n");
    (void)parse_documents("&a [*a]\n", "the file");
    (void)refused(std::string("a: \0b", 5) + "\x80\xff: [");
}

TEST_CASE("hostile answers: warnings of any length", "[client][hostile]")
{
    const std::string one = "299 - \"text\"";
    CHECK(parse_warnings(one).size() == 1);
    for (std::size_t size = 0; size < one.size(); ++size) CHECK(parse_warnings(one.substr(0, size)).empty());
    CHECK(parse_warnings("299 - \"" + std::string(1'000'000, 'x') + "\"").at(0).size() <= 1024 + 3);
    CHECK(parse_warnings("299 - \"" + std::string(1'000'001, '\\')).empty());
    CHECK(parse_warnings(std::string(1'000'000, ' ')).empty());
    CHECK(parse_warnings(std::string(1'000'000, ',')).empty());
    CHECK(parse_warnings("299 - \"\x1b[2J\r\nX: y\"").at(0).find_first_of("\x1b\r\n") == std::string::npos);
    std::string many;
    for (int i = 0; i < 10'000; ++i) many += one + ",";
    CHECK(parse_warnings(many).size() == 10'000);
}

TEST_CASE("hostile answers: a log without line breaks, of broken characters, in any pieces", "[client][hostile]")
{
    std::string bytes;
    for (int i = 0; i < 3000; ++i) bytes += static_cast<char>(i * 37 % 256 == '\n' ? 0xc3 : i * 37 % 256);
    for (const std::size_t piece : {1, 2, 3, 5, 7, 64, 3000}) {
        INFO(piece);
        log_lines lines(16);
        log_pieces pieces;
        std::vector<log_line> got;
        std::string whole;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            lines.feed(std::string_view(bytes).substr(at, piece), got);
            whole += pieces.feed(std::string_view(bytes).substr(at, piece));
        }
        lines.finish(false, got);
        whole += pieces.finish();
        CHECK(whole == bytes);
        std::string joined;
        for (const auto& l : got) {
            CHECK(l.text.size() <= 16);
            joined += l.text;
        }
        CHECK(joined == bytes);
    }
}
