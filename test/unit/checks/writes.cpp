// Writes that a client checks before it sends them: nothing goes out, and the words are those that the server has.
#include "checks_fixture.hpp"

#include <kubecoro/api/validation.hpp>
#include <kubecoro/client/typed_client.hpp>
#include <kubecoro/client/writing.hpp>

#include <boost/asio/co_spawn.hpp>

#include <algorithm>

using namespace checks_test;

namespace {

const write_options checked{.validation = field_validation::client};
const write_options strict{.validation = field_validation::strict};
const resource_type pods = untyped::pod::resource();
const resource_type maps = untyped::config_map::resource();

/// The requests other than reads.
std::size_t writes(const world& w)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(w.net->seen, [](const auto& r) { return !r.starts_with("GET"); }));
}

/// Both refusals of an object that is created: the client's own, and the server's.
void refused_alike(world& w, const resource_type& type, const json::value& object)
{
    INFO(json::serialize(object));
    const auto before = writes(w);
    const auto own = w.run.run(w.cluster.create(type, "default", object, checked));
    REQUIRE_FALSE(own);
    CHECK(writes(w) == before);
    CHECK(own.error() == cond::invalid);
    CHECK(own.error().method() == "POST");
    const auto theirs = w.run.run(w.cluster.create(type, "default", object, strict));
    REQUIRE_FALSE(theirs);
    CHECK(words_of(own.error()) == words_of(theirs.error()));
    CHECK(own.error().status()->code == theirs.error().status()->code);
}

} // namespace

TEST_CASE("checked writes: custom resources are refused as by the server, and not sent", "[checks]")
{
    world w;
    for (const auto* spec :
         {"host: A", "tier: gold", "host: a, replicas: 0", "host: a, replicas: 10", "host: a, tier: x", "host: 7",
          "host: a, bogus: 1", "host: a, ports: [{name: x, port: 1}, {name: x, port: 2}]",
          "host: a, ports: [{name: x}]", "host: a, ports: [{name: x, port: 70000}]", "host: a, meta: {kind: X}",
          "host: a, bogus: {x: 1}, more: 2", "host: B, replicas: 0, tier: x"})
        refused_alike(w, sites, site(spec));
    auto labelled = site("host: a");
    labelled.as_object()["metadata"].as_object()["lables"] = {{"a", "b"}};
    refused_alike(w, sites, labelled);
    CHECK(w.run.run(w.cluster.create(sites, "default", site("host: a, note: null, replicas: null"), checked)));
}

TEST_CASE("checked writes: built-in kinds are refused as by the server", "[checks]")
{
    world w;
    const auto of = [](std::string_view kind, std::string_view rest) {
        const auto text =
            "{apiVersion: v1, kind: " + std::string(kind) + ", metadata: {name: x}, " + std::string(rest) + '}';
        return load_manifests(text, "object").value().front();
    };
    for (const auto* spec : {"spec: {nodeNam: n, containers: []}", "spec: {containers: [{name: a, imagee: b}]}",
                             "spec: {containers: [{name: a, ports: [{contanerPort: 1}]}], bogus: 1}",
                             "spec: {terminationGracePeriodSeconds: x}", "spec: {containers: {}}", "sepc: {}"})
        refused_alike(w, pods, of("Pod", spec));
    refused_alike(w, maps, of("ConfigMap", "data: {a: b}, dta: {}"));
    CHECK(w.run.run(w.cluster.create(maps, "default", of("ConfigMap", "data: {a: b}"), checked)));
    const auto sent = w.net->seen.back();
    CHECK(sent.find("fieldValidation=Strict") != std::string::npos);
    // No schema is read for them.
    CHECK(std::ranges::none_of(w.net->seen, [](const auto& r) { return r.starts_with("GET"); }));
}

