// AdmissionReview: what is read of a question, what is refused, and the form of the answer.
#include "review/admission_review_core.hpp"

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <string>
#include <string_view>

using namespace kubecoro;
namespace json = boost::json;

namespace {

json::object review_of(std::string_view request)
{
    return {{"apiVersion", "admission.k8s.io/v1"}, {"kind", "AdmissionReview"}, {"request", json::parse(request)}};
}

std::string problem(std::string_view body)
{
    const auto read = detail::read_admission_review(body);
    if (read) return "none";
    CHECK(read.error() == cond::invalid);
    return read.error().message();
}

json::object response(std::string_view text)
{
    const auto all = json::parse(text).as_object();
    CHECK(all.at("apiVersion") == "admission.k8s.io/v1");
    CHECK(all.at("kind") == "AdmissionReview");
    return all.at("response").as_object();
}

constexpr std::string_view update = R"({
    "uid":"705ab4f5","kind":{"group":"autoscaling","version":"v1","kind":"Scale"},
    "resource":{"group":"apps","version":"v1","resource":"deployments"},"subResource":"scale",
    "requestKind":{"group":"autoscaling","version":"v1","kind":"Scale"},
    "requestResource":{"group":"apps","version":"v1beta1","resource":"deployments"},"requestSubResource":"scale",
    "name":"web","namespace":"shop","operation":"UPDATE",
    "userInfo":{"username":"ann","uid":"014fbff9","groups":["system:authenticated","ops"],"extra":{"scopes":["a","b"]}},
    "object":{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"web","namespace":"shop"},"spec":{"replicas":2}},
    "oldObject":{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"web","namespace":"shop"},"spec":{"replicas":1}},
    "options":{"kind":"UpdateOptions","apiVersion":"meta.k8s.io/v1","fieldManager":"kubectl"},"dryRun":true})";

} // namespace

TEST_CASE("admission review: every field of a request is read", "[webhooks]")
{
    const auto r = detail::read_admission_review(json::serialize(review_of(update))).value();
    CHECK(r.uid == "705ab4f5");
    CHECK(r.resource == resource_type{"apps", "v1", "deployments", "Scale"});
    CHECK(r.resource.kind == "Scale");
    CHECK(r.resource.namespaced);
    CHECK(r.requested.version == "v1beta1");
    CHECK(r.subresource == "scale");
    CHECK(r.operation == admission_operation::update);
    CHECK(r.key == object_key("shop", "web"));
    CHECK(r.user.name == "ann");
    CHECK(r.user.uid == "014fbff9");
    CHECK(r.user.groups == std::vector<std::string>{"system:authenticated", "ops"});
    CHECK(r.user.extra == decltype(r.user.extra){{"scopes", {"a", "b"}}});
    CHECK(r.now["spec"]["replicas"].as_int64() == 2);
    CHECK(r.before["spec"]["replicas"].as_int64() == 1);
    CHECK(r.options["fieldManager"].as_string() == "kubectl");
    CHECK(r.dry_run);
}

TEST_CASE("admission review: absent and null objects are null, and a request names itself unless it says otherwise",
          "[webhooks]")
{
    auto o = review_of(R"({"uid":"1","resource":{"group":"","version":"v1","resource":"namespaces"},
        "kind":{"group":"","version":"v1","kind":"Namespace"},"operation":"CONNECT","name":"shop","object":null})");
    const auto r = detail::read_admission_review(json::serialize(o)).value();
    CHECK(r.operation == admission_operation::connect);
    CHECK_FALSE(r.now);
    CHECK_FALSE(r.before);
    CHECK_FALSE(r.options);
    CHECK_FALSE(r.dry_run);
    CHECK_FALSE(r.resource.namespaced);
    CHECK(r.requested == r.resource);
}

TEST_CASE("admission review: objects that share the names of their members are read as others are", "[webhooks]")
{
    const auto text = json::serialize(review_of(update));
    const auto alone = detail::read_admission_review(text).value();
    const auto names = detail::make_object_encoding({.values = false});
    const auto before = names->bytes();
    for (int i = 0; i < 8; ++i) {
        const auto r = detail::read_admission_review(text, names).value();
        CHECK(r.now.to_json() == alone.now.to_json());
        CHECK(r.before.to_json() == alone.before.to_json());
        CHECK(r.options.to_json() == alone.options.to_json());
        CHECK(r.user.extra == alone.user.extra);
    }
    CHECK(names->bytes() > before);
}

