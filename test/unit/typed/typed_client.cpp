// Tests of reads and writes of structs.
#include "typed_fixture.hpp"

#include <kubecoro/api/described.hpp>
#include <kubecoro/api/structs.hpp>
#include <kubecoro/apiextensions_v1/custom_resource_definition.hpp>
#include <kubecoro/client/struct_edit.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>

using namespace typed_test;

namespace shop {

struct site_spec
{
    std::string host;
    std::optional<int> replicas;
};
BOOST_DESCRIBE_STRUCT(site_spec, (), (host, replicas))

struct site
{
    static kubecoro::resource_type resource() { return {"example.com", "v1", "sites", "Site"}; }
    kubecoro::meta_v1::object_meta metadata;
    site_spec spec;
};
BOOST_DESCRIBE_STRUCT(site, (), (metadata, spec))

} // namespace shop

namespace {

const char* const definition_of_sites = R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"sites.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
    "names":{"plural":"sites","singular":"site","kind":"Site"},"versions":[{"name":"v1","served":true,"storage":true,
    "schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{
        "host":{"type":"string"},"replicas":{"type":"integer"}}}}}}}]}})";

} // namespace

TEST_CASE("typed client: creates, reads, lists, replaces and removes", "[typed]")
{
    world w;
    const auto maps = w.maps();
    const auto made = w.run.run(maps.create(world::map_of("a", "1")));
    REQUIRE(made);
    CHECK(a_of(*made) == "1");
    REQUIRE(w.run.run(maps.create(R"({"metadata":{"name":"b"}})")));
    const auto page = w.run.run(maps.list({.limit = 1}));
    REQUIRE(page);
    REQUIRE(page->items.size() == 1);
    CHECK(a_of(page->items.front()) == "1");
    CHECK_FALSE(page->continue_token.empty());
    CHECK(page->remaining == 1);
    CHECK(page->left_out.empty());
    const auto all = w.run.run(maps.list_all());
    REQUIRE(all);
    CHECK(all->items.size() == 2);
    CHECK_FALSE(all->resource_version.empty());

    auto changed = read_struct(*made);
    REQUIRE(changed);
    changed->data["a"] = "2";
    const auto replaced = w.run.run(maps.update(*changed));
    REQUIRE(replaced);
    CHECK(a_of(*replaced) == "2");
    CHECK(w.run.run(maps.update(*changed)).error() == cond::conflict); // of the version that was read
    CHECK(a_of(w.run.run(maps.get("a")).value()) == "2");
    w.remove("a");
    CHECK(w.run.run(maps.get("a")).error() == cond::not_found);
    CHECK(w.run.run(maps.list()).value().items.size() == 1);
}

TEST_CASE("typed client: an object that may be absent, and its removal", "[typed]")
{
    world w;
    const object_key key("default", "a");
    REQUIRE(w.run.run(w.maps().create(world::map_of("a", "1"))));
    const auto there = w.run.run(get_or_none<config_map>(w.cluster, key)).value();
    CHECK(a_of(there) == "1");
    CHECK(there.uid() == there.untyped().uid());
    CHECK_FALSE(there.uid().empty());
    REQUIRE(w.run.run(remove_and_wait<config_map>(w.cluster, key)));
    const auto gone = w.run.run(get_or_none<config_map>(w.cluster, key));
    REQUIRE(gone);
    CHECK_FALSE(*gone);
}

TEST_CASE("typed client: lists and pages can be sorted", "[typed]")
{
    world w;
    for (const char* name : {"b", "c", "a"})
        REQUIRE(w.run.run(w.maps().create(R"({"metadata":{"name":")" + std::string(name) +
                                          R"(","labels":{"l":"1"},"annotations":{"n":"2"}}})")));
    const auto by_name = [](const auto& o) { return o.name(); };
    const auto names = [&](const auto& all) {
        lines out;
        for (const auto& o : all) out.emplace_back(o.name());
        return out;
    };
    auto page = w.run.run(w.maps().list_all()).value();
    std::ranges::sort(page, std::ranges::greater(), by_name);
    CHECK(names(page) == lines{"c", "b", "a"});
    auto untyped_page = w.run.run(w.maps().untyped().list()).value();
    std::ranges::sort(untyped_page, std::ranges::greater(), by_name);
    CHECK(names(untyped_page) == lines{"c", "b", "a"});
    auto all = page.items;
    std::ranges::sort(all, {}, by_name);
    CHECK(names(all) == lines{"a", "b", "c"});
    CHECK(all.front().labels()["l"].as_string() == "1");
    CHECK(all.front().annotations()["n"].as_string() == "2");
}

TEST_CASE("typed client: a struct without a name is refused before it is sent", "[typed]")
{
    world w;
    const config_map nameless{.data = {{"a", "1"}}};
    CHECK(w.run.run(w.maps().update(nameless)).error() == cond::invalid);
    CHECK(w.run.run(w.maps().apply(nameless, {.field_manager = "me"})).error() == cond::invalid);
    const auto generated = w.run.run(w.maps().create({.metadata = {.generateName = "some-"}}));
    REQUIRE(generated);
    CHECK(generated->name().starts_with("some-"));
}

