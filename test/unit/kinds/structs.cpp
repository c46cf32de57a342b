#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/structs.hpp>
#include <kubecoro/api/typed_selector.hpp>
#include <kubecoro/apiextensions_v1/custom_resource_definition.hpp>
#include <kubecoro/apps_v1/deployment.hpp>
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/pod.hpp>
#include <kubecoro/core_v1/secret.hpp>

#include <boost/json/array.hpp>

#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/protobuf_bytes.hpp>

using namespace kubecoro;

namespace {

object parsed(std::string_view text) { return object::parse(text).value(); }

template<class T>
std::string through_struct(std::string_view text)
{
    return to_text(read_struct<T>(parsed(text)).value());
}

/// Whether reading and writing changes nothing but the order.
template<class T>
bool keeps(std::string_view text)
{
    const auto before = parsed(text);
    const auto after = parsed(through_struct<T>(text));
    return after.root() == before.root();
}

} // namespace

TEST_CASE("a struct is written with exactly the fields that were set", "[structs]")
{
    const core_v1::pod pod{.metadata = {.name = "web", .labels = {{"app", "web"}}},
                           .spec = {.containers = {{.name = "main", .image = "web:1"}}}};
    CHECK(to_text(pod) == R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","labels":{"app":"web"}},)"
                          R"("spec":{"containers":[{"name":"main","image":"web:1"}]}})");
    CHECK(to_text(core_v1::pod{}) == R"({"apiVersion":"v1","kind":"Pod"})");
    // A value that was set is sent, although it is zero.
    const apps_v1::deployment none{.spec = {.replicas = 0, .paused = false}};
    CHECK(to_text(none) == R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":0,"paused":false}})");
}

TEST_CASE("an optional part that is set is written although it is empty", "[structs]")
{
    core_v1::pod pod;
    pod.spec.securityContext = core_v1::pod_security_context{};
    CHECK(to_text(pod) == R"({"apiVersion":"v1","kind":"Pod","spec":{"securityContext":{}}})");
    pod.spec.securityContext.ensure().runAsNonRoot = true;
    CHECK(to_text(pod) == R"({"apiVersion":"v1","kind":"Pod","spec":{"securityContext":{"runAsNonRoot":true}}})");
    pod.spec.securityContext.reset();
    CHECK(to_text(pod) == R"({"apiVersion":"v1","kind":"Pod"})");
}

TEST_CASE("fields without a place in the struct are kept and written back", "[structs]")
{
    const auto* text =
        R"({"apiVersion":"v1","kind":"Pod","spec":{"nodeName":"n","wings":{"left":[1,2.50,null]}},"extra":null})";
    const auto pod = read_struct<core_v1::pod>(parsed(text)).value();
    CHECK(pod.spec.nodeName == "n");
    CHECK(pod.spec.other_fields.text("wings") == R"({"left":[1,2.50,null]})");
    CHECK(pod.other_fields.contains("extra"));
    CHECK(keeps<core_v1::pod>(text));
}

TEST_CASE("values that their field cannot hold are kept and written back", "[structs]")
{
    // Null, empty lists, empty objects, other types, numbers out of range.
    CHECK(keeps<core_v1::pod>(
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":null,"labels":{}},)"
        R"("spec":{"containers":[],"nodeName":7,"priority":4294967296,"volumes":[{"name":1}]},"status":{}})"));
    CHECK(keeps<core_v1::pod>(R"({"apiVersion":"v1","kind":"Pod","spec":"none"})"));
}

TEST_CASE("a kept value gives way to the field once that is set", "[structs]")
{
    auto pod = read_struct<core_v1::pod>(parsed(R"({"spec":{"containers":[],"nodeName":null}})")).value();
    pod.spec.nodeName = "n";
    pod.spec.containers.push_back({.name = "main"});
    CHECK(to_text(pod) == R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"main"}],"nodeName":"n"}})");
}

TEST_CASE("another form of a value is written back as long as it means the same", "[structs]")
{
    const auto* text = R"({"apiVersion":"v1","kind":"Secret","data":{"a":"YWJj\n"}})";
    auto secret = read_struct<core_v1::secret>(parsed(text)).value();
    REQUIRE(secret.data.at("a").data == "abc");
    CHECK(keeps<core_v1::secret>(text));
    SECTION("not once it changed")
    {
        secret.data["a"].data = "abd";
        CHECK(to_text(secret) == R"({"apiVersion":"v1","kind":"Secret","data":{"a":"YWJk"}})");
    }
    SECTION("nor once it was removed")
    {
        secret.data.clear();
        CHECK(to_text(secret) == R"({"apiVersion":"v1","kind":"Secret"})");
    }
}

TEST_CASE("other fields may be set, such as an empty list", "[structs]")
{
    core_v1::container c{.name = "main"};
    c.other_fields.set("args", boost::json::array());
    CHECK(to_text(c) == R"({"name":"main","args":[]})");
    c.other_fields.erase("args");
    CHECK(to_text(c) == R"({"name":"main"})");
}

