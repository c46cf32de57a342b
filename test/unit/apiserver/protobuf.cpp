// Tests of Kubernetes' protobuf form: negotiation, answers, bodies, watches and lists.
#include "request/media.hpp"
#include "support.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/api/detail/protobuf_form.hpp>

using namespace kubecoro;
using namespace kubecoro::apiserver;
using namespace kubecoro::test;
using strings = std::vector<std::string>;

namespace {

constexpr std::string_view protobuf = "application/vnd.kubernetes.protobuf";
const std::string typed = "application/vnd.kubernetes.protobuf,application/json";
const std::string maps = "/api/v1/namespaces/default/configmaps";
const std::string meta = ";g=meta.k8s.io;v=v1";

/// "protobuf partial", or the status code of the refusal.
std::string chosen(std::string_view accept, media_scope scope = {})
{
    const auto media = choose_media(accept, scope);
    if (!media) return std::to_string(media.error().code);
    static const std::map<representation, std::string> names = {{representation::json, ""},
                                                                {representation::table, " table"},
                                                                {representation::partial, " partial"},
                                                                {representation::partial_list, " partial_list"}};
    return (media->form == answer_form::protobuf ? "protobuf" : "json") + names.at(media->as);
}

server::headers accept(std::string_view types) { return {{"Accept", std::string(types)}}; }
server::headers in_protobuf() { return {{"Accept", typed}, {"Content-Type", std::string(protobuf)}}; }

std::string encoded(std::string_view text)
{
    const auto made = detail::to_protobuf(json::parse(json::string_view(text.data(), text.size())));
    REQUIRE(made.has_value());
    return *made;
}

json::value decoded(const http_response& r)
{
    REQUIRE(r.header("content-type") == protobuf);
    const auto read = decode_object(r.body, {}, {}, wire_form::protobuf);
    REQUIRE(read.has_value());
    return read->root().to_json();
}

std::vector<watch_event> events(watch_output out)
{
    detail::watch_decoder decoder({}, {}, {}, wire_form::protobuf);
    std::vector<watch_event> all;
    for (const auto& frame : out.lines) REQUIRE(decoder.feed(*frame, all).has_value());
    REQUIRE(decoder.finish().has_value());
    return all;
}

strings brief(const std::vector<watch_event>& all)
{
    static const strings names = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR", "?"};
    strings out;
    for (const auto& e : all)
        out.push_back(names[static_cast<std::size_t>(e.type)] + " " + std::string(e.obj.name()) + "@" +
                      std::string(e.obj.resource_version()));
    return out;
}

std::unique_ptr<watch_body> watch(server& s, std::string target, std::string_view types = protobuf)
{
    auto r = s.ask("GET", std::move(target), {}, accept(types));
    REQUIRE(r.status == 200);
    REQUIRE(r.header("content-type") == "application/vnd.kubernetes.protobuf;stream=watch");
    REQUIRE(r.watch);
    return std::move(r.watch);
}

std::string bytes_of_hex(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i + 1 < text.size(); i += 3)
        out += static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16));
    return out;
}

void add_widgets(server& s)
{
    s.expect(201, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
             R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
                 "metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
                 "names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,
                 "schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})");
    s.expect(201, "POST", "/apis/example.com/v1/namespaces/default/widgets",
             R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"}})");
}

const std::string widgets = "/apis/example.com/v1/namespaces/default/widgets";

} // namespace

TEST_CASE("media: the first clause that can be served decides", "[apiserver][protobuf]")
{
    CHECK(chosen("") == "json");
    CHECK(chosen("*/*") == "json");
    CHECK(chosen("application/*") == "406");
    CHECK(chosen(protobuf) == "protobuf");
    CHECK(chosen(typed) == "protobuf");
    CHECK(chosen("application/json," + std::string(protobuf)) == "json");
    CHECK(chosen("text/html, " + typed) == "protobuf");
    CHECK(chosen("*/*, " + std::string(protobuf)) == "protobuf");
    CHECK(chosen("application/json;q=0.8, " + std::string(protobuf) + ";q=0.9") == "protobuf");
    CHECK(chosen(std::string(protobuf) + ";q=0.1, */*") == "json");
    CHECK(chosen("application/cbor") == "406");
    CHECK(chosen("text/html") == "406");
    CHECK(chosen(std::string(protobuf) + ";stream=watch", {false, true}) == "protobuf");
    CHECK(chosen(std::string(protobuf) + ";stream=other") == "406");
}