TEST_CASE("checked writes: duplicate fields of a text are refused as by the server", "[checks]")
{
    world w;
    for (const auto* text :
         {R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"1","k":"2"}})",
          R"({"kind":"ConfigMap","kind":"ConfigMap","metadata":{"name":"a"},"bogus":1})"}) {
        const auto own = w.run.run(w.cluster.create(maps, "default", text, checked));
        const auto theirs = w.run.run(w.cluster.create(maps, "default", text, strict));
        REQUIRE_FALSE(own);
        REQUIRE_FALSE(theirs);
        CHECK(words_of(own.error()) == words_of(theirs.error()));
    }
    const auto broken = w.run.run(w.cluster.create(maps, "default", "{", checked));
    CHECK(broken.error().message() == "the body does not match its schema: not sent");
    CHECK(broken.error().cause()->message() == "the body is not a JSON object");
}

TEST_CASE("checked writes: the schema is read once, and again when it may have changed", "[checks]")
{
    world w;
    const auto reads = [&] {
        return std::ranges::count(w.net->seen,
                                  "GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/sites.example.com");
    };
    for (int i = 0; i < 3; ++i) CHECK_FALSE(w.run.run(w.cluster.create(sites, "default", site("host: A"), checked)));
    CHECK(reads() == 1);
    std::string wider = site_definition;
    wider.replace(wider.find("^[a-z.]+$"), 9, "^[A-Za-z]+$");
    w.define(wider);
    w.net->seen.clear();
    CHECK_FALSE(w.run.run(w.cluster.create(sites, "default", site("host: A"), checked)));
    w.run.advance(10s);
    CHECK(w.run.run(w.cluster.create(sites, "default", site("host: A"), checked)));
    CHECK(reads() == 1);
    w.run.advance(10min - 1ms);
    auto again = site("host: A");
    again.as_object()["metadata"].as_object()["name"] = "b";
    CHECK(w.run.run(w.cluster.create(sites, "default", again, checked)));
    CHECK(reads() == 1);
    w.run.advance(1ms);
    again.as_object()["metadata"].as_object()["name"] = "c";
    CHECK(w.run.run(w.cluster.create(sites, "default", again, checked)));
    CHECK(reads() == 2);
}

TEST_CASE("checked writes: a user's schema is used without reading one", "[checks]")
{
    const auto definition = load_manifests(site_definition, "sites").value().front();
    write_checks checks{.fill_defaults = true, .schemas = {object_schema::of_crd(definition, "v1").value()}};
    world w(checks);
    CHECK_FALSE(w.run.run(w.cluster.create(sites, "default", site("host: A"), checked)));
    CHECK(w.net->seen.empty());
    const auto made = w.run.run(w.cluster.create(sites, "default", site("host: a"), checked));
    REQUIRE(made);
    CHECK(json::parse(w.net->bodies.back()).at("spec").at("tier") == "silver");
}

TEST_CASE("checked writes: defaults are sent only when they are asked for", "[checks]")
{
    world w;
    REQUIRE(w.run.run(w.cluster.create(sites, "default", site("host: a"), checked)));
    CHECK_FALSE(json::parse(w.net->bodies.back()).at("spec").as_object().contains("tier"));
}

