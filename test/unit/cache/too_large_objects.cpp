// Tests of objects that a decoder had to skip: they are named, counted and reported, without further effect.
#include "informer_fixture.hpp"
#include "reflector_script.hpp"

using namespace informer_test;
using kubecoro::left_out_object;
using kubecoro::object;
using kubecoro::object_key;
using kubecoro::watch_event;
using kubecoro::watch_event_type;
using reflector_test::core;
using reflector_test::script;

namespace {

object pod_of(const std::string& name, const std::string& version, const std::string& uid)
{
    return kt::make_object({.ns = "web", .name = name, .resource_version = version, .uid = uid});
}

left_out_object left_out(const std::string& name, const std::string& version, const std::string& uid,
                         const std::string& ns = "web")
{
    return {object_key(ns, name), uid, version, "an object is larger than 9 bytes"};
}

watch_event too_large(watch_event_type type, const left_out_object& what)
{
    watch_event e;
    e.type = type;
    e.left_out = std::make_shared<const left_out_object>(what);
    return e;
}

kubecoro::list_page page_without(std::vector<object> items, std::vector<left_out_object> missing, std::string version)
{
    auto page = kt::make_page(std::move(items), std::move(version));
    page.left_out = std::move(missing);
    return page;
}

} // namespace

TEST_CASE("too large: an event is skipped, reported once by name, and counted until a later one can be decoded",
          "[cache][reflector][too-large]")
{
    script s({}, {"Pod", "v1", "web"});
    s.to_watch();
    s.events(
        {too_large(watch_event_type::modified, left_out("a", "8", "u")), kt::added(kt::make_pod("web", "b", "9"))});
    const auto some = s.as<core::do_apply>();
    CHECK(some.changes.size() == 1);
    CHECK(some.resource_version == "9");
    s.applied();
    CHECK(s.reads());
    CHECK(s.c.stats().skipped == 1);
    CHECK(s.c.stats().outdated == 1);
    CHECK(s.c.stats().relists_total() == 0);
    const auto told = s.c.take_incidents();
    REQUIRE(told.size() == 1);
    CHECK(told.front().skipped);
    CHECK(told.front().outdated);
    CHECK(told.front().why.message() == "web/a of version 8 cannot be read: an object is larger than 9 bytes");
    SECTION("alone it advances the version as well")
    {
        s.events({too_large(watch_event_type::modified, left_out("a", "10", "u"))});
        CHECK(s.as<core::do_apply>().changes.empty());
        s.applied();
        CHECK(s.c.resource_version() == "10");
        CHECK(s.c.stats().outdated == 1);
        CHECK(s.c.stats().skipped == 2);
    }
    SECTION("a later state ends it")
    {
        s.events({kt::modified(kt::make_pod("web", "b", "11"))});
        CHECK(s.c.stats().outdated == 1);
        s.applied();
        s.events({kt::modified(kt::make_pod("web", "a", "12"))});
        CHECK(s.c.stats().outdated == 0);
    }
    SECTION("its deletion is applied by name")
    {
        s.events({too_large(watch_event_type::deleted, left_out("a", "12", "u"))});
        const auto gone = s.as<core::do_apply>();
        REQUIRE(gone.changes.size() == 1);
        CHECK(gone.changes[0].type == kubecoro::delta_type::deleted);
        CHECK(gone.changes[0].obj.key() == object_key("web", "a"));
        CHECK(gone.resource_version == "12");
        CHECK(s.c.stats().outdated == 0);
    }
    SECTION("one of another namespace is foreign")
    {
        s.events({too_large(watch_event_type::added, left_out("a", "12", "u", "jobs"))});
        CHECK(s.c.resource_version() == "9");
        CHECK(s.c.stats().outdated == 1);
        CHECK_FALSE(s.c.take_incidents().front().outdated);
    }
}

TEST_CASE("too large: every object is named, however many arrive at once", "[cache][reflector][too-large]")
{
    script s;
    s.to_watch();
    std::vector<watch_event> batch;
    for (int i = 0; i < 40; ++i)
        batch.push_back(too_large(watch_event_type::added, left_out("p" + std::to_string(i), "8", "u")));
    s.events(std::move(batch));
    CHECK(s.c.take_incidents().size() == 40);
    CHECK(s.c.stats().outdated == 40);
}

TEST_CASE("too large: a list reports the items to leave unchanged, page by page", "[cache][reflector][too-large]")
{
    script s;
    s.start();
    auto first = page_without({kt::make_pod("web", "a", "1")}, {left_out("x", "2", "u")}, "5");
    first.continue_token = "more";
    s.page(std::move(first));
    CHECK(s.lists().continue_token == "more");
    s.page(page_without({kt::make_pod("web", "b", "1")}, {left_out("y", "3", "u")}, "5"));
    const auto all = s.replaces();
    CHECK(all.items.size() == 2);
    REQUIRE(all.left_out.size() == 2);
    CHECK(all.left_out[1].key.name == "y");
    CHECK(s.c.stats().outdated == 2);
    CHECK(s.c.stats().skipped == 2);
    s.applied();
    s.opened();
    s.events({kt::error_event(410, "Expired")});
    s.waits();
    s.page(kt::make_page({kt::make_pod("web", "a", "1")}, "9"));
    CHECK(s.c.stats().outdated == 0);
}