TEST_CASE("media: protobuf has no tables, and has metadata of everything", "[apiserver][protobuf]")
{
    const std::string type(protobuf);
    CHECK(chosen(type + ";as=Table" + meta) == "406");
    CHECK(chosen(type + ";as=Table" + meta + ",application/json;as=Table" + meta) == "json table");
    CHECK(chosen(type + ";as=Table" + meta + "," + type) == "protobuf");
    CHECK(chosen(type + ";as=PartialObjectMetadata" + meta) == "protobuf partial");
    CHECK(chosen(type + ";as=PartialObjectMetadataList" + meta, {true, false}) == "protobuf partial_list");
    CHECK(chosen("*/*;as=Table" + meta) == "json table");
    CHECK(chosen(typed, {true, false}) == "json");
    CHECK(chosen(type, {true, false}) == "406");
}

TEST_CASE("media: a Status has the form of the first plain clause", "[apiserver][protobuf]")
{
    const std::string type(protobuf);
    CHECK(choose_plain_form("") == answer_form::json);
    CHECK(choose_plain_form(typed) == answer_form::protobuf);
    CHECK(choose_plain_form("application/json," + type) == answer_form::json);
    CHECK(choose_plain_form(type + ";as=PartialObjectMetadata" + meta) == answer_form::json);
    CHECK(choose_plain_form("text/html") == answer_form::json);
}

TEST_CASE("protobuf: objects are encoded as captured", "[apiserver][protobuf]")
{
    const auto object = encoded(load_capture("media/get-no-accept-header").body);
    const auto expected = bytes_of_hex(load_capture("media/get-protobuf").body);
    REQUIRE(expected.size() == 160);
    CHECK(object.substr(0, expected.size()) == expected);
    CHECK(object.size() == 252);
    const auto refused = load_capture("crd/list-protobuf-406").body;
    CHECK(encoded(decode_object(refused, {}, {}, wire_form::protobuf).value().to_text()) == refused);
}

TEST_CASE("protobuf: one object and a list", "[apiserver][protobuf]")
{
    server s;
    s.add_config_map("default", "a", R"("labels":{"x":"y"})");
    s.add_config_map("default", "b");
    CHECK(decoded(s.ask("GET", maps + "/a", {}, accept(typed))) == s.expect(200, "GET", maps + "/a"));
    const auto check_list = [&](const std::string& query) {
        const auto r = s.ask("GET", maps + query, {}, accept(typed));
        REQUIRE(r.header("content-type") == protobuf);
        const auto expected = s.ask("GET", maps + query).body;
        CHECK(r.body == encoded(expected));
        detail::list_decoder decoder({}, {}, {}, wire_form::protobuf);
        REQUIRE(decoder.feed(r.body).has_value());
        return decoder.finish().value();
    };
    CHECK(check_list("").items.size() == 2);
    CHECK(check_list("").items.size() == 2); // with sizes that are known
    const auto first = check_list("?limit=1");
    CHECK(first.items.size() == 1);
    CHECK(first.remaining == 1);
    CHECK(check_list("?labelSelector=none").items.empty());
    s.patch(maps + "/a", R"({"data":{"longer":"than before"}})");
    CHECK(check_list("").items[0].root()["data"]["longer"].as_string() == "than before");
}