TEST_CASE("checked writes: patches and applied parts are refused for what they say", "[checks]")
{
    world w;
    REQUIRE(w.run.run(w.cluster.create(sites, "default", site("host: a"))));
    w.net->seen.clear();
    const auto patched = [&](patch_kind kind, const char* body, const char* part = "") {
        return w.run.run(w.cluster.patch(sites, "default", "web", kind, body, checked, part));
    };
    CHECK(
        words_of(patched(patch_kind::merge, R"({"spec":{"replicas":10}})").error()) ==
        std::vector<std::string>{
            R"(Site.example.com "" is invalid: spec.replicas: Invalid value: 10: spec.replicas in body should be less than or equal to 9)",
            "FieldValueInvalid | spec.replicas | Invalid value: 10: spec.replicas in body should be less than or equal "
            "to 9"});
    CHECK(patched(patch_kind::merge, R"({"spec":{"bogus":1}})").error().status()->message ==
          R"(Site in version "v1" cannot be handled as a Site: strict decoding error: unknown field "spec.bogus")");
    // A list is replaced as a whole.
    CHECK(patched(patch_kind::merge, R"({"spec":{"ports":[{"name":"x"}]}})").error().status()->causes.front().field ==
          "spec.ports[0].port");
    CHECK(writes(w) == 0);
    // Required members may be there, null removes.
    CHECK(patched(patch_kind::merge, R"({"spec":{"replicas":3,"note":null}})"));
    CHECK(patched(patch_kind::merge, R"({"status":{"ready":true,"hosts":1}})", "status"));
    CHECK(patched(patch_kind::merge, R"({"status":{"hosts":-1}})", "status").error().status()->causes.front().field ==
          "status.hosts");
    // The server ignores the status here, and the spec there.
    CHECK(patched(patch_kind::merge, R"({"status":{"hosts":-1}})"));
    CHECK(patched(patch_kind::merge, R"({"spec":{"replicas":99}})", "status"));
    // A JSON patch is left to the server.
    CHECK(patched(patch_kind::json, R"([{"op":"add","path":"/spec/replicas","value":10}])").error().status()->code ==
          422);

    const auto applied = [&](const json::value& body) {
        const write_options how{.field_manager = "m", .force = true, .validation = field_validation::client};
        return w.run.run(w.cluster.apply(sites, "default", "web", body, how));
    };
    const auto before = writes(w);
    const auto unknown = applied(site("bogus: 1"));
    CHECK(unknown.error().status()->message == "failed to create typed patch object (/web; example.com/v1, Kind=Site): "
                                               ".spec.bogus: field not declared in schema");
    CHECK(unknown.error() == cond::invalid);
    CHECK(applied(site("replicas: 10")).error().status()->causes.front().field == "spec.replicas");
    CHECK(writes(w) == before);
    CHECK(applied(site("replicas: 4, ports: [{name: x, port: 1}]")));
    // Another manager has the rest of the item.
    CHECK(applied(site("ports: [{name: x}]")).error().status()->causes.front().field == "spec.ports[0].port");
}

TEST_CASE("checked writes: status and spec are checked where they are written", "[checks]")
{
    world w;
    const auto bad_status = site("host: a", ", status: {hosts: 1}");
    REQUIRE(w.run.run(w.cluster.create(sites, "default", bad_status, checked)));
    auto now = w.run.run(w.cluster.get(sites, "default", "web")).value().to_json();
    now.as_object()["status"] = {{"hosts", 1}};
    const auto refused = w.run.run(w.cluster.update(sites, "default", "web", now, checked, "status"));
    CHECK(words_of(refused.error()) ==
          words_of(w.run.run(w.cluster.update(sites, "default", "web", now, strict, "status")).error()));
    now.as_object()["status"] = {{"ready", true}};
    now.as_object()["spec"].as_object()["replicas"] = 99;
    CHECK(w.run.run(w.cluster.update(sites, "default", "web", now, checked, "status")));
    CHECK_FALSE(w.run.run(w.cluster.update(sites, "default", "web", now, checked)));
    // Other subresources have kinds of their own.
    CHECK(w.run.run(w.cluster.create_subresource(maps, "default", "x", "odd", R"({"a":1})", checked)).error() ==
          cond::not_found);
}

TEST_CASE("checked writes: every write of a client can be checked, also those of helpers", "[checks]")
{
    world w(write_checks{.always = true});
    const object_key web{"default", "web"};
    const auto edit = [](const char* host) { return [host](json::object& o) { field(o, "spec", "host") = host; }; };
    const auto before = writes(w);
    CHECK(w.run.run(create_or_update(w.cluster, sites, web, edit("A"))).error() == cond::invalid);
    CHECK(writes(w) == before);
    REQUIRE(w.run.run(create_or_update(w.cluster, sites, web, edit("a"))));
    CHECK(w.run.run(create_or_patch(w.cluster, sites, web, edit("B"))).error() == cond::invalid);
    const auto live = w.run.run(w.cluster.get(sites, "default", "web")).value();
    CHECK(w.run.run(patch_status(w.cluster, live, {{"bogus", 1}})).error() == cond::invalid);
    CHECK(writes(w) == before + 1);
    // A write that says otherwise is not checked.
    const write_options as_it_is{.validation = field_validation::ignore};
    auto other = site("host: a, bogus: 1");
    other.as_object()["metadata"].as_object()["name"] = "other";
    CHECK(w.run.run(w.cluster.create(sites, "default", other, as_it_is)));
}