TEST_CASE("admission review: of a member that comes twice the last one counts", "[webhooks]")
{
    const auto now = [](const std::string& members) {
        auto text = json::serialize(review_of(R"({"uid":"1","resource":{"group":"","version":"v1","resource":"pods"},
            "kind":{"group":"","version":"v1","kind":"Pod"},"operation":"CONNECT","name":"web"})"));
        text.insert(text.size() - 2, members);
        const auto r = detail::read_admission_review(text);
        if (!r) return r.error().message();
        return r->now ? r->now.root().to_text() : "null";
    };
    CHECK(now(R"(,"object":{"a":1},"object":{"b":2})") == R"({"b":2})");
    CHECK(now(R"(,"object":null,"object":{"b":2})") == R"({"b":2})");
    CHECK(now(R"(,"object":{"a":1},"object":null)") == "null");
    CHECK(now(R"(,"object":"text","object":{"b":2})") == R"({"b":2})");
    CHECK(now(R"(,"object":{"a":1},"ob\u006aect":{"b":2})") == "the review has two of object");
    CHECK(now(R"(,"object":{"a":})").starts_with("the review is no JSON object: "));
    CHECK(now(R"(,"object":{"a":1}{)").starts_with("the review is no JSON object: "));
}

TEST_CASE("admission review: what is no review of this version is refused in words", "[webhooks]")
{
    CHECK(problem("").starts_with("the review is no JSON object: "));
    CHECK(problem("[1]").starts_with("the review is no JSON object: "));
    CHECK(problem(std::string(std::size_t{8} << 20, ' ')) == "a review has 7340032 bytes at most");
    CHECK(problem(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1","request":{"uid":"1"}})") ==
          "expected AdmissionReview of admission.k8s.io/v1, got AdmissionReview of admission.k8s.io/v1beta1");
    CHECK(problem("{\"kind\":\"Pod\\u001b[2J\",\"apiVersion\":\"v1\"}") ==
          "expected AdmissionReview of admission.k8s.io/v1, got Pod [2J of v1");
    const auto without = [](std::string_view name, const json::value& instead = nullptr) {
        auto o = review_of(update);
        auto& request = o["request"].as_object();
        if (instead.is_null())
            request.erase(name);
        else
            request[name] = instead;
        return problem(json::serialize(o));
    };
    CHECK(without("uid") == "the review's request has no uid");
    CHECK(without("resource") == "the review's request names no resource");
    CHECK(without("operation", "PATCH") == "the review has an unknown operation: PATCH");
    CHECK(without("object") == "the review of a write has no object");
    CHECK(without("oldObject") == "the review of an update or a deletion has no oldObject");
    CHECK(without("object", "text") == "the review's object is no object");
    CHECK(without("oldObject", json::array{1}) == "the review's oldObject is no object");
    auto o = review_of(update);
    o["request"] = 5;
    CHECK(problem(json::serialize(o)) == "the review has no request");
}

TEST_CASE("admission review: the answer says allowed, or why not", "[webhooks]")
{
    CHECK(response(detail::write_admission_review("7", verdict::allowed())) ==
          json::object{{"allowed", true}, {"uid", "7"}});
    const auto no = response(detail::write_admission_review("7", verdict::denied("spec.host is empty")));
    CHECK(no.at("allowed") == false);
    CHECK(no.at("status") ==
          json::parse(R"({"status":"Failure","message":"spec.host is empty","reason":"Forbidden","code":403})"));
    const auto other = response(detail::write_admission_review("7", verdict::denied("two of them", 409, "Duplicate")));
    CHECK(other.at("status") ==
          json::parse(R"({"status":"Failure","message":"two of them","reason":"Duplicate","code":409})"));
}