TEST_CASE("protobuf: a long list is encoded while it is sent", "[apiserver][protobuf]")
{
    server s;
    for (int i = 0; i < 40; ++i)
        s.expect(201, "POST", maps,
                 R"({"metadata":{"name":"m)" + std::to_string(i) + R"("},"data":{"k":")" + std::string(20'000, 'x') +
                     "\"}}");
    http_request r;
    r.method = "GET";
    r.target = maps;
    r.headers = {{"Accept", typed}, {"Authorization", "Bearer admin"}};
    auto answered = s.handler.handle(r, s.now);
    CHECK(answered.body.size() < 400'000);
    REQUIRE(answered.rest);
    s.expect(200, "DELETE", maps + "/m7"); // The list is that of the moment of the request.
    answered.complete_body();
    detail::list_decoder decoder({}, {}, {}, wire_form::protobuf);
    REQUIRE(decoder.feed(answered.body).has_value());
    CHECK(decoder.finish().value().items.size() == 40);
}

TEST_CASE("protobuf: metadata only", "[apiserver][protobuf]")
{
    server s;
    s.add_config_map("default", "a");
    add_widgets(s);
    const std::string one = std::string(protobuf) + ";as=PartialObjectMetadata" + meta;
    const std::string many = std::string(protobuf) + ";as=PartialObjectMetadataList" + meta;
    for (const auto& [path, name] : {std::pair{maps, "/a"}, std::pair{widgets, "/w"}}) {
        const auto object = decoded(s.ask("GET", path + name, {}, accept(one)));
        CHECK(object.at("kind") == "PartialObjectMetadata");
        CHECK(object.at("metadata").at("name") == name + 1);
        CHECK_FALSE(object.as_object().contains("data"));
        const auto list = s.ask("GET", path, {}, accept(many));
        REQUIRE(list.header("content-type") == protobuf);
        detail::list_decoder decoder({}, {}, {}, wire_form::protobuf);
        REQUIRE(decoder.feed(list.body).has_value());
        CHECK(decoder.finish().value().kind == "PartialObjectMetadataList");
    }
    auto stream = watch(s, widgets + "?watch=1", one);
    const auto got = events(stream->next(s.now));
    REQUIRE(got.size() == 1);
    CHECK(got[0].obj.kind() == "PartialObjectMetadata");
}

TEST_CASE("protobuf: custom resources have none", "[apiserver][protobuf]")
{
    server s;
    add_widgets(s);
    CHECK(s.ask("GET", widgets, {}, accept(typed)).header("content-type") == json_type);
    CHECK(s.ask("GET", widgets + "/w", {}, accept(typed)).header("content-type") == json_type);
    const auto refused = s.ask("GET", widgets, {}, accept(protobuf));
    CHECK(refused.status == 406);
    CHECK(refused.header("content-type") == protobuf);
    CHECK(refused.body == load_capture("crd/list-protobuf-406").body);
    // A write whose answer cannot be given is not performed.
    CHECK(s.ask("DELETE", widgets + "/w", {}, accept(protobuf)).status == 406);
    const auto sent = s.ask("POST", widgets, encoded(R"({"apiVersion":"v1","kind":"ConfigMap"})"), in_protobuf());
    CHECK(sent.status == 415);
    CHECK(s.ask("GET", widgets + "/w").status == 200);
    // The options of a deletion are of no resource.
    const auto options = encoded(R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"other"}})");
    CHECK(s.ask("DELETE", widgets + "/w", options, in_protobuf()).status == 409);
}

TEST_CASE("protobuf: errors have the form of the answer", "[apiserver][protobuf]")
{
    server s;
    const auto missing = s.ask("GET", maps + "/none", {}, accept(typed));
    CHECK(missing.status == 404);
    const auto status = decoded(missing);
    CHECK(status.at("reason") == "NotFound");
    CHECK(status.at("details").at("name") == "none");
    CHECK(s.ask("GET", maps + "/none", {}, accept("application/json," + typed)).header("content-type") == json_type);
    CHECK(decoded(s.ask("GET", "/api/v1/bogus", {}, accept(typed))).at("code") == 404);
    CHECK(decoded(s.ask("PUT", maps, {}, accept(typed))).at("code") == 405);
    s.token = "bob";
    CHECK(decoded(s.ask("GET", maps, {}, accept(typed))).at("reason") == "Forbidden");
    s.token = "nobody";
    CHECK(decoded(s.ask("GET", maps, {}, accept(typed))).at("reason") == "Unauthorized");
    s.token = "admin";
    CHECK(s.ask("GET", "/apis/none/v1/x", {}, accept(typed)).header("content-type") == "text/plain; charset=utf-8");
}