TEST_CASE("checked writes: without the right to read definitions, the published schema is used", "[checks]")
{
    world w;
    w.net->forbidden = "/apis/apiextensions.k8s.io";
    for (const auto* spec : {"host: A", "host: a, bogus: 1", "host: a, ports: [{name: x}]"})
        refused_alike(w, sites, site(spec));
    CHECK(std::ranges::any_of(w.net->seen,
                              [](const auto& r) { return r.starts_with("GET /openapi/v3/apis/example.com/v1"); }));
    CHECK(w.run.run(w.cluster.create(sites, "default", site("host: a", ", status: {hosts: 1}"), checked)));
    CHECK(w.lines.empty());
}

TEST_CASE("checked writes: a kind without a schema is sent, counted and reported once", "[checks]")
{
    world w;
    const resource_type unknown{"other.com", "v1", "things", "Thing"};
    for (int i = 0; i < 2; ++i)
        CHECK(w.run.run(w.cluster.create(unknown, "default", R"({"metadata":{"name":"a"}})", checked)).error() ==
              cond::not_found);
    CHECK(writes(w) == 2);
    REQUIRE(w.lines.size() == 1);
    CHECK(w.lines.front().find("writes of this kind are not checked before they are sent") != std::string::npos);
    CHECK(w.lines.front().find("things.other.com v1") != std::string::npos);
}

TEST_CASE("checked writes: writers that need the same schema share one read", "[checks]")
{
    world w;
    int refused = 0;
    for (int i = 0; i < 10; ++i)
        asio::co_spawn(w.run.executor(), w.cluster.create(sites, "default", site("host: A"), checked),
                       [&](std::exception_ptr, result<object> done) { refused += done ? 0 : 1; });
    w.run.advance(1s);
    CHECK(refused == 10);
    CHECK(w.net->seen.size() == 1);
}

namespace {

const resource_type shelves{"example.com", "v1", "shelves", "Shelf"};

/// Lists whose items are completed by the server, one that is replaced and one that is merged.
const char* const shelf_definition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shelves.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: shelves, singular: shelf, kind: Shelf}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              colour: {type: string}
              books:
                type: array
                items:
                  type: object
                  required: [title, copies]
                  properties:
                    title: {type: string, maxLength: 5}
                    copies: {type: integer, default: 1, minimum: 1}
                    note: {type: string}
)";

json::value shelf(std::string_view spec)
{
    const auto text = "{apiVersion: example.com/v1, kind: Shelf, metadata: {name: web, namespace: default, finalizers: "
                      "[example.com/a]}, spec: {" +
                      std::string(spec) + "}}";
    return load_manifests(text, "shelf").value().front();
}

/// An object that became invalid when its definition became stricter.
struct tightened : world
{
    tightened()
    {
        define(shelf_definition);
        REQUIRE(run.run(cluster.create(shelves, "default", shelf("colour: white, books: [{title: iliad}]"))));
        std::string strict_definition = shelf_definition;
        const std::string free = "colour: {type: string}";
        strict_definition.replace(strict_definition.find(free), free.size(), "colour: {type: string, enum: [red]}");
        define(strict_definition);
        net->seen.clear();
    }
    json::value live() { return run.run(cluster.get(shelves, "default", "web")).value().to_json(); }
    result<object> replace(const json::value& o, write_options how)
    {
        return run.run(cluster.update(shelves, "default", "web", o, how));
    }
    result<object> merge(const char* body, write_options how)
    {
        return run.run(cluster.patch(shelves, "default", "web", patch_kind::merge, body, how));
    }
    result<object> applied(std::string_view spec, field_validation how)
    {
        auto body = shelf(spec);
        body.as_object()["metadata"].as_object().erase("finalizers");
        const write_options options{.field_manager = "m", .force = true, .validation = how};
        return run.run(cluster.apply(shelves, "default", "web", body, options));
    }
};

} // namespace