TEST_CASE("typed client: a struct of a partial object is not written", "[typed]")
{
    world w;
    const auto maps = w.maps();
    w.put("a", "1");
    auto changed = read_struct(w.run.run(maps.get("a")).value()).value();
    changed.data["a"] = "2";
    changed.other_fields.set_partial(true);
    CHECK(w.run.run(maps.update(changed)).error() == cond::invalid);
    CHECK(w.run.run(maps.create(changed)).error() == cond::invalid);
    CHECK(w.run.run(maps.apply(changed, {.field_manager = "me"})).error() == cond::invalid);
    CHECK(a_of(w.run.run(maps.get("a")).value()) == "1");
    changed.other_fields.set_partial(false);
    CHECK(w.run.run(maps.update(changed)));
    CHECK(a_of(w.run.run(maps.get("a")).value()) == "2");
}

TEST_CASE("typed client: apply owns exactly the fields that are set", "[typed]")
{
    world w;
    const auto maps = w.maps();
    w.put("a", "1");
    const config_map mine{.metadata = {.name = "a"}, .data = {{"b", "2"}}};
    const auto applied = w.run.run(maps.apply(mine, {.field_manager = "me"}));
    REQUIRE(applied);
    CHECK(a_of(*applied) == "1");
    CHECK((*applied)->data()["b"] == "2");
    const config_map none{.metadata = {.name = "a"}};
    const auto left = w.run.run(maps.apply(none, {.field_manager = "me"}));
    REQUIRE(left);
    CHECK(a_of(*left) == "1");
    CHECK_FALSE((*left)->data().contains("b"));
}

TEST_CASE("typed client: edits of structs", "[typed]")
{
    world w;
    const object_key key("default", "a");
    const auto set = [](std::string to) { return [to](config_map& m) { m.data["a"] = to; }; };
    const auto one = set("1");
    const auto two = set("2");
    auto done = w.run.run(create_or_update<config_map>(w.cluster, key, one));
    REQUIRE(done);
    CHECK(done->effect == write_effect::created);
    done = w.run.run(create_or_update<config_map>(w.cluster, key, one));
    REQUIRE(done);
    CHECK(done->effect == write_effect::unchanged);
    done = w.run.run(create_or_patch<config_map>(w.cluster, key, two));
    REQUIRE(done);
    CHECK(done->effect == write_effect::updated);
    CHECK(done->now["data"]["a"].as_string() == "2");
    const auto refusing = [](config_map&) -> result<> { return failure(cond::invalid, "no"); };
    CHECK(w.run.run(retry_on_conflict<config_map>(w.cluster, key, refusing)).error() == cond::invalid);
    const auto always_refusing = [](config_map&) { return failure(cond::forbidden, "never"); };
    CHECK(w.run.run(retry_on_conflict<config_map>(w.cluster, key, always_refusing)).error() == cond::forbidden);
    const auto saying_false = [](config_map& m) { return m.data.erase("missing") != 0; };
    CHECK(w.run.run(retry_on_conflict<config_map>(w.cluster, key, saying_false))->effect == write_effect::unchanged);
    done = w.run.run(retry_on_conflict<config_map>(w.cluster, key, one));
    REQUIRE(done);
    CHECK(done->now["data"]["a"].as_string() == "1");
    CHECK(done->now["metadata"]["name"].as_string() == "a");
}

TEST_CASE("typed client: structs that are written by hand work the same way", "[typed]")
{
    world w;
    REQUIRE(
        w.run.run(w.cluster.create(apiextensions_v1::custom_resource_definition::resource(), "", definition_of_sites)));
    w.settle();
    const auto sites = w.cluster.resource<shop::site>("default");
    const shop::site wanted{.metadata = {.name = "a"}, .spec = {.host = "a.example.com", .replicas = 2}};
    REQUIRE(w.run.run(sites.create(wanted)));

    const auto informer = w.informers.get<shop::site>();
    static_assert(std::is_same_v<decltype(informer), const shared_informer<shop::site>>);
    w.informers.start();
    REQUIRE(w.run.run(informer.has_synced()));
    const auto stored = informer.lister().get("default", "a");
    REQUIRE(stored);
    auto read = read_struct(stored);
    REQUIRE(read);
    CHECK(read->spec.host == "a.example.com");
    read->spec.replicas = 3;
    const auto updated = w.run.run(sites.update(*read));
    REQUIRE(updated);
    CHECK(updated->untyped()["spec"]["replicas"].as_int64() == 3);
}

