// The form of the bodies of writes: JSON, or protobuf where it is chosen and says the same.
#include "rest/kinds_core.hpp"
#include "rest_fixture.hpp"

#include <kubecoro/api/described.hpp>
#include <kubecoro/testing/recording.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

using namespace kubecoro;
using namespace kubecoro::rest_test;

namespace shop {

struct map_metadata
{
    std::string name = {};
};
BOOST_DESCRIBE_STRUCT(map_metadata, (), (name))

/// A part of a built-in kind, and a field that the kind does not have.
struct map
{
    static resource_type resource() { return untyped::config_map::resource(); }
    map_metadata metadata = {};
    std::map<std::string, std::string> data = {};
    std::optional<std::string> newer = {};
};
BOOST_DESCRIBE_STRUCT(map, (), (metadata, data, newer))

/// The same without that field.
struct plain_map
{
    static resource_type resource() { return untyped::config_map::resource(); }
    map_metadata metadata = {};
    std::map<std::string, std::string> data = {};
};
BOOST_DESCRIBE_STRUCT(plain_map, (), (metadata, data))

} // namespace shop

namespace {

const std::string protobuf = "application/vnd.kubernetes.protobuf";
const std::string json = "application/json";
const auto maps = untyped::config_map::resource();
const auto deployments = untyped::deployment::resource();
const resource_type widgets{.group = "example.com", .version = "v1", .plural = "widgets", .kind = "Widget"};

const std::string plain_map = R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"v"}})";
const std::string newer_map = R"({"metadata":{"name":"a"},"newer":{"k":"v"}})";
const std::string scale = R"({"kind":"Scale","apiVersion":"autoscaling/v1","spec":{"replicas":2}})";

/// A client that writes protobuf, to a server that answers each request with an object.
struct writer : world
{
    std::shared_ptr<testing::recording_metrics> numbers = std::make_shared<testing::recording_metrics>();
    client c = make_writer(wire_form::protobuf);

    client make_writer(wire_form form)
    {
        client_options options;
        options.body_form = form;
        options.metrics = numbers;
        return make({}, options);
    }
    void accept(int requests)
    {
        for (int i = 0; i < requests; ++i) net->replies.push_back({.body = {plain_map}});
    }
    /// Refuses the form of the next body.
    void refuse()
    {
        net->replies.push_back(
            {.status = 415,
             .body = {R"({"kind":"Status","status":"Failure","reason":"UnsupportedMediaType","code":415})"}});
    }
    double bodies(const std::string& outcome) const
    {
        return numbers->value("kubecoro_client_protobuf_bodies_total", {{"outcome", outcome}});
    }
    std::size_t lines_with(std::string_view text) const
    {
        return static_cast<std::size_t>(std::ranges::count_if(
            lines, [&](const std::string& line) { return line.find(text) != std::string::npos; }));
    }
    const request& last() const { return net->seen.back(); }
};

boost::asio::awaitable<result<>> create_map(client c)
{
    const auto made = co_await c.create(maps, "ns", plain_map);
    co_return made ? result<>() : result<>(made.error());
}

json_text value_of(const std::string& text) { return boost::json::parse(text); }

} // namespace

TEST_CASE("json_text: a number that JSON cannot express does not become null", "[client][bodies]")
{
    const boost::json::object patch{{"share", std::numeric_limits<double>::quiet_NaN()}};
    for (const json_text& text :
         {json_text(patch), json_text(boost::json::value(patch)), json_text(boost::json::array{patch})})
        CHECK_FALSE(object::parse(text.text));
}

TEST_CASE("client: bodies are JSON unless protobuf is chosen", "[client][bodies]")
{
    writer the;
    the.accept(2);
    auto plain = the.make_writer(client_options().body_form);
    REQUIRE(the.run.run(plain.create(maps, "ns", plain_map)));
    CHECK(the.last().content_type == json);
    CHECK(the.last().body == plain_map);
    REQUIRE(the.run.run(plain.update(maps, "ns", "a", plain_map)));
    CHECK(the.last().content_type == json);
    CHECK(the.bodies("sent") == 0);
}

