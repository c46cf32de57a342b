// Tests of texts that are not UTF-8: stored objects and answers are JSON whatever a request holds.
#include "support.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string maps = "/api/v1/namespaces/default/configmaps";
const std::string events = "/api/v1/namespaces/default/events";
const std::string crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const std::string things = "/apis/example.com/v1/namespaces/default/things";
const std::string replacement = "\xef\xbf\xbd";

const std::string things_crd =
    R"({"metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":)"
    R"("things","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)"
    R"({"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})";

std::string text(const json::value& v) { return std::string(v.as_string()); }

std::string manager_of(const json::value& object)
{
    return text(object.at_pointer("/metadata/managedFields/0/manager"));
}

/// The manager of an object that a program with this User-Agent creates.
std::string manager_by(const std::string& agent)
{
    server s;
    return manager_of(
        s.expect(201, "POST", maps, R"({"metadata":{"name":"a"},"data":{"k":"v"}})", {{"User-Agent", agent}}));
}

const server::headers yaml{{"Content-Type", "application/yaml"}};

} // namespace

TEST_CASE("utf8: bytes of a manager that are not UTF-8 are stored as U+FFFD", "[apiserver][utf8]")
{
    server s;
    const auto made =
        s.expect(201, "POST", maps + "?fieldManager=a%FFb", R"({"metadata":{"name":"a"},"data":{"k":"0"}})");
    CHECK(manager_of(made) == "a" + replacement + "b");
    s.expect(200, "PUT", maps + "/a", R"({"metadata":{"name":"a"},"data":{"k":"v"}})");
    s.expect(201, "PATCH", maps + "/b?fieldManager=%FF",
             R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"b"},"data":{"k":"v"}})",
             {{"Content-Type", "application/apply-patch+yaml"}});
    const auto table = std::string("application/json;as=Table;v=v1;g=meta.k8s.io");
    const auto listed = s.expect(200, "GET", maps, {}, {{"Accept", table}});
    CHECK(listed.at("rows").as_array().size() == 2);
    auto watching = s.ask("GET", maps + "?watch=1", {}, {{"Accept", table}});
    REQUIRE(watching.watch);
    CHECK(lines(watching.watch->next(s.now)).size() == 2);
    const auto saved = s.state.dump();
    CHECK(s.state.restore(saved, s.now));
    s.expect(200, "DELETE", maps + "/a?propagationPolicy=Foreground");
    s.expect(200, "DELETE", maps + "/b?propagationPolicy=Orphan");
    s.expect(201, "POST", crds + "?fieldManager=%FF", things_crd);
    s.expect(200, "GET", things);
}

TEST_CASE("utf8: an event of such a manager is in both groups", "[apiserver][utf8]")
{
    server s;
    s.expect(201, "POST", events + "?fieldManager=%FF",
             R"({"metadata":{"name":"e"},"involvedObject":{"kind":"Pod","name":"p","namespace":"default"}})");
    CHECK(manager_of(s.expect(200, "GET", "/apis/events.k8s.io/v1/namespaces/default/events/e")) == replacement);
}

TEST_CASE("utf8: a program's name is shortened to 128 bytes in whole characters", "[apiserver][utf8]")
{
    CHECK(manager_by("\xff/1.0") == replacement);
    CHECK(manager_by("caf\xc3\xa9 shop/1.0") == "caf\xc3\xa9 shop");
    CHECK(manager_by(std::string(127, 'a') + "\xc3\xa9/1.0") == std::string(127, 'a'));
    CHECK(manager_by(std::string(126, 'a') + "\xc3\xa9/1.0") == std::string(126, 'a') + "\xc3\xa9");
    CHECK(manager_by(std::string(200, '\xff')).size() == 126);
    CHECK(manager_by("a\tb/1.0") == "ab");
    CHECK(manager_by("\t\t" + std::string(126, 'a') + "\xc3\xa9/1.0") == std::string(126, 'a') + "\xc3\xa9");
}

TEST_CASE("utf8: the members and duplicates of a body that is not UTF-8 are found all the same", "[apiserver][utf8]")
{
    server s;
    std::string members;
    for (int i = 0; i < 10'010; ++i) members += ",\"k" + std::to_string(i) + "\":\"\"";
    const auto many =
        s.expect(400, "POST", maps, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"\xff\"" + members + "}}");
    CHECK(text(many.at("message")).find("an object has too many members") != std::string::npos);
    const auto twice = s.ask("POST", maps, "{\"metadata\":{\"name\":\"b\"},\"data\":{\"k\":\"\xff\",\"k\":\"\"}}");
    CHECK(twice.status == 201);
    CHECK(twice.header("warning") == R"(299 - "duplicate field \"data.k\"")");
}

TEST_CASE("utf8: a body in YAML that is not UTF-8 is refused", "[apiserver][utf8]")
{
    server s;
    s.expect(201, "POST", crds, things_crd);
    const std::string thing = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t}\n";
    for (const std::string part : {"spec: {a: \"\xff\"}", "spec: {\"\xff\": a}", "spec: [\xc3]"}) {
        const auto refused = s.expect(400, "POST", things, thing + part, yaml);
        CHECK(text(refused.at("message")).find("yaml: line 4: invalid ") != std::string::npos);
    }
    s.expect(400, "POST", maps, "metadata: {name: m}\ndata: {k: \"\xff\"}", yaml);
    s.expect(201, "POST", things, thing + "spec: {a: \"\xc3\xa9\"}", yaml);
    s.expect(400, "PATCH", things + "/t?fieldManager=m", thing + "spec: {a: \"\xff\"}",
             {{"Content-Type", "application/apply-patch+yaml"}});
}

TEST_CASE("utf8: an answer that repeats such bytes is JSON", "[apiserver][utf8]")
{
    server s;
    const auto absent = s.expect(404, "GET", maps + "/%FF");
    CHECK(text(absent.at_pointer("/details/name")) == replacement);
    s.expect(400, "GET", maps + "?labelSelector=%FF%3D%FF%FF%3D");
    s.expect(400, "POST", maps, "\xff");
    const auto self = s.expect(201, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}",
                               {{"Impersonate-User", "\xff"}});
    CHECK(text(self.at_pointer("/status/userInfo/username")) == replacement);
}