TEST_CASE("protobuf: bodies of requests", "[apiserver][protobuf]")
{
    server s;
    const auto made = s.ask("POST", maps + "?fieldValidation=Strict&fieldManager=kubectl-create",
                            encoded(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"v"},
                                        "binaryData":{"b":"AAEC"}})"),
                            in_protobuf());
    CHECK(made.status == 201);
    auto object = decoded(made);
    CHECK(object == s.expect(200, "GET", maps + "/a"));
    CHECK(object.at("binaryData").at("b") == "AAEC");

    object.at("data").as_object()["k"] = "changed";
    CHECK(s.ask("PUT", maps + "/a", encoded(json::serialize(object)), in_protobuf()).status == 200);
    CHECK(s.expect(200, "GET", maps + "/a").at("data").at("k") == "changed");
    CHECK(s.ask("PUT", maps + "/a", encoded(json::serialize(object)), in_protobuf()).status == 409);

    const auto merged = s.ask("PATCH", maps + "/a", R"({"data":{"k":"patched"}})",
                              {{"Accept", typed}, {"Content-Type", std::string(test::merge_type)}});
    CHECK(decoded(merged).at("data").at("k") == "patched");

    const auto options = [](std::string_view uid) {
        return encoded(R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":")" + std::string(uid) +
                       "\"}}");
    };
    CHECK(s.ask("DELETE", maps + "/a", options("other"), in_protobuf()).status == 409);
    const auto uid = object.at("metadata").at("uid").as_string();
    const auto gone = s.ask("DELETE", maps + "/a", options(uid), in_protobuf());
    CHECK(gone.status == 200);
    CHECK(decoded(gone).at("status") == "Success");
}

TEST_CASE("protobuf: every kind that kubectl creates", "[apiserver][protobuf]")
{
    server s;
    const auto create = [&](const std::string& path, const std::string& text) {
        const auto r = s.ask("POST", path + "?fieldValidation=Strict", encoded(text), in_protobuf());
        INFO(text);
        CHECK(r.status == 201);
        return decoded(r);
    };
    const std::string pod = R"({"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":)";
    const std::string containers = R"(,"containers":[{"name":"c","image":"i"}]}})";
    const std::string in_default = "/api/v1/namespaces/default/";
    const std::string apps = "/apis/apps/v1/namespaces/default/";
    create("/api/v1/namespaces", R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"n"}})");
    create(in_default + "secrets",
           R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"n"},"data":{"a":"Yg=="}})");
    create(in_default + "serviceaccounts", R"({"kind":"ServiceAccount","apiVersion":"v1","metadata":{"name":"n"}})");
    create(in_default + "services", R"({"kind":"Service","apiVersion":"v1","metadata":{"name":"n"},
        "spec":{"ports":[{"name":"80-80","port":80,"targetPort":80}],"selector":{"a":"b"}}})");
    const auto deployment =
        create(apps + "deployments", R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"n"},
        "spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}},"template":)" +
                                         pod + "\"Always\"" + containers + "}}");
    CHECK(deployment.at("spec").at("replicas") == 1);
    create("/apis/batch/v1/namespaces/default/jobs", R"({"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"n"},
        "spec":{"template":)" + pod + "\"Never\"" + containers +
                                                         "}}");
    create("/apis/batch/v1/namespaces/default/cronjobs", R"({"kind":"CronJob","apiVersion":"batch/v1",
        "metadata":{"name":"n"},"spec":{"schedule":"@daily","jobTemplate":{"spec":{"template":)" +
                                                             pod + "\"Never\"" + containers + "}}}}");
    create("/apis/coordination.k8s.io/v1/namespaces/default/leases",
           R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1",
        "metadata":{"name":"n"},"spec":{"holderIdentity":"me","leaseDurationSeconds":15,
        "renewTime":"2026-11-21T06:00:00.000001Z"}})");

    auto scale = decoded(s.ask("GET", apps + "deployments/n/scale", {}, accept(typed)));
    CHECK(scale.at("kind") == "Scale");
    scale.at("spec").as_object()["replicas"] = 4;
    CHECK(decoded(s.ask("PUT", apps + "deployments/n/scale", encoded(json::serialize(scale)), in_protobuf()))
              .at("spec")
              .at("replicas") == 4);
}

