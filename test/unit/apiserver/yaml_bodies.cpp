// Tests of bodies in YAML: their limits, and keys that a map has twice.
#include "support.hpp"

#include "request/media.hpp"

#include <kubecoro/test/allocations.hpp>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string maps = "/api/v1/namespaces/default/configmaps";
const server::headers yaml{{"content-type", "application/yaml"}};

std::string why(const apiserver::http_response& r)
{
    return std::string(json::parse(r.body).at("message").as_string());
}

} // namespace

TEST_CASE("strict: duplicates in YAML are reported with their lines", "[apiserver][strict]")
{
    server s;
    const std::string twice = "metadata:\n  name: a\ndata:\n  k: v\n  k: w\n";
    const auto refused = s.ask("POST", maps + "?fieldValidation=Strict", twice, yaml);
    CHECK(refused.status == 400);
    CHECK(why(refused).ends_with("strict decoding error: line 5: key \"k\" already set in map"));
    const auto warned = s.ask("POST", maps, twice, yaml);
    CHECK(warned.status == 201);
    CHECK(warned.header("warning") == R"(299 - "line 5: key \"k\" already set in map")");
    const auto ignored = s.ask("POST", maps + "?fieldValidation=Ignore", "metadata: {name: b, name: b}", yaml);
    CHECK(ignored.status == 201);
    CHECK(ignored.header("warning").empty());
}

TEST_CASE("yaml bodies: keys twice at any depth, of the first document", "[apiserver][strict]")
{
    server s;
    const auto warnings = [&](const std::string& body) {
        const auto r = s.ask("POST", maps + "?dryRun=All", body, yaml);
        CHECK(r.status == 201);
        std::string all;
        for (const auto& [header, value] : r.headers)
            if (header == "Warning") all += value + ";";
        return all;
    };
    const std::string name = "metadata:\n  name: a\n";
    CHECK(warnings("---\n# a comment\n" + name + "data: {k: v, l: w, k: x}\n---\nk: 1\nk: 2\n") ==
          R"(299 - "line 5: key \"k\" already set in map";)");
    CHECK(warnings(name + "  labels: {a: k, k: a}\ndata: {k: a, a: k}\n").empty());
    CHECK(warnings(name + "  annotations:\n    a: &k k\n    b: *k\n").empty());
    const auto applied =
        s.ask("PATCH", maps + "/m?fieldManager=m&fieldValidation=Strict",
              "apiVersion: v1\nkind: ConfigMap\nkind: ConfigMap\n", {{"content-type", "application/apply-patch+yaml"}});
    CHECK(applied.status == 400);
    CHECK(why(applied).ends_with("line 3: key \"kind\" already set in map"));
}