TEST_CASE("admission review: a failure with a status of the client's object keeps its causes", "[webhooks]")
{
    server_status status;
    status.code = 422;
    status.reason = "Invalid";
    status.message = "it is invalid";
    status.kind = "Site";
    status.group = "example.com";
    status.name = "blog";
    status.causes = {{"FieldValueRequired", "Required value", "spec.host"}};
    const auto no = response(detail::write_admission_review("7", verdict::denied(failure(status))));
    CHECK(no.at("status") == json::parse(R"({"status":"Failure","message":"it is invalid","reason":"Invalid","code":422,
        "details":{"name":"blog","group":"example.com","kind":"Site",
                   "causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.host"}]}})"));
    const auto code = [](const failure& f) { return verdict::denied(f).status().code; };
    CHECK(code(failure(cond::invalid, "x")) == 422);
    CHECK(code(failure(cond::forbidden, "x")) == 403);
    CHECK(code(failure(cond::conflict, "x")) == 409);
    CHECK(code(failure(cond::unreachable, "x")) == 500);
    CHECK(verdict::denied(failure(cond::timed_out, "the store")).status().reason == "InternalError");
}

TEST_CASE("admission review: warnings are one line each, and bounded as the server bounds them", "[webhooks]")
{
    auto v = verdict::allowed().warn("two\nlines").warn("").warn(std::string(300, 'x'));
    for (int i = 0; i < 30; ++i) v.warn(std::string(256, 'y'));
    const auto warnings = response(detail::write_admission_review("7", v)).at("warnings").as_array();
    CHECK(warnings.at(0) == "two lines");
    CHECK(warnings.at(1).as_string().size() == 256);
    std::size_t sum = 0;
    for (const auto& w : warnings) sum += w.as_string().size();
    CHECK(sum == 4096);
}

TEST_CASE("admission review: a patch is base64 of its JSON, and a refusal has none", "[webhooks]")
{
    constexpr std::string_view patch = R"([{"op":"add","path":"/a","value":1}])";
    const auto yes = response(detail::write_admission_review("7", verdict::allowed(), patch));
    CHECK(yes.at("patchType") == "JSONPatch");
    CHECK(bytes::from_base64(std::string_view(yes.at("patch").as_string())).value().data == patch);
    CHECK_FALSE(response(detail::write_admission_review("7", verdict::denied("no"), patch)).contains("patch"));
}

TEST_CASE("admission review: content types and time limits of requests", "[webhooks]")
{
    CHECK(detail::is_json_type("application/json"));
    CHECK(detail::is_json_type("Application/JSON ; charset=utf-8"));
    CHECK_FALSE(detail::is_json_type("application/jsonp"));
    CHECK_FALSE(detail::is_json_type(""));
    using namespace std::chrono_literals;
    CHECK(detail::review_timeout("timeout=10s") == 10s);
    CHECK(detail::review_timeout("a=b&timeout=500ms&c") == 500ms);
    CHECK(detail::review_timeout("timeout=ten") == 0s);
    CHECK(detail::review_timeout("timeout=-1s") == 0s);
    CHECK(detail::review_timeout("") == 0s);
}

TEST_CASE("admission review: objects are found in any notation", "[webhooks]")
{
    const auto read = [](const std::string& members) {
        return detail::read_admission_review(
            R"( { "apiVersion" : "admission.k8s.io/v1","kind":"AdmissionReview", "other":{"request":{"object":1}},)"
            R"("request" : {"uid":"1","resource":{"resource":"pods"},"operation":"CONNECT","a":["}",{"object":"]"}],)" +
            members + "}\n}\n");
    };
    const std::string pod = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a\\\"}b"},"spec":{"n":1.50}})";
    const auto text = [&](const std::string& members) {
        const auto r = read(members).value();
        return r.now ? r.now["metadata"]["name"].to_text() + r.now["spec"].to_text() : "none";
    };
    const std::string found = R"("a\\\"}b"{"n":1.50})";
    CHECK(text("\"object\" :\t" + pod + " ,\"x\":null") == found);
    CHECK(text("\"object\":null") == "none");
    CHECK(text("\"object\":null,\"object\":" + pod) == found);
    // A name with escapes is the same name.
    CHECK(text("\"\\u006fbject\":" + pod) == found);
    CHECK(text("\"\\u006fbject\":{},\"object\":" + pod) == found);
    CHECK_FALSE(read("\"object\":" + pod + ",\"\\u006fbject\":" + pod));
    for (const std::string wrong : {"[]", "1", "\"text\"", "tru", "{", "{\"a\":}", "{]}", ""})
        CHECK_FALSE(read("\"object\":" + wrong));
}
