// Tests of the limits per request and client: sizes, patch operations, history, listed errors.
#include "patch/patch.hpp"
#include "schema/defaults.hpp"
#include "schema/kind_validation.hpp"
#include "state/resource_store.hpp"
#include "support.hpp"
#include "text/json_text.hpp"

#include <boost/json.hpp>

#include <algorithm>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string maps = "/api/v1/namespaces/default/configmaps";
const std::string secrets = "/api/v1/namespaces/default/secrets";
const std::string jobs = "/apis/batch/v1/namespaces/default/jobs";

std::string name(int i) { return "member-" + std::to_string(i); }

json::object numbered(int count)
{
    json::object out;
    for (int i = 0; i < count; ++i) out[name(i)] = i;
    return out;
}

std::string why(const apiserver::http_response& r)
{
    return std::string(json::parse(r.body).at("message").as_string());
}

} // namespace

// The following tests would take minutes if the cost of an operation grew with the document.

TEST_CASE("patch cost: merge patches remove many members in linear time", "[apiserver][limits]")
{
    json::value doc{{"data", numbered(400'000)}};
    json::object changes;
    for (int i = 1; i < 400'000; ++i) changes[name(i)] = nullptr;
    changes["new"] = 1;
    apiserver::apply_merge_patch(doc, json::object{{"data", changes}});
    CHECK(json::serialize(doc) == R"({"data":{"member-0":0,"new":1}})");
}

TEST_CASE("patch cost: json patches remove and add members and items one by one", "[apiserver][limits]")
{
    json::array list(1'000'000, json::value(1));
    list.push_back(2);
    json::value doc{{"data", numbered(300'000)}, {"list", list}};
    json::array operations;
    for (int i = 0; i < 3'000; ++i) {
        const std::string path = "/data/" + name(i);
        operations.push_back({{"op", "remove"}, {"path", std::string_view(path)}});
        operations.push_back({{"op", "remove"}, {"path", "/list/0"}});
        operations.push_back({{"op", "add"}, {"path", "/list/1"}, {"value", i}});
    }
    REQUIRE(apiserver::apply_json_patch(doc, operations));
    const auto& members = doc.at("data").as_object();
    CHECK(members.size() == 297'000);
    CHECK(members.begin()->key() == name(3'000));
    const auto& items = doc.at("list").as_array();
    CHECK(items.size() == 1'000'001);
    CHECK(items[1] == 2'999);
    CHECK(items.back() == 2);
}

TEST_CASE("patch cost: strategic lists merge by an index of their keys", "[apiserver][limits]")
{
    const auto containers = [](int first, int count, int image) {
        json::array all;
        for (int i = first; i < first + count; ++i)
            all.push_back({{"name", std::string_view(name(i))}, {"image", image}});
        return all;
    };
    json::array order, doomed, finalizers, gone, kept;
    for (int i = 100'000; i-- > 0;) {
        order.push_back(json::object{{"name", std::string_view(name(i))}});
        finalizers.push_back(json::value(std::string_view(name(i))));
        if (i % 2 == 0) gone.push_back(json::value(std::string_view(name(i))));
        if (i < 50'000) kept.push_back(json::value(std::string_view(name(i))));
    }
    json::object doc{{"metadata", {{"finalizers", finalizers}, {"labels", numbered(100'000)}}},
                     {"spec", {{"containers", containers(0, 100'000, 1)}}}};
    const auto apply = [&](const json::object& change) {
        return apiserver::apply_strategic_merge(doc, change, "v1", "Pod");
    };
    json::array patch = containers(0, 100'000, 2);
    std::ranges::reverse(patch);
    for (int i = 1; i < 100'000; i += 2) patch[static_cast<std::size_t>(i)].as_object()["$patch"] = "delete";
    REQUIRE_FALSE(apply({{"metadata", {{"finalizers", finalizers}, {"labels", {{"$retainKeys", kept}}}}},
                         {"spec", {{"containers", patch}, {"$setElementOrder/containers", order}}}}));
    const auto& merged = doc.at("spec").at("containers").as_array();
    REQUIRE(merged.size() == 50'000);
    CHECK(json::serialize(merged.front()) == R"({"name":"member-99999","image":2})");
    CHECK(json::serialize(merged.back()) == R"({"name":"member-1","image":2})");
    const auto& metadata = doc.at("metadata");
    CHECK(metadata.at("finalizers").as_array().size() == 100'000);
    CHECK(metadata.at("labels").as_object().size() == 50'000);
    REQUIRE_FALSE(apply({{"metadata", {{"$deleteFromPrimitiveList/finalizers", gone}}}}));
    CHECK(metadata.at("finalizers").as_array().size() == 50'000);
}

TEST_CASE("patch: list edits match those of a plain list", "[apiserver][patch]")
{
    // Compares with a plain list, while pieces are split and emptied.
    json::array plain;
    json::value doc = json::array{};
    std::uint64_t state = 7;
    const auto draw = [&](std::size_t bound) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::size_t>(state >> 33) % bound;
    };
    for (int round = 0; round < 40; ++round) {
        json::array operations;
        for (int i = 0; i < 250; ++i) {
            const bool grow = plain.empty() || draw(100) < (round < 25 ? 80u : 20u);
            const std::size_t at = grow ? draw(plain.size() + 1) : draw(plain.size());
            const std::string path = "/" + std::to_string(at);
            if (grow) {
                operations.push_back({{"op", "add"}, {"path", std::string_view(path)}, {"value", round * 1000 + i}});
                plain.insert(plain.begin() + static_cast<std::ptrdiff_t>(at), json::value(round * 1000 + i));
            } else {
                operations.push_back({{"op", "test"}, {"path", std::string_view(path)}, {"value", plain[at]}});
                operations.push_back({{"op", "remove"}, {"path", std::string_view(path)}});
                plain.erase(plain.begin() + static_cast<std::ptrdiff_t>(at));
            }
        }
        operations.push_back({{"op", "test"}, {"path", ""}, {"value", plain}});
        REQUIRE(apiserver::apply_json_patch(doc, operations));
        REQUIRE(doc == json::value(plain));
    }
    CHECK(plain.size() > 1'000);
}

TEST_CASE("limits: defaults of lists are bounded by what can be stored", "[apiserver][limits]")
{
    server s;
    const auto pod = [](const std::string& item, int count) {
        std::string text = R"({"metadata":{"name":"p"},"spec":{"containers":[)";
        for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + item;
        return text + "]}}";
    };
    const auto store = s.state.find("pods");
    const auto size_with_defaults = [&](const std::string& text) {
        auto body = json::parse(text);
        apiserver::apply_defaults(store->info, body, true, false);
        return json::serialize(body).size() - text.size();
    };
    // 15 MB of defaults for each 100,000 containers, without the bound.
    CHECK(size_with_defaults(pod("{}", 1'000'000)) < 35'000'000);
    CHECK(size_with_defaults(pod(R"({"ports":[{},{}]})", 100'000)) > 10'000'000);
    CHECK(s.ask("POST", "/api/v1/namespaces/default/pods", pod("{}", 1'000'000)).status == 422);
}

TEST_CASE("limits: data is measured decoded", "[apiserver][limits]")
{
    server s;
    // 1.2 MB of base64 are 900 KB of data.
    const std::string text = R"({"metadata":{"name":"s"},"data":{"k":")" + std::string(1'200'000, 'A') + R"("}})";
    s.expect(201, "POST", secrets, text);
    s.expect(201, "POST", maps,
             R"({"metadata":{"name":"b"},"binaryData":{"k":")" + std::string(1'200'000, 'A') + R"("}})");
    const auto over =
        s.ask("POST", secrets, R"({"metadata":{"name":"t"},"data":{"k":")" + std::string(1'398'104, 'A') + R"("}})");
    CHECK(over.status == 422);
    CHECK(why(over) == R"(Secret "t" is invalid: data: Too long: may not be more than 1048576 bytes)");
    // Six bytes of escaped JSON are one byte in etcd.
    s.expect(201, "POST", maps, R"({"metadata":{"name":"h"},"data":{"k":")" + std::string(1'000'000, '<') + R"("}})");
    for (const std::string bad : {"AAA", "A=AA", "AA=A", "AAAA=", "A\\u0021AA", "====", "AA==AA=="}) {
        INFO(bad);
        const auto refused = s.ask("POST", secrets, R"({"metadata":{"name":"u"},"data":{"k":")" + bad + R"("}})");
        CHECK(refused.status == 400);
        CHECK(why(refused).find("illegal base64 data at input byte ") != std::string::npos);
    }
    for (const std::string good : {"", "AA==", "AAA=", "AAAA", "AA\\nAA"})
        s.expect(200, "PUT", secrets + "/s", R"({"metadata":{"name":"s"},"data":{"k":")" + good + R"("}})");
}

TEST_CASE("limits: an object too large for etcd is refused with etcd's error", "[apiserver][limits]")
{
    server s;
    const std::string pods = "/api/v1/namespaces/default/pods";
    const auto pod = [](std::size_t size) {
        return R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","args":[")" +
               std::string(size, 'x') + R"("]}]}})";
    };
    const auto refused = s.ask("POST", pods, pod(1'600'000));
    CHECK(refused.status == 500);
    CHECK(why(refused) == "etcdserver: request is too large");
    s.expect(201, "POST", pods, pod(1'500'000));
    CHECK(s.ask("POST", pods, std::string(3'145'729, ' ')).status == 413);
}

TEST_CASE("limits: the history is bounded in bytes, per resource and in total", "[apiserver][limits]")
{
    const auto update = [](server& s, const std::string& at, int i) {
        s.patch(at, R"({"metadata":{"annotations":{"i":")" + std::to_string(i) + R"("}}})");
    };
    const std::string large = R"(,"data":{"k":")" + std::string(100'000, 'A') + R"("}})";
    SECTION("of one resource")
    {
        server s({.history_bytes = 2'000'000});
        s.expect(201, "POST", maps, R"({"metadata":{"name":"big"})" + large);
        const auto begin = s.state.resource_version();
        for (int i = 0; i < 100; ++i) update(s, maps + "/big", i);
        const auto store = s.state.find("configmaps");
        CHECK(store->history_bytes() <= 1'000'000);
        CHECK(store->end_sequence() - store->first_sequence() >= 3);
        CHECK(lines(s.watch(maps + "?watch=1&resourceVersion=" + std::to_string(begin))->next(s.now))
                  .at(0)
                  .find(R"("code":410)") != std::string::npos);
        CHECK(s.ask("GET", maps + "?resourceVersionMatch=Exact&resourceVersion=" + std::to_string(begin)).status ==
              410);
    }
    SECTION("of all resources: the largest history is trimmed")
    {
        server s({.history_bytes = 2'000'000});
        s.expect(201, "POST", "/api/v1/namespaces/default/serviceaccounts", R"({"metadata":{"name":"small"}})");
        s.expect(201, "POST", maps, R"({"metadata":{"name":"big"})" + large);
        s.expect(201, "POST", secrets, R"({"metadata":{"name":"big"})" + large);
        for (int i = 0; i < 60; ++i) {
            update(s, maps + "/big", i);
            update(s, secrets + "/big", i);
        }
        const auto bytes = [&](std::string_view of) { return s.state.find(of)->history_bytes(); };
        CHECK(bytes("configmaps") + bytes("secrets") + bytes("serviceaccounts") <= 2'000'000);
        CHECK(bytes("configmaps") > 500'000);
        CHECK(bytes("secrets") > 500'000);
        CHECK(s.state.find("serviceaccounts")->floor() < 10);
    }
    SECTION("one change is kept regardless of its size")
    {
        server s({.history_bytes = 500'000});
        s.expect(201, "POST", maps, R"({"metadata":{"name":"big"})" + large);
        const auto begin = s.state.resource_version();
        auto watch = s.watch(maps + "?watch=1&resourceVersion=" + std::to_string(begin));
        update(s, maps + "/big", 1);
        CHECK(brief(lines(watch->next(s.now))).size() == 1);
    }
}

TEST_CASE("strict: duplicate fields at any depth and fields unknown to a schema are reported", "[apiserver][strict]")
{
    server s;
    const auto strict = [&](const std::string& at, const std::string& body) {
        const auto r = s.ask("POST", at + "?fieldValidation=Strict", body);
        CHECK(r.status == 400);
        const auto message = why(r);
        return message.substr(std::min(message.size(), message.find("strict decoding error: ")));
    };
    CHECK(strict(maps, R"({"metadata":{"name":"d"},"data":{"k":"1","\u006b":"2"}})") ==
          R"(strict decoding error: duplicate field "data.k")");
    CHECK(strict("/api/v1/namespaces/default/pods",
                 R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"i"},)"
                 R"({"name":"b","image":"i","env":[{"name":"x","name":"y"}],"image":"j"}]}})") ==
          R"(strict decoding error: duplicate field "spec.containers[1].env[0].name", duplicate field )"
          R"("spec.containers[1].image")");
    CHECK(strict(maps,
                 R"({"metadata":{"name":"d","ownerReferences":[{"apiVersion":"v1","kind":"A","name":"a","uid":"u",)"
                 R"("bogus":1}]}})") == R"(strict decoding error: unknown field "metadata.ownerReferences[0].bogus")");
    const auto warned = s.ask("POST", maps, R"({"metadata":{"name":"w"},"data":{"k":"1","k":"2"}})");
    CHECK(warned.status == 201);
    CHECK(warned.header("warning") == R"(299 - "duplicate field \"data.k\"")");
    CHECK(s.ask("POST", maps + "?fieldValidation=Ignore", R"({"metadata":{"name":"i"},"data":{"k":"1","k":"2"}})")
              .header("warning")
              .empty());
    CHECK(s.ask("PATCH", maps + "/w?fieldValidation=Strict", R"({"data":{"a":"1","a":"2"}})",
                {{"Content-Type", std::string(merge_type)}})
              .status == 422);

    s.expect(201, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
             R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":)"
             R"({"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,"schema":)"
             R"({"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"list":)"
             R"({"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}},"empty":)"
             R"({"type":"object"}}}}}}}]}})");
    const std::string widgets = "/apis/example.com/v1/namespaces/default/widgets";
    const std::string body = R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":)"
                             R"({"list":[{"a":"x"},{"b":1}],"empty":{"c":2}}})";
    CHECK(strict(widgets, body) ==
          R"(strict decoding error: unknown field "spec.empty.c", unknown field "spec.list[1].b")");
    CHECK(json::serialize(s.expect(201, "POST", widgets, body).at("spec")) == R"({"empty":{},"list":[{"a":"x"},{}]})");
}

TEST_CASE("limits: the number of reported errors and warnings is bounded", "[apiserver][limits]")
{
    server s;
    std::string unknown, labels;
    for (int i = 0; i < 5'000; ++i) {
        unknown += ",\"u" + std::to_string(i) + "\":1";
        labels += (i ? "," : "") + std::string("\"bad key ") + std::to_string(i) + "\":\"v\"";
    }
    const auto warned = s.ask("POST", maps, R"({"metadata":{"name":"m"})" + unknown + "}");
    CHECK(warned.status == 201);
    std::size_t warnings = 0;
    for (const auto& [header, value] : warned.headers) warnings += header == "Warning" ? value.size() : 0;
    CHECK(warnings > 1'000);
    CHECK(warnings < 8'000);
    CHECK(s.ask("POST", maps + "?fieldValidation=Strict", R"({"metadata":{"name":"n"})" + unknown + "}").body.size() <
          10'000);
    const auto refused = s.ask("POST", maps, R"({"metadata":{"name":"n","labels":{)" + labels + "}}}");
    CHECK(refused.status == 422);
    CHECK(json::parse(refused.body).at_pointer("/details/causes").as_array().size() == 100);
}

TEST_CASE("state: a job's template is immutable unless it is suspended", "[apiserver][state]")
{
    server s;
    const auto job = [](const std::string& job_name, const std::string& more) {
        return R"({"metadata":{"name":")" + job_name + R"("},"spec":{)" + more +
               R"("template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i:1"}]}}}})";
    };
    s.expect(201, "POST", jobs, job("j", ""));
    const std::string change = R"({"spec":{"template":{"spec":{"restartPolicy":"OnFailure"}}}})";
    const server::headers merge{{"Content-Type", std::string(merge_type)}};
    const auto refused = s.ask("PATCH", jobs + "/j", change, merge);
    CHECK(refused.status == 422);
    CHECK(why(refused).find("spec.template: Invalid value") != std::string::npos);
    CHECK(why(refused).ends_with("field is immutable"));
    s.patch(jobs + "/j", R"({"spec":{"parallelism":2}})");
    s.expect(201, "POST", jobs, job("suspended", R"("suspend":true,)"));
    s.patch(jobs + "/suspended", change);
}

TEST_CASE("list: indented JSON does not depend on how it is split", "[apiserver][list]")
{
    server s;
    for (int i = 0; i < 6; ++i)
        s.expect(201, "POST", maps,
                 R"({"metadata":{"name":"c)" + std::to_string(i) + R"("},"data":{"k":"a\\\"{[,:b)" +
                     std::string(100'000, 'x') + R"("}})");
    const auto compact = s.get(maps);
    const auto pretty = s.ask("GET", maps + "?pretty=true");
    CHECK(json::parse(compact.body) == json::parse(pretty.body));
    CHECK(pretty.body.starts_with("{\n  \"kind\": \"ConfigMapList\",\n"));
    CHECK(pretty.body.ends_with("\n    }\n  ]\n}"));
    CHECK(compact.body.ends_with("]}\n"));
}

TEST_CASE("members: an object of more than ten thousand is refused before it is built", "[apiserver][limits]")
{
    // Keys may be chosen so that each is compared with all before it.
    const auto members = [](int count) {
        std::string out;
        for (int i = 0; i < count; ++i) out += (i == 0 ? "\"" : ",\"") + name(i) + "\":\"\"";
        return out;
    };
    CHECK(apiserver::key_comparisons("{" + members(10'000) + "}", 256) == 50'000'000);
    CHECK(apiserver::key_comparisons("[{" + members(6'000) + "},{\"a\":{" + members(2'000) + "}}]", 256) == 20'000'000);
    CHECK(apiserver::key_comparisons(json::value{{"a", numbered(100)}}) == 5'000);

    server s;
    const auto body = [&](const std::string& of, int count) {
        return R"({"metadata":{"name":")" + of + R"("},"data":{)" + members(count) + "}}";
    };
    s.expect(201, "POST", maps, body("fits", 9'900));
    CHECK(why(s.ask("POST", maps, body("many", 10'010))).find("an object has too many members") != std::string::npos);
    s.expect(400, "POST", maps, body("many", 10'010));
    SECTION("in YAML as well, however they come together")
    {
        const server::headers yaml{{"content-type", "application/yaml"}};
        CHECK(s.ask("POST", maps, body("yaml-fits", 100), yaml).status == 201);
        CHECK(s.ask("POST", maps, body("yaml", 10'010), yaml).status == 400);
    }
    SECTION("nor may it grow to that by patches")
    {
        std::string more = R"({"data":{)";
        for (int i = 0; i < 200; ++i) more += (i == 0 ? "\"more-" : ",\"more-") + std::to_string(i) + "\":\"\"";
        const auto grown = s.ask("PATCH", maps + "/fits", more + "}}", {{"content-type", std::string(merge_type)}});
        CHECK(grown.status == 413);
        CHECK(why(grown) == "Request entity too large: an object has too many members");
    }
}

TEST_CASE("pods: only images, deadlines, the grace period and more tolerations may change", "[apiserver][limits]")
{
    const std::string pods = "/api/v1/namespaces/default/pods";
    server s;
    s.expect(201, "POST", pods,
             R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i:1"}],"nodeName":"n",)"
             R"("tolerations":[{"key":"a","operator":"Exists","effect":"NoExecute","tolerationSeconds":5}]}})");
    const auto change = [&](const std::string& spec) {
        return s.ask("PATCH", pods + "/p", R"({"spec":{)" + spec + "}}",
                     {{"content-type", "application/strategic-merge-patch+json"}});
    };
    CHECK(change(R"("containers":[{"name":"c","image":"i:2"}])").status == 200);
    CHECK(change(R"("activeDeadlineSeconds":9)").status == 200);
    CHECK(change(
              R"("tolerations":[{"key":"b","operator":"Exists"},{"key":"a","operator":"Exists","effect":"NoExecute"}])")
              .status == 200);
    for (const char* refused : {R"("tolerations":[{"key":"b","operator":"Exists"}])", R"("nodeName":"m")",
                                R"("hostNetwork":true)", R"("containers":[{"name":"c","command":["x"]}])",
                                R"("containers":[{"name":"d","image":"i"}])", R"("terminationGracePeriodSeconds":7)"}) {
        INFO(refused);
        const auto got = change(refused);
        CHECK(got.status == 422);
        CHECK(why(got).starts_with("Pod \"p\" is invalid: spec: Forbidden: pod updates may not change fields other "
                                   "than `spec.containers[*].image`,"));
    }
}

TEST_CASE("pods: the cost of comparing tolerations does not grow with the list", "[apiserver][limits]")
{
    // Takes minutes if each toleration is searched for in the list of the others.
    const auto pod = [](int from, int to, int seconds) {
        json::array list;
        for (int i = from; i < to; ++i)
            list.push_back({{"key", std::string_view(name(i))}, {"tolerationSeconds", seconds}, {"value", "v"}});
        return json::value{{"spec", {{"tolerations", std::move(list)}}}};
    };
    apiserver::resource_info pods;
    pods.behaves = apiserver::builtin::pod;
    const auto refusals = [&](const json::value& before, const json::value& after) {
        std::vector<status_cause> causes;
        apiserver::validate_spec_update(pods, before, after, causes);
        return causes.size();
    };
    CHECK(refusals(pod(1, 100'000, 5), pod(0, 100'000, 6)) == 0);
    CHECK(refusals(pod(0, 100'000, 5), pod(1, 100'000, 5)) == 1);
    // The same toleration twice may become one, and members may be in another order.
    const auto of = [](std::string_view list) { return json::value{{"spec", {{"tolerations", json::parse(list)}}}}; };
    CHECK(refusals(of(R"([{"key":"a","value":"b"},{"key":"a","value":"b"}])"), of(R"([{"value":"b","key":"a"}])")) ==
          0);
    CHECK(refusals(of(R"([{"key":"a","value":"b"}])"), of(R"([{"key":"a","value":"c"}])")) == 1);
}

TEST_CASE("pods: the names of containers are unique in all lists", "[apiserver][limits]")
{
    server s;
    const std::string pods = "/api/v1/namespaces/default/pods";
    const auto pod = [](const std::string& lists) {
        return R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"})" + lists + "}}";
    };
    const auto twice = s.ask("POST", pods,
                             pod(R"(,{"name":"d","image":"i"},{"name":"c","image":"j"}],"initContainers":[)"
                                 R"({"name":"d","image":"i"},{"name":"e","image":"i"},{"name":"e","image":"i"}])"));
    CHECK(twice.status == 422);
    CHECK(why(twice) == R"(Pod "p" is invalid: [spec.containers[2].name: Duplicate value: "c", )"
                        R"(spec.initContainers[0].name: Duplicate value: "d", )"
                        R"(spec.initContainers[2].name: Duplicate value: "e"])");
    CHECK(json::parse(twice.body).at_pointer("/details/causes/0/reason") == "FieldValueDuplicate");
    s.expect(201, "POST", pods, pod(R"(],"initContainers":[{"name":"d","image":"i"}])"));
    const auto ephemeral = s.ask("PATCH", pods + "/p/ephemeralcontainers",
                                 R"({"spec":{"ephemeralContainers":[{"name":"d","image":"i"}]}})",
                                 {{"content-type", "application/strategic-merge-patch+json"}});
    CHECK(ephemeral.status == 422);
    CHECK(why(ephemeral) == R"(Pod "p" is invalid: spec.ephemeralContainers[0].name: Duplicate value: "d")");
    const auto deployment = s.ask("POST", "/apis/apps/v1/namespaces/default/deployments",
                                  R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":)"
                                  R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"},)"
                                  R"({"name":"c","image":"i"}]}}}})");
    CHECK(why(deployment) ==
          R"(Deployment.apps "d" is invalid: spec.template.spec.containers[1].name: Duplicate value: "c")");
}

TEST_CASE("stateful sets: only what a rollout needs may change", "[apiserver][limits]")
{
    const std::string sets = "/apis/apps/v1/namespaces/default/statefulsets";
    server s;
    s.expect(201, "POST", sets,
             R"({"metadata":{"name":"s"},"spec":{"serviceName":"a","selector":{"matchLabels":{"a":"b"}},"template":)"
             R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i:1"}]}}}})");
    const auto change = [&](const std::string& spec) {
        return s.ask("PATCH", sets + "/s", R"({"spec":{)" + spec + "}}", {{"content-type", std::string(merge_type)}});
    };
    for (const char* free : {R"("replicas":3)", R"("minReadySeconds":1)", R"("ordinals":{"start":1})",
                             R"("updateStrategy":{"type":"OnDelete","rollingUpdate":null})",
                             R"("template":{"spec":{"containers":[{"name":"c","image":"i:2"}]}})"})
        CHECK(change(free).status == 200);
    for (const char* refused : {R"("serviceName":"b")", R"("podManagementPolicy":"Parallel")",
                                R"("volumeClaimTemplates":[{"metadata":{"name":"v"}}])"}) {
        INFO(refused);
        const auto got = change(refused);
        CHECK(got.status == 422);
        CHECK(why(got).starts_with("StatefulSet.apps \"s\" is invalid: spec: Forbidden: updates to statefulset spec "
                                   "for fields other than 'replicas', 'ordinals', "));
    }
}