TEST_CASE("yaml bodies: too many nodes are refused before anything is built of them", "[apiserver][limits]")
{
    server s;
    const auto body = [](int nodes) {
        std::string text = "metadata:\n  name: a\nx: [a";
        for (int i = 1; i < nodes; ++i) text += ",a";
        return text + "]\n";
    };
    CHECK(s.ask("POST", maps, body(1'000), yaml).status == 201);
    const auto refused = s.ask("POST", maps, body(200'000), yaml);
    CHECK(refused.status == 400);
    CHECK(why(refused).find("error converting YAML to JSON: yaml: line 3: too many nodes") != std::string::npos);
    // An alias counts as often as it is used.
    std::string bombs = "a: &a [x,x,x,x,x,x,x,x]\n";
    for (char c = 'b'; c < 'g'; ++c) {
        const std::string of(1, static_cast<char>(c - 1));
        bombs += std::string(1, c) + ": &" + c + " [*" + of;
        for (int i = 0; i < 7; ++i) bombs += ",*" + of;
        bombs += "]\n";
    }
    CHECK(why(s.ask("POST", maps, bombs, yaml)).find("excessive aliasing") != std::string::npos);
}

TEST_CASE("yaml bodies: brackets that are not closed are refused", "[apiserver][limits]")
{
    server s;
    for (const std::string token : {"[", "{", "[a,", "? ", "!t ", "&a ", "\"\" "}) {
        INFO(token);
        std::string body = "[";
        while (body.size() < 3'000'000) body += token;
        const auto refused = s.ask("POST", maps, body, yaml);
        CHECK(refused.status == 400);
        CHECK(why(refused).find("error converting YAML to JSON: yaml: line 1: ") != std::string::npos);
    }
    // The largest config map may hold JSON.
    std::string body = "metadata:\n  name: a\ndata:\n  k: |\n    ";
    for (int i = 0; i < 100'000; ++i) body += R"({"a":"b"})";
    CHECK(s.ask("POST", maps, body + "\n", yaml).status == 201);
}

TEST_CASE("yaml bodies: aliases, merges and tags make the document that they stand for", "[apiserver][strict]")
{
    server s;
    CHECK(s.ask("POST", maps, "metadata: {name: a, labels: *unknown}\n", yaml).status == 400);
    const auto body = s.ask("POST", maps,
                            "---\nmetadata:\n  name: &n a\n  labels: &l {x: \"1\", \"y\": !!str 2}\n"
                            "  annotations: {<<: *l, x: z}\n"
                            "data: {<<: [{k: a, l: b}, {k: c, m: d}], \"n\": *n, o: text}\n",
                            yaml);
    INFO(body.body);
    REQUIRE(body.status == 201);
    const auto map = json::parse(body.body);
    CHECK(json::serialize(map.at_pointer("/metadata/annotations")) == R"({"x":"z","y":"2"})");
    CHECK(json::serialize(map.at("data")) == R"({"k":"a","l":"b","m":"d","n":"a","o":"text"})");
    CHECK(why(s.ask("POST", maps, "metadata: &m {name: b, labels: *m}\n", yaml))
              .find("anchor 'm' value contains itself") != std::string::npos);
    CHECK(why(s.ask("POST", maps, "metadata: {name: b, [a]: b}\n", yaml)).find("invalid map key") != std::string::npos);
}

TEST_CASE("yaml bodies: a front may parse them before the request has its turn", "[apiserver][strict]")
{
    server s;
    apiserver::http_request request{"POST", maps, {{"authorization", "Bearer " + s.token}}};
    request.headers.emplace_back("content-type", "application/yaml");
    CHECK(apiserver::is_called_yaml(request));
    const auto is_parsed = [&](const std::string& body) {
        request.yaml = nullptr;
        request.body = body;
        apiserver::parse_ahead(request);
        return request.yaml != nullptr;
    };
    CHECK(is_parsed("metadata: {name: a}"));
    CHECK(is_parsed("{metadata: {name: a}}"));
    CHECK_FALSE(is_parsed(R"({"metadata":{"name":"a"}})"));
    request.body = "metadata: {name: b, name: parsed}";
    request.yaml = apiserver::parse_yaml_body(request);
    request.body = "metadata: {name: body}";
    const auto r = s.handler.handle(request, s.now);
    CHECK(r.status == 201);
    CHECK(json::parse(r.body).at_pointer("/metadata/name") == "parsed");
    CHECK(r.header("warning") == R"(299 - "line 1: key \"name\" already set in map")");
    request.headers.back().second = "application/json";
    CHECK_FALSE(apiserver::is_called_yaml(request));
}

TEST_CASE("yaml bodies: a body that cannot be parsed for lack of memory is left to the handler", "[apiserver][strict]")
{
    apiserver::http_request request{"POST", maps, {{"content-type", "application/yaml"}}};
    request.body = "metadata: {name: a}";
    unsigned failures = 0;
    for (std::uint64_t nth = 1; !request.yaml; ++nth) {
        fail_allocation(nth);
        apiserver::parse_ahead(request);
        fail_allocation(0);
        if (!request.yaml) ++failures;
    }
    CHECK(failures > 10);
}