TEST_CASE("client: create and update send protobuf for built-in kinds", "[client][bodies]")
{
    writer the;
    the.accept(5);
    REQUIRE(the.run.run(the.c.create(maps, "ns", plain_map)));
    CHECK(the.last().method == "POST");
    CHECK(the.last().target == "/api/v1/namespaces/ns/configmaps");
    CHECK(the.last().content_type == protobuf);
    CHECK(the.last().accept == json);
    const auto sent = decode_object(the.last().body, {}, {}, wire_form::protobuf);
    REQUIRE(sent);
    CHECK(sent->kind() == "ConfigMap");
    CHECK((*sent)["data"]["k"].as_string() == "v");
    const auto body = the.last().body;
    REQUIRE(the.run.run(the.c.update(maps, "ns", "a", object::parse(plain_map).value())));
    CHECK(the.last().method == "PUT");
    CHECK(the.last().body == body);
    REQUIRE(the.run.run(the.c.update(maps, "ns", "a", value_of(plain_map), {.dry_run = true})));
    CHECK(the.last().target == "/api/v1/namespaces/ns/configmaps/a?dryRun=All");
    CHECK(the.last().body == body);
    REQUIRE(the.run.run(the.c.update(deployments, "ns", "a", R"({"status":{"replicas":1}})", {}, "status")));
    CHECK(the.last().target == "/apis/apps/v1/namespaces/ns/deployments/a/status");
    CHECK(the.last().content_type == protobuf);
    REQUIRE(the.run.run(the.c.update(deployments, "ns", "a", scale, {}, "scale")));
    CHECK(the.last().content_type == protobuf);
    const auto sent_scale = decode_object(the.last().body, {}, {}, wire_form::protobuf);
    REQUIRE(sent_scale);
    CHECK(sent_scale->kind() == "Scale");
    CHECK(the.bodies("sent") == 5);
    CHECK(the.bodies("unfit") == 0);
}

TEST_CASE("client: patches, deletions, custom resources and unknown subresources stay JSON", "[client][bodies]")
{
    writer the;
    the.accept(5);
    REQUIRE(the.run.run(the.c.patch(maps, "ns", "a", patch_kind::merge, plain_map)));
    CHECK(the.last().content_type == "application/merge-patch+json");
    CHECK(the.last().body == plain_map);
    REQUIRE(the.run.run(the.c.remove(maps, "ns", "a", {.uid = "u"})));
    CHECK(the.last().content_type == json);
    REQUIRE(the.run.run(the.c.create(widgets, "ns", R"({"spec":{}})")));
    CHECK(the.last().content_type == json);
    REQUIRE(the.run.run(the.c.update(widgets, "ns", "a", scale, {}, "scale")));
    CHECK(the.last().content_type == json);
    CHECK(the.bodies("unfit") == 0);
    REQUIRE(the.run.run(the.c.update(deployments, "ns", "a", R"({"kind":"Odd","apiVersion":"v9"})", {}, "odd")));
    CHECK(the.last().content_type == json);
    CHECK(the.bodies("unfit") == 1);
    CHECK(the.bodies("sent") == 0);
}

TEST_CASE("client: where the server is asked to check names, bodies stay JSON", "[client][bodies]")
{
    writer the;
    the.accept(4);
    for (const auto& [validation, type] :
         {std::pair{field_validation::strict, json}, std::pair{field_validation::warn, json},
          std::pair{field_validation::ignore, protobuf}, std::pair{field_validation::unset, protobuf}}) {
        REQUIRE(the.run.run(the.c.create(maps, "ns", plain_map, {.validation = validation})));
        CHECK(the.last().content_type == type);
    }
    CHECK(the.bodies("unfit") == 0);
}