TEST_CASE("typed client: a struct is controlled by the owner whose uid its controller reference has", "[typed]")
{
    world w;
    const auto owner = w.run.run(w.maps().create(world::map_of("owner", "1")));
    const auto other = w.run.run(w.maps().create(world::map_of("other", "1")));
    REQUIRE(owner);
    REQUIRE(other);
    config_map m = world::map_of("m", "1");
    m.metadata.namespace_ = "default";
    CHECK_FALSE(is_controlled_by(m, *owner));
    set_owner_reference(*other, m);
    CHECK_FALSE(is_controlled_by(m, *other));
    set_controller_reference(*owner, m);
    CHECK(is_controlled_by(m, *owner));
    CHECK_FALSE(is_controlled_by(m, *other));
    m.metadata.ownerReferences.front().uid.reset();
    m.metadata.ownerReferences.back().uid.reset();
    CHECK_FALSE(is_controlled_by(m, object()));
}

TEST_CASE("typed client: owners of structs", "[typed]")
{
    world w;
    const auto owner = w.run.run(w.maps().create(world::map_of("owner", "1")));
    REQUIRE(owner);
    config_map owned = world::map_of("owned", "1");
    owned.metadata.namespace_ = "default";
    owned.other_fields.set("fieldOfTomorrow", 1);
    set_controller_reference(*owner, owned);
    REQUIRE(owned.metadata.ownerReferences.size() == 1);
    CHECK(owned.metadata.ownerReferences.front().uid == std::string(owner->untyped().uid()));
    CHECK(owned.metadata.ownerReferences.front().controller == true);
    CHECK(owned.data.at("a") == "1");
    CHECK(to_text(owned).find("fieldOfTomorrow") != std::string::npos);
    CHECK_FALSE(owned.other_fields.is_partial());
    owned.other_fields.set_partial(true);
    set_controller_reference(*owner, owned);
    CHECK(owned.other_fields.is_partial());
    config_map other = world::map_of("other", "1");
    other.metadata.namespace_ = "elsewhere";
    CHECK_THROWS_AS(set_owner_reference(*owner, other), error);
    CHECK(other.metadata.ownerReferences.empty());
    other.metadata.namespace_ = "default";
    set_owner_reference(*owner, other);
    REQUIRE(other.metadata.ownerReferences.size() == 1);
    CHECK_FALSE(other.metadata.ownerReferences.front().controller.value_or(false));
}

TEST_CASE("typed client: what a struct does not know stays in the object", "[typed]")
{
    boost::json::object o = boost::json::parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},
        "data":{"a":"1"},"fieldOfTomorrow":{"x":[1]}})")
                                .as_object();
    const auto edit = struct_edit<config_map>([](config_map& m) { m.data["a"] = "2"; });
    auto on_json = struct_edit<config_map>(edit).untyped();
    REQUIRE(on_json(o));
    CHECK(o.at("fieldOfTomorrow") == boost::json::parse(R"({"x":[1]})"));
    CHECK(o.at("data") == boost::json::parse(R"({"a":"2"})"));
    CHECK(o.at("kind") == "ConfigMap");
    o["kind"] = "Secret";
    CHECK(on_json(o).error() == cond::invalid);
}

TEST_CASE("typed client: an object that is nested deeply can be edited as a struct", "[typed]")
{
    const std::string deep = std::string(150, '[') + std::string(150, ']');
    boost::json::parse_options limits;
    limits.max_depth = 200;
    boost::json::object o =
        boost::json::parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"fieldOfTomorrow":)" +
                               deep + "}",
                           {}, limits)
            .as_object();
    const auto before = o.at("fieldOfTomorrow");
    REQUIRE(struct_edit<config_map>([](config_map& m) { m.data["a"] = "2"; }).untyped()(o));
    CHECK(o.at("data") == boost::json::parse(R"({"a":"2"})"));
    CHECK(o.at("fieldOfTomorrow") == before);
}

TEST_CASE("typed client: a struct without a place for unknown fields changes what it changes, and nothing else",
          "[typed]")
{
    boost::json::object o = boost::json::parse(R"({"apiVersion":"example.com/v1","kind":"Site","metadata":{"name":"a"},
        "spec":{"host":"a","replicas":2,"of":{"tomorrow":1}},"status":{"x":1}})")
                                .as_object();
    const auto grow = [](shop::site& s) {
        s.spec.host = "b";
        s.spec.replicas.reset();
        s.metadata.labels["l"] = "1";
    };
    REQUIRE(struct_edit<shop::site>(grow).untyped()(o));
    CHECK(o == boost::json::parse(R"({"apiVersion":"example.com/v1","kind":"Site",
        "metadata":{"name":"a","labels":{"l":"1"}},"spec":{"host":"b","of":{"tomorrow":1}},"status":{"x":1}})"));
}

TEST_CASE("typed client: an edit that begins a part keeps its fields that the struct does not know", "[typed]")
{
    boost::json::object o =
        boost::json::parse(
            R"({"apiVersion":"example.com/v1","kind":"Site","metadata":{"name":"a"},"spec":{"tomorrow":1}})")
            .as_object();
    REQUIRE(struct_edit<shop::site>([](shop::site& s) {
                s.metadata.labels["l"] = "1";
                s.spec.host = "b";
            }).untyped()(o));
    CHECK(o.at("spec").at("tomorrow") == 1);
    CHECK(o.at("spec").at("host") == "b");
}