TEST_CASE("protobuf: damaged and hostile bodies are refused", "[apiserver][protobuf]")
{
    server s;
    const auto refused = [&](std::string_view path, const std::string& body) {
        const auto r = s.ask("POST", std::string(path), body, in_protobuf());
        INFO(r.body.substr(0, 300));
        REQUIRE(r.status == 400);
        return std::string(decoded(r).at("message").as_string());
    };
    CHECK(refused(maps, "{}") ==
          "the object provided is unrecognized (must be of type ConfigMap): provided data does not "
          "appear to be a protobuf message, expected prefix [107 56 115 0] (7b7d)");
    CHECK(refused(maps, "").find("(<empty>)") != std::string::npos);
    const auto good = encoded(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"v"}})");
    for (std::size_t size = 0; size + 4 < good.size(); ++size)
        CHECK(s.ask("POST", maps, good.substr(0, size), in_protobuf()).status / 100 == 4);
    CHECK(refused(maps, encoded(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})"))
              .find("cannot be handled") != std::string::npos);
    CHECK(refused(maps, detail::protobuf_envelope("example.com/v1", "Widget", "")).find("without a schema") !=
          std::string::npos);
    // Four bytes a container, and twelve in JSON.
    std::string spec;
    for (int i = 0; i < 300'000; ++i) spec.append("\x12\x02\x0a\x00", 4);
    std::string message("\x12\x80\x9f\x49", 4);
    CHECK(refused("/api/v1/namespaces/default/pods", detail::protobuf_envelope("v1", "Pod", message + spec))
              .find("larger than") != std::string::npos);
    CHECK(s.ask("POST", maps, std::string(max_body_bytes + 1, 'k'), in_protobuf()).status == 413);
    CHECK(s.ask("POST", maps, good, {{"Content-Type", "text/plain"}}).status == 415);
    CHECK(s.ask("PATCH", maps + "/a", good, in_protobuf()).status == 415);
}

TEST_CASE("protobuf: an object that has no protobuf form is not stored", "[apiserver][protobuf]")
{
    server s;
    const auto r = s.ask("POST", "/api/v1/namespaces/default/pods",
                         R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":5}]}})");
    CHECK(r.status == 400);
    CHECK(json::parse(r.body).at("message") == "Pod in version \"v1\" cannot be handled as a Pod: json: "
                                               "spec.containers[0].image: expected a string, got a number");
}

TEST_CASE("protobuf: watches send frames", "[apiserver][protobuf][watch]")
{
    server s;
    s.add_config_map("default", "a");
    auto stream = watch(s, maps + "?watch=1&allowWatchBookmarks=true&resourceVersion=4");
    CHECK(brief(events(stream->next(s.now))) == strings{"ADDED a@5"});
    s.patch(maps + "/a", R"({"data":{"x":"1"}})");
    s.expect(200, "DELETE", maps + "/a");
    const auto changes = events(stream->next(s.now));
    CHECK(brief(changes) == strings{"MODIFIED a@6", "DELETED a@7"});
    CHECK(changes[0].obj.root()["data"]["x"].as_string() == "1");
    s.add_config_map("kube-system", "elsewhere");
    s.now += std::chrono::minutes{2};
    CHECK(brief(events(stream->next(s.now))) == strings{"BOOKMARK @8"});
}