TEST_CASE("client: structs are sent as their JSON is", "[client][bodies]")
{
    writer w;
    const resource_client<shop::plain_map> all(w.c.resource(maps, "shop"));
    const shop::plain_map plain{.metadata = {.name = "a"}, .data = {{"k", "v"}}};
    w.accept(4);
    REQUIRE(w.run.run(all.create(plain)));
    const auto quick = w.last();
    REQUIRE(w.run.run(all.untyped().create(to_text(plain))));
    CHECK(quick.content_type == protobuf);
    CHECK(w.last().content_type == protobuf);
    CHECK(w.last().body == quick.body);
    CHECK(w.last().target == quick.target);
    REQUIRE(w.run.run(all.update(plain)));
    CHECK(w.last().content_type == protobuf);
    CHECK(w.last().method == "PUT");
    CHECK(w.last().body == quick.body);
    const shop::map newer{.metadata = {.name = "a"}, .newer = "x"};
    REQUIRE(w.run.run(resource_client<shop::map>(w.c.resource(maps, "shop")).update(newer)));
    CHECK(w.last().content_type == json);
    CHECK(w.last().body == to_text(newer));
    CHECK(w.bodies("sent") == 3);
    CHECK(w.bodies("unfit") == 1);
}

TEST_CASE("client: a server that refuses the protobuf of a struct gets its JSON", "[client][bodies]")
{
    writer w;
    const resource_client<shop::plain_map> all(w.c.resource(maps, "shop"));
    const shop::plain_map plain{.metadata = {.name = "a"}, .data = {{"k", "v"}}};
    w.refuse();
    w.accept(2);
    REQUIRE(w.run.run(all.create(plain)));
    CHECK(w.last().content_type == json);
    const auto sent = boost::json::parse(w.last().body);
    CHECK(sent.at("data") == boost::json::value{{"k", "v"}});
    CHECK(sent.at("metadata").at("name") == "a");
    REQUIRE(w.run.run(all.create(plain)));
    CHECK(w.net->seen.size() == 3);
    CHECK(w.last().content_type == json);
    CHECK(w.bodies("refused") == 1);
}

TEST_CASE("client: a body with an unknown field is sent as JSON, with all of it", "[client][bodies]")
{
    writer the;
    the.accept(4);
    REQUIRE(the.run.run(the.c.create(maps, "ns", newer_map)));
    CHECK(the.last().content_type == json);
    CHECK(the.last().body == newer_map);
    CHECK(the.lines_with("warning a body is sent as JSON") == 1);
    CHECK(the.lines_with("kind=\"configmaps v1\" why=\"newer: unknown field\"") == 1);
    // The others of the kind are not affected.
    REQUIRE(the.run.run(the.c.create(maps, "ns", plain_map)));
    CHECK(the.last().content_type == protobuf);
    REQUIRE(the.run.run(the.c.update(maps, "ns", "a", newer_map)));
    CHECK(the.last().body == newer_map);
    CHECK(the.lines_with("warning a body is sent as JSON") == 1);
    CHECK(the.lines_with("debug a body is sent as JSON") == 1);
    REQUIRE(the.run.run(the.c.create(pods, "ns", R"({"newer":1})")));
    CHECK(the.lines_with("warning a body is sent as JSON") == 2);
    CHECK(the.bodies("unfit") == 3);
    CHECK(the.bodies("sent") == 1);
}

TEST_CASE("client: values that the server must refuse are sent as JSON, as they are", "[client][bodies]")
{
    writer the;
    the.accept(3);
    for (const std::string body : {R"({"data":{"k":5}})", R"({"kind":"Pod","apiVersion":"v1"})", "{"}) {
        REQUIRE(the.run.run(the.c.create(maps, "ns", body)));
        CHECK(the.last().content_type == json);
        CHECK(the.last().body == body);
    }
    CHECK(the.bodies("unfit") == 3);
}