TEST_CASE("too large: the initial events of a stream", "[cache][reflector][stream][too-large]")
{
    script s({}, {"Pod", "v1", ""}, 3, std::make_shared<kubecoro::detail::watch_list_ability>());
    s.next = s.c.start(s.now);
    s.opened();
    s.events({kt::added(kt::make_pod("web", "a", "1")), too_large(watch_event_type::added, left_out("x", "2", "u")),
              kt::bookmark("5", true)});
    const auto all = s.replaces();
    CHECK(all.items.size() == 1);
    REQUIRE(all.left_out.size() == 1);
    CHECK(s.c.stats().outdated == 1);
}

TEST_CASE("too large: an object that is deleted during the initial events is not in the list",
          "[cache][reflector][stream][too-large]")
{
    script s({}, {"Pod", "v1", ""}, 3, std::make_shared<kubecoro::detail::watch_list_ability>());
    s.next = s.c.start(s.now);
    s.opened();
    s.events({kt::added(kt::make_pod("web", "a", "1")), too_large(watch_event_type::added, left_out("x", "2", "u")),
              too_large(watch_event_type::added, left_out("y", "2", "u")),
              too_large(watch_event_type::added, left_out("z", "2", "u"))});
    CHECK(s.reads());
    s.events({too_large(watch_event_type::deleted, left_out("a", "3", "u")),
              too_large(watch_event_type::deleted, left_out("x", "3", "u")), kt::deleted(kt::make_pod("web", "y", "4")),
              kt::modified(kt::make_pod("web", "z", "4")), kt::bookmark("5", true)});
    const auto all = s.replaces();
    CHECK(all.left_out.empty());
    REQUIRE(all.items.size() == 1);
    CHECK(all.items[0].name() == "z");
    CHECK(s.c.stats().outdated == 0);
}

TEST_CASE("too large: many that can be read again during the initial events take a time linear in their number",
          "[cache][reflector][stream][too-large]")
{
    constexpr int many = 50'000;
    script s({}, {"Pod", "v1", ""}, 3, std::make_shared<kubecoro::detail::watch_list_ability>());
    s.next = s.c.start(s.now);
    s.opened();
    const auto name = [](int i) { return "p" + std::to_string(i); };
    std::vector<watch_event> batch;
    for (int i = 0; i < many; ++i) batch.push_back(too_large(watch_event_type::added, left_out(name(i), "2", "u")));
    // All but the last one are readable; one is not once more, twice.
    for (int i = 0; i + 1 < many; ++i) batch.push_back(kt::modified(kt::make_pod("web", name(i), "3")));
    for (const char* version : {"4", "5"})
        batch.push_back(too_large(watch_event_type::modified, left_out(name(7), version, "u")));
    batch.push_back(kt::bookmark("6", true));
    s.events(std::move(batch));
    const auto all = s.replaces();
    CHECK(all.items.size() == many - 1);
    REQUIRE(all.left_out.size() == 2);
    CHECK(all.left_out[0].key.name == name(many - 1));
    CHECK(all.left_out[1].key.name == name(7));
    CHECK(all.left_out[1].resource_version == "5");
    CHECK(s.c.stats().outdated == 2);
}

TEST_CASE("too large: the informer keeps the stored state, reports it, and delivers no false deletion",
          "[cache][informer][too-large]")
{
    std::vector<std::string> failures;
    fixture f;
    auto pods = f.informers->get<pod>(
        {.on_failure = [&](const kubecoro::failure& why) { failures.push_back(why.describe()); }});
    f.source().on_list(kt::make_page({pod_of("a", "1", "ua"), pod_of("b", "2", "ub"), pod_of("c", "3", "uc")}, "5"));
    auto watch = f.source().on_watch();
    pods.add_event_handler(f.writer());
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    f.settle();
    f.take();

    watch.send({too_large(watch_event_type::modified, left_out("a", "6", "ua")), kt::bookmark("7")});
    f.settle();
    CHECK(content(pods) == lines{"web/a@1", "web/b@2", "web/c@3"});
    CHECK(f.seen.empty());
    CHECK(pods.stats().reflector.outdated == 1);
    CHECK(pods.stats().resource_version == "7");
    CHECK(pods.stats().synced);
    REQUIRE(failures.size() == 1);
    CHECK(failures[0].find("web/a of version 6 cannot be read") != std::string::npos);
    CHECK(f.log.count("web/a of version 6 cannot be read") == 1);
    CHECK(pods.describe().find("outdated objects 1") != std::string::npos);

    // b is a new object that was never decoded: the stored one is gone.
    f.source().on_list(
        page_without({pod_of("c", "3", "uc")}, {left_out("a", "6", "ua"), left_out("b", "8", "new")}, "9"));
    auto again = f.source().on_watch();
    watch.send(kt::error_event(410, "Expired"));
    f.run.advance(5s);
    CHECK(content(pods) == lines{"web/a@1", "web/c@3"});
    CHECK(f.take() == lines{"lost web/b@2"});
    CHECK(pods.stats().reflector.outdated == 2);

    again.send(too_large(watch_event_type::deleted, left_out("a", "10", "ua")));
    f.settle();
    CHECK(content(pods) == lines{"web/c@3"});
    CHECK(f.take() == lines{"lost web/a@1"});
}