TEST_CASE("protobuf: watchers share the bytes of an event", "[apiserver][protobuf][watch]")
{
    server s;
    auto first = watch(s, maps + "?watch=1&resourceVersion=4");
    auto second = watch(s, "/api/v1/configmaps?watch=1&resourceVersion=4", typed);
    auto in_json = s.watch(maps + "?watch=1&resourceVersion=4");
    s.add_config_map("default", "a");
    const auto one = first->next(s.now);
    const auto other = second->next(s.now);
    REQUIRE(one.lines.size() == 1);
    CHECK(one.lines[0] == other.lines.at(0));
    CHECK(in_json->next(s.now).lines.at(0)->front() == '{');
}

TEST_CASE("protobuf: streamed lists and their bookmarks", "[apiserver][protobuf][watch]")
{
    server s;
    s.add_config_map("default", "a");
    const std::string streamed = "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
                                 "allowWatchBookmarks=true";
    auto stream = watch(s, maps + streamed);
    const auto got = events(stream->next(s.now));
    CHECK(brief(got) == strings{"ADDED a@5", "BOOKMARK @5"});
    CHECK(got[1].ends_initial_events());
    for (const auto* path : {"/api/v1/pods", "/apis/apps/v1/deployments", "/api/v1/nodes"}) {
        auto empty = watch(s, path + streamed);
        const auto mark = events(empty->next(s.now));
        REQUIRE(mark.size() == 1);
        CHECK(mark[0].ends_initial_events());
    }
}

TEST_CASE("protobuf: a watch at a version that is gone gets an ERROR", "[apiserver][protobuf][watch]")
{
    server s;
    s.add_config_map("default", "a");
    s.state.compact();
    auto stream = watch(s, maps + "?watch=1&resourceVersion=1");
    const auto got = events(stream->next(s.now));
    REQUIRE(got.size() == 1);
    CHECK(got[0].type == watch_event_type::error);
    CHECK(got[0].status->code == 410);
}

TEST_CASE("protobuf: an object has the same content in both forms", "[apiserver][protobuf]")
{
    server s;
    const std::string pods = "/api/v1/namespaces/default/pods";
    s.expect(201, "POST", pods, R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","finalizers":[]},
        "spec":{"volumes":[],"containers":[{"name":"c","image":"i","env":[],"resources":{"limits":{}}}]}})");
    s.expect(200, "PATCH", pods + "/a/status",
             R"({"status":{"conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[]}})",
             {{"Content-Type", "application/merge-patch+json"}});
    const auto in_json = object::parse(s.ask("GET", pods + "/a").body);
    const auto in_protobuf =
        decode_object(s.ask("GET", pods + "/a", {}, accept(typed)).body, {}, {}, wire_form::protobuf);
    REQUIRE(in_json);
    REQUIRE(in_protobuf);
    CHECK(in_json->root() == in_protobuf->root());
    CHECK_FALSE((*in_json)["spec"]["volumes"]);
    CHECK((*in_json)["status"]["conditions"].to_text().find(R"("lastProbeTime":null)") != std::string::npos);
}

TEST_CASE("protobuf: an update is compared with what is stored in the form in which it will be stored",
          "[apiserver][protobuf]")
{
    server s;
    const std::string pods = "/api/v1/namespaces/default/pods";
    const std::string pod = R"({"metadata":{"name":"a"},"spec":{"nodeSelector":{},"containers":[{"name":"c","image":"i",
        "command":[],"resources":{"limits":{"memory":1024}}}]}})";
    const auto created = s.expect(201, "POST", pods, pod);
    const auto updated = s.expect(200, "PUT", pods + "/a", pod);
    CHECK(updated.at("metadata").at("resourceVersion") == created.at("metadata").at("resourceVersion"));
}