TEST_CASE("client: a server that refuses protobuf bodies gets JSON, then and later", "[client][bodies]")
{
    writer the;
    the.refuse();
    the.accept(3);
    REQUIRE(the.run.run(the.c.create(maps, "ns", plain_map)));
    REQUIRE(the.net->seen.size() == 2);
    CHECK(the.net->seen[0].content_type == protobuf);
    CHECK(the.net->seen[1].content_type == json);
    CHECK(the.net->seen[1].body == plain_map);
    CHECK(the.net->seen[1].target == the.net->seen[0].target);
    const auto copy = the.c;
    REQUIRE(the.run.run(copy.update(maps, "ns", "a", plain_map)));
    CHECK(the.last().content_type == json);
    CHECK(the.lines_with("info writing this kind as JSON from now on") == 1);
    // Another kind may be accepted.
    REQUIRE(the.run.run(the.c.create(pods, "ns", pod("a"))));
    CHECK(the.last().content_type == protobuf);
    CHECK(the.bodies("refused") == 1);
    CHECK(the.bodies("sent") == 1);
}

TEST_CASE("client: a refusal of JSON is a failure, and so is every other failure", "[client][bodies]")
{
    writer the;
    the.refuse();
    the.refuse();
    const auto refused = the.run.run(the.c.create(maps, "ns", plain_map));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::invalid);
    CHECK(refused.error().status()->code == 415);
    CHECK(the.net->seen.size() == 2);

    the.net->replies = {{.status = 409}, {.status = 400}};
    CHECK(the.run.run(the.c.update(pods, "ns", "a", pod("a"))).error() == cond::conflict);
    CHECK(the.run.run(the.c.update(pods, "ns", "a", pod("a"))).error() == cond::invalid);
    // The write is not repeated: the server may have performed it before the connection broke.
    CHECK(the.run.run(the.c.update(pods, "ns", "a", pod("a"))).error() == cond::unreachable);
    CHECK(the.net->seen.size() == 5);
    CHECK(the.last().content_type == protobuf);
}

TEST_CASE("client: a name that cannot be in a path fails before anything is sent", "[client][bodies]")
{
    writer the;
    CHECK(the.run.run(the.c.update(maps, "ns", "a/b", plain_map)).error() == cond::invalid);
    CHECK(the.net->seen.empty());
}

TEST_CASE("client: a write that is refused in protobuf can be stopped at every step", "[client][bodies][every_step]")
{
    const auto make = [](testing::runner& r) {
        auto net = std::make_shared<scripted_transport>();
        net->time = r.shared_clock();
        net->replies = {{.status = 415}, {.body = {plain_map}}};
        client_options options;
        options.body_form = wire_form::protobuf;
        options.time = net->time;
        options.log = logger::silent();
        return testing::scenario{create_map(client(r.executor(), net, options)), net};
    };
    CHECK(testing::stop_after_every_step(make).value() > 2);
    const auto cancelled = testing::cancel_after_every_step(make, [](const result<>& r) {
        if (!r) CHECK(r.error() == cond::cancelled);
    });
    REQUIRE(cancelled);
}

TEST_CASE("body kinds: named by resource, subresource and version", "[client][bodies]")
{
    const auto kind = [](const resource_type& r, std::string_view subresource) {
        return detail::protobuf_body_kind(wire_form::protobuf, r, subresource, field_validation::unset);
    };
    CHECK(kind(deployments, "")->name == "deployments.apps v1");
    CHECK(kind(deployments, "status")->name == "deployments.apps/status v1");
    CHECK(kind(deployments, "status")->schema == kind(deployments, "")->schema);
    CHECK(kind(deployments, "scale")->schema == nullptr);
    CHECK_FALSE(kind(widgets, ""));
    CHECK_FALSE(detail::protobuf_body_kind(wire_form::json, maps, "", field_validation::unset));
}