TEST_CASE("other fields are read and compared however deep they are nested", "[structs]")
{
    const auto nested = [](std::string_view inside) {
        return std::string(150, '[') + std::string(inside) + std::string(150, ']');
    };
    const auto with = [&nested](std::string_view inside) {
        core_v1::container c{.name = "main"};
        c.other_fields.set_text("extra", nested(inside));
        return c;
    };
    CHECK(with("1").other_fields.get("extra").is_array());
    CHECK(with("1") == with("1"));
    CHECK(with("1") == with(" 1"));
    CHECK_FALSE(with("1") == with("2"));
    core_v1::container broken{.name = "main"};
    broken.other_fields.set_text("extra", "x");
    core_v1::container other = broken;
    other.other_fields.set_text("extra", "y");
    CHECK_FALSE(broken == other);
}

TEST_CASE("a struct of a partial object is partial, and so are its copies", "[structs]")
{
    using namespace kubecoro::test;
    const auto decoded = [](const std::string& message) {
        return decode_object(enveloped("v1", "ConfigMap", message), {}, {}, wire_form::protobuf).value();
    };
    const auto partial = decoded(config_map("web", "a", "1") + field(900, "new"));
    REQUIRE(partial.is_partial());
    const auto map = read_struct<core_v1::config_map>(partial).value();
    CHECK(map.other_fields.is_partial());
    CHECK(map.other_fields.empty());
    core_v1::config_map copy = map;
    CHECK(copy.other_fields.is_partial());
    CHECK(copy == map);
    CHECK(to_text(copy) == to_text(read_struct<core_v1::config_map>(decoded(config_map("web", "a", "1"))).value()));
    copy.other_fields.set_partial(false);
    CHECK_FALSE(copy.other_fields.is_partial());
    CHECK(copy == map);
    const typed_object<core_v1::config_map> typed(partial);
    CHECK(read_struct(typed).value().other_fields.is_partial());
    CHECK(to_object(map).value().untyped().is_partial());
    CHECK_FALSE(to_object(copy).value().untyped().is_partial());
    CHECK_FALSE(
        read_struct<core_v1::config_map>(decoded(config_map("web", "a", "1"))).value().other_fields.is_partial());
}

TEST_CASE("strict rules refuse a partial object, whose unknown fields they cannot name", "[structs]")
{
    using namespace kubecoro::test;
    const auto message = enveloped("v1", "ConfigMap", config_map("web", "a", "1") + field(900, "new"));
    const auto partial = decode_object(message, {}, {}, wire_form::protobuf).value();
    const auto refused = read_struct<core_v1::config_map>(partial, struct_rules::strict);
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::invalid);
}

TEST_CASE("quantities, ports and times have types of their own", "[structs]")
{
    const auto* text =
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":"2026-01-02T03:04:05Z"},"spec":{"containers":[)"
        R"({"name":"a","resources":{"limits":{"cpu":"1500m"}},"readinessProbe":{"tcpSocket":{"port":"web"}}}]}})";
    auto pod = read_struct<core_v1::pod>(parsed(text)).value();
    auto& c = pod.spec.containers.front();
    CHECK(c.resources.limits.at("cpu") == quantity::milli(1500));
    CHECK(*c.readinessProbe->tcpSocket->port->if_text() == "web");
    CHECK(pod.metadata.creationTimestamp->text() == "2026-01-02T03:04:05Z");
    CHECK(keeps<core_v1::pod>(text));
}

TEST_CASE("types that contain themselves are values", "[structs]")
{
    const auto* text =
        R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"name":"v1",)"
        R"("schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"not":{"type":"string"}}}}}}]}})";
    const auto crd = read_struct<apiextensions_v1::custom_resource_definition>(parsed(text)).value();
    auto copy = crd;
    CHECK(copy == crd);
    auto& spec = copy.spec.versions.front().schema->openAPIV3Schema->properties.at("spec");
    CHECK(spec.not_->type == "string");
    spec.not_->type = "integer";
    CHECK_FALSE(copy == crd);
    CHECK(keeps<apiextensions_v1::custom_resource_definition>(text));
}

TEST_CASE("a struct becomes an object", "[structs]")
{
    const core_v1::pod pod{.metadata = {.name = "web", .namespace_ = "shop"}};
    const auto o = to_object(pod).value();
    CHECK(o.key() == object_key_view{"shop", "web"});
    CHECK(o.untyped().kind() == "Pod");
    CHECK(read_struct(o).value() == pod);
}

TEST_CASE("the selector of a kind is read from its view and from its struct", "[structs]")
{
    const typed_object<apps_v1::deployment> found(parsed(R"({"apiVersion":"apps/v1","kind":"Deployment",
        "metadata":{"name":"web"},"spec":{"selector":{"matchLabels":{"app":"web"},
        "matchExpressions":[{"key":"canary","operator":"DoesNotExist"}]}}})"));
    CHECK(selector_of(found->spec().selector()).value().to_string() == "app=web,!canary");
    const auto read = read_struct(found).value();
    CHECK(selector_of(*read.spec.selector).value().to_string() == "app=web,!canary");
    CHECK(selector_of(meta_v1::label_selector{}).value().empty());

    const typed_object<apps_v1::deployment> without(parsed(R"({"apiVersion":"apps/v1","kind":"Deployment"})"));
    CHECK(selector_of(without->spec().selector()).error() == cond::invalid);
    const meta_v1::label_selector wrong{.matchLabels = {{"app", "no value"}}};
    CHECK(selector_of(wrong).error() == cond::invalid);
}