TEST_CASE("checked writes: items of lists are completed before they are checked", "[checks]")
{
    world w;
    w.define(shelf_definition);
    REQUIRE(w.run.run(w.cluster.create(shelves, "default", shelf("colour: red"))));
    const char* const body = R"({"spec":{"books":[{"title":"a","note":null}]}})";
    const char* const bad = R"({"spec":{"books":[{"note":"a"}]}})";
    for (const auto& how : {strict, checked}) {
        CHECK(w.run.run(w.cluster.patch(shelves, "default", "web", patch_kind::merge, body, how)));
        const auto refused = w.run.run(w.cluster.patch(shelves, "default", "web", patch_kind::merge, bad, how));
        REQUIRE_FALSE(refused);
        CHECK(refused.error().status()->causes.front().field == "spec.books[0].title");
        const write_options apply{.field_manager = "m", .force = true, .validation = how.validation};
        CHECK(w.run.run(w.cluster.apply(shelves, "default", "web", shelf("books: [{title: b}]"), apply)));
    }
}

TEST_CASE("checked writes: invalid values that a write does not change are forgiven, as by the server", "[checks]")
{
    tightened w;
    for (const auto& how : {strict, checked}) {
        INFO((how.validation == field_validation::strict ? "strict" : "client"));
        auto o = w.live();
        o.as_object()["metadata"].as_object()["labels"] = {{"by", how.validation == checked.validation ? "a" : "b"}};
        CHECK(w.replace(o, how));
        CHECK(w.merge(R"({"spec":{"colour":"white"}})", how));
        CHECK(w.applied("colour: white", how.validation));
        // The fields that change are held to the new rules, and so are names.
        auto other = w.live();
        other.at("spec").as_object()["colour"] = "blue";
        const auto refused = w.replace(other, how);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().status()->causes.front().field == "spec.colour");
        CHECK_FALSE(w.merge(R"({"spec":{"colour":"blue"}})", how));
        CHECK_FALSE(w.applied("colour: blue", how.validation));
        CHECK_FALSE(w.merge(R"({"spec":{"colour":"white","bogus":1}})", how));
    }
    // The last word about an object: its finalizer goes.
    auto last = w.live();
    last.as_object()["metadata"].as_object().erase("finalizers");
    CHECK(w.replace(last, checked));
    CHECK_FALSE(w.live().at("metadata").as_object().contains("finalizers"));
}

TEST_CASE("checked writes: the present object is read for a refusal alone, and the server decides if it cannot be",
          "[checks]")
{
    tightened w;
    const auto reads = [&] {
        return std::ranges::count(w.net->seen, "GET /apis/example.com/v1/namespaces/default/shelves/web");
    };
    CHECK(w.merge(R"({"spec":{"colour":"red"}})", checked));
    CHECK(reads() == 0);
    CHECK_FALSE(w.merge(R"({"spec":{"colour":"blue"}})", checked));
    CHECK(reads() == 1);
    auto made = shelf("colour: blue");
    made.as_object()["metadata"].as_object()["name"] = "new";
    CHECK_FALSE(w.run.run(w.cluster.create(shelves, "default", made, checked)));
    CHECK(reads() == 1);
    CHECK(writes(w) == 1);
    w.net->forbidden = "/apis/example.com/v1/namespaces/default/shelves/web";
    CHECK(w.merge(R"({"spec":{"colour":"blue"}})", checked).error() == cond::forbidden);
    CHECK(writes(w) == 2);
}

TEST_CASE("checked writes: a schema that cannot be read again stays in use", "[checks]")
{
    world w;
    CHECK_FALSE(w.run.run(w.cluster.create(sites, "default", site("host: A"), checked)));
    w.run.advance(10s);
    w.net->forbidden = "/";
    CHECK(w.run.run(w.cluster.create(sites, "default", site("host: A"), checked)).error() == cond::invalid);
    CHECK(writes(w) == 0);
    CHECK(w.lines.empty());
}
