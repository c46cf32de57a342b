// Controllers of derived collections, and of the objects that they say are to exist.
#include "manager_fixture.hpp"

#include <kubecoro/collections/derive.hpp>
#include <kubecoro/manager/apply_all.hpp>

#include <stdexcept>

using namespace manager_test;

namespace {

struct fixture : world
{
    shared_informer<config_map> maps = m->informer<config_map>();
    std::optional<live_queries> live;

    fixture() { live.emplace(run.executor(), live_queries_options{.time = run.shared_clock(), .log = log.handle()}); }
    ~fixture()
    {
        CHECK(run.run(m->stop()));
        CHECK(run.run(live->stop()));
    }

    void set(const std::string& name, const std::string& value)
    {
        REQUIRE(run.run(create_or_update<config_map>(cluster, {"default", name}, [value](config_map& c) {
            c.data = {{"a", value}};
        })));
        run.advance(1s);
    }
    void remove(const std::string& name)
    {
        REQUIRE(run.run(cluster.resource<config_map>("default").remove(name)));
        run.advance(1s);
    }
    /// "name=value" of the Secrets.
    lines secrets()
    {
        lines out;
        const auto all = run.run(cluster.resource<secret>("default").list());
        for (const auto& s : all->items)
            out.push_back(std::string(s.name()) + "=" + std::string(s->metadata().labels()["value"]));
        return out;
    }
    /// A Secret for each ConfigMap with a value: that of "bad" throws.
    collection<secret> wanted()
    {
        return derive<secret>(*live, maps, [](const typed_object<config_map>& c) -> std::optional<secret> {
            const auto value = std::string(c->data()["a"]);
            if (value == "bad") throw std::runtime_error("a bad value");
            if (value.empty()) return std::nullopt;
            return secret{
                .metadata = {.name = std::string(c.name()), .namespace_ = "default", .labels = {{"value", value}}}};
        });
    }
};

} // namespace

TEST_CASE_METHOD(fixture, "manager: a controller of a collection runs its keys", "[manager]")
{
    lines runs;
    const auto values = derive<std::string>(
        *live, maps, [](const typed_object<config_map>& c) { return std::string(c->data()["a"]); }, {.name = "values"});
    const auto by_key = m->control<std::string>(values, [&](const object_key& key, reconcile_context&) -> reconciled {
        runs.push_back(to_string(key));
        co_return action::done();
    });
    m->control(values, [&](const collection<std::string>::shared& value, reconcile_context&) -> reconciled {
        runs.push_back("value " + *value);
        co_return action::done();
    });
    CHECK(by_key.name() == "values");
    put("x");
    begin();
    std::sort(runs.begin(), runs.end());
    CHECK(std::exchange(runs, {}) == lines{"default/x", "value 1"});
    set("x", "2");
    std::sort(runs.begin(), runs.end());
    CHECK(std::exchange(runs, {}) == lines{"default/x", "value 2"});
    remove("x");
    CHECK(runs == lines{"default/x"});
}

TEST_CASE_METHOD(fixture, "manager: apply_all keeps what is in the collection, and deletes what has left it",
                 "[manager]")
{
    const secret foreign{.metadata = {.name = "c", .labels = {{"value", "theirs"}}}};
    REQUIRE(run.run(cluster.resource<secret>("default").create(foreign)));
    const secret former{
        .metadata = {.name = "old", .labels = {{"app.kubernetes.io/managed-by", "shop"}, {"value", "0"}}}};
    REQUIRE(run.run(cluster.resource<secret>("default").create(former)));
    apply_all(*m, wanted(), {.owner = "shop"});
    put("a");
    begin();
    CHECK(secrets() == lines{"a=1", "c=theirs"}); // that of an earlier run is gone
    set("b", "2");
    set("a", "3");
    CHECK(secrets() == lines{"a=3", "b=2", "c=theirs"});

    SECTION("what has left the collection is deleted")
    {
        remove("a");
        set("b", "");
        CHECK(secrets() == lines{"c=theirs"});
    }
    SECTION("an object that others delete or change comes back")
    {
        REQUIRE(run.run(cluster.resource<secret>("default").remove("a")));
        run.advance(1s);
        CHECK(secrets() == lines{"a=3", "b=2", "c=theirs"});
    }
    SECTION("an object of another owner is left alone")
    {
        set("c", "ours");
        CHECK(secrets() == lines{"a=3", "b=2", "c=theirs"});
        remove("c");
        CHECK(secrets() == lines{"a=3", "b=2", "c=theirs"});
    }
    SECTION("nothing is deleted while a result is stale")
    {
        set("z", "bad");
        remove("a");
        run.advance(30s);
        CHECK(secrets() == lines{"a=3", "b=2", "c=theirs"});
        set("z", "5");
        run.advance(30s);
        CHECK(secrets() == lines{"b=2", "c=theirs", "z=5"});
    }
}
