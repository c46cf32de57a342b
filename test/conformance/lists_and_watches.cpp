// Conformance cases: lists, pages, selectors, watches, bookmarks, expired versions.
#include "cluster_under_test.hpp"

#include <kubecoro/api/resource.hpp>
#include <kubecoro/api/untyped.hpp>

#include <kubecoro/test/catch.hpp>

using namespace kubecoro;
using namespace kubecoro::conformance;

namespace {

resource_client<object> config_maps(cluster_under_test& c) { return c.in_ns(untyped::config_map::resource()); }

std::string names(const list_page& page)
{
    std::string out;
    for (const object& o : page.items) out += (out.empty() ? "" : " ") + std::string(o.name());
    return out;
}

list_options labelled(const std::string& selector)
{
    list_options out;
    out.label_selector = selector;
    return out;
}

watch_options from(std::string_view version)
{
    watch_options out;
    out.resource_version = version;
    return out;
}

std::string labels(const std::string& name, const std::string& value)
{
    return R"(,"labels":{")" + name + R"(":")" + value + R"("})";
}

} // namespace

TEST_CASE("a list has a version and its items in order", "[conformance]")
{
    cluster_under_test c;
    auto maps = config_maps(c);
    const auto empty = c.run(maps.list()).value();
    CHECK(empty.items.empty());
    CHECK_FALSE(empty.resource_version.empty());
    for (const char* name : {"b", "a.b", "a", "aa", "a-b"}) REQUIRE(c.run(maps.create(config_map(name))));
    const auto page = c.run(maps.list()).value();
    CHECK(names(page) == "a a-b a.b aa b");
    CHECK(page.items[0].kind() == "ConfigMap");
    CHECK(page.continue_token.empty());
}

TEST_CASE("pages: all are at one version, later objects are absent", "[conformance]")
{
    cluster_under_test c;
    auto maps = config_maps(c);
    for (const char* name : {"a", "b", "c", "d", "e"}) REQUIRE(c.run(maps.create(config_map(name))));
    list_options options;
    options.limit = 2;
    const auto first = c.run(maps.list(options)).value();
    CHECK(names(first) == "a b");
    CHECK(first.remaining == 3);
    REQUIRE_FALSE(first.continue_token.empty());

    REQUIRE(c.run(maps.create(config_map("bb"))));
    REQUIRE(c.run(maps.remove("d")));
    options.continue_token = first.continue_token;
    const auto second = c.run(maps.list(options)).value();
    CHECK(names(second) == "c d");
    CHECK(second.resource_version == first.resource_version);
    options.continue_token = second.continue_token;
    const auto third = c.run(maps.list(options)).value();
    CHECK(names(third) == "e");
    CHECK(third.continue_token.empty());
    CHECK_FALSE(third.remaining);
    list_options all;
    all.limit = 2;
    CHECK(names(c.run(maps.list_all(all)).value()) == "a b bb c e");
}

TEST_CASE("a limit makes the version of a list exact, unless the match says that it is the oldest", "[conformance]")
{
    cluster_under_test c;
    auto maps = config_maps(c);
    REQUIRE(c.run(maps.create(config_map("a"))));
    const object second = c.run(maps.create(config_map("b"))).value();
    const object third = c.run(maps.create(config_map("c"))).value();
    const auto last = third.resource_version();
    list_options at;
    at.resource_version = second.resource_version();
    at.limit = 10;
    const auto exact = c.run(maps.list(at)).value();
    CHECK(names(exact) == "a b");
    CHECK(exact.resource_version == at.resource_version);
    at.limit = 1;
    const auto first = c.run(maps.list(at)).value();
    CHECK(names(first) == "a");
    CHECK(first.resource_version == at.resource_version);
    CHECK_FALSE(first.continue_token.empty());

    at.match = version_match::not_older_than;
    at.resource_version = last;
    for (const std::uint32_t limit : {0U, 10U}) {
        at.limit = limit;
        const auto newer = c.run(maps.list(at)).value();
        CHECK(names(newer) == "a b c");
        CHECK(is_at_least(newer.resource_version, last));
    }
    at.match = version_match::unset;
    at.limit = 2; // list_all() says the match
    const auto all = c.run(maps.list_all(at)).value();
    CHECK(names(all) == "a b c");
    CHECK(is_at_least(all.resource_version, last));
}

TEST_CASE("invalid list options are refused", "[conformance]")
{
    cluster_under_test c;
    auto maps = config_maps(c);
    list_options token;
    token.continue_token = "nonsense";
    CHECK(c.run(maps.list(token)).error() == cond::invalid);
    list_options version;
    version.resource_version = "abc";
    CHECK(c.run(maps.list(version)).error() == cond::invalid);
    list_options match;
    match.match = version_match::exact;
    CHECK(c.run(maps.list(match)).error() == cond::invalid);
    CHECK(c.run(maps.list(labelled("a in"))).error() == cond::invalid);
    list_options field;
    field.field_selector = "data.k=1";
    CHECK(c.run(maps.list(field)).error() == cond::invalid);
}

TEST_CASE("a version in the future is too large", "[conformance]")
{
    cluster_under_test c;
    list_options future;
    future.resource_version = "100000000";
    future.match = version_match::not_older_than;
    CHECK(c.run(c.in_ns(untyped::pod::resource()).list(future)).error() == cond::too_large_resource_version);
}

TEST_CASE("selectors match labels and fields", "[conformance]")
{
    cluster_under_test c;
    auto maps = config_maps(c);
    REQUIRE(c.run(maps.create(config_map("a", "1", labels("app", "web")))));
    REQUIRE(c.run(maps.create(config_map("b", "1", labels("app", "db")))));
    REQUIRE(c.run(maps.create(config_map("c"))));
    CHECK(names(c.run(maps.list(labelled("app=web"))).value()) == "a");
    CHECK(names(c.run(maps.list(labelled("app!=web"))).value()) == "b c");
    CHECK(names(c.run(maps.list(labelled("app in (web,db)"))).value()) == "a b");
    CHECK(names(c.run(maps.list(labelled("app notin (web)"))).value()) == "b c");
    CHECK(names(c.run(maps.list(labelled("app"))).value()) == "a b");
    CHECK(names(c.run(maps.list(labelled("!app"))).value()) == "c");
    list_options field;
    field.field_selector = "metadata.name!=b";
    CHECK(names(c.run(maps.list(field)).value()) == "a c");

    auto pods = c.in_ns(untyped::pod::resource());
    REQUIRE(c.run(pods.create(pod("p"))));
    field.field_selector = "status.phase=Pending,spec.nodeName=";
    CHECK(names(c.run(pods.list(field)).value()) == "p");
    field.field_selector = "status.phase=Running";
    CHECK(names(c.run(pods.list(field)).value()).empty());
}

TEST_CASE("a watch from a list's version delivers every later event in order", "[conformance]")
{
    cluster_under_test c;
    auto maps = config_maps(c);
    REQUIRE(c.run(maps.create(config_map("before"))));
    const auto list = c.run(maps.list()).value();
    const auto created = c.run(maps.create(config_map("a"))).value();
    auto watch = c.run(maps.watch(from(list.resource_version))).value();
    const auto updated = c.run(maps.update("a", config_map("a", "2"))).value();
    REQUIRE(c.run(maps.remove("a")));

    const auto added = c.next_event(*watch).value();
    CHECK(added.type == watch_event_type::added);
    CHECK(added.obj.resource_version() == created.resource_version());
    CHECK(added.obj.kind() == "ConfigMap");
    const auto modified = c.next_event(*watch).value();
    CHECK(modified.type == watch_event_type::modified);
    CHECK(modified.obj.resource_version() == updated.resource_version());
    const auto deleted = c.next_event(*watch).value();
    CHECK(deleted.type == watch_event_type::deleted);
    CHECK(deleted.obj["data"]["k"].as_string() == "2");
    CHECK(std::stoull(std::string(deleted.obj.resource_version())) >
          std::stoull(std::string(updated.resource_version())));
}

TEST_CASE("a watch without a version begins with the existing objects", "[conformance]")
{
    cluster_under_test c;
    auto maps = config_maps(c);
    REQUIRE(c.run(maps.create(config_map("b"))));
    REQUIRE(c.run(maps.create(config_map("a"))));
    auto watch = c.run(maps.watch()).value();
    for (const auto* name : {"a", "b"}) {
        const auto event = c.next_event(*watch).value();
        CHECK(event.obj.name() == name);
    }
    REQUIRE(c.run(maps.create(config_map("c"))));
    const auto event = c.next_event(*watch).value();
    CHECK(event.obj.name() == "c");
}

TEST_CASE("an object that leaves a selector is deleted, one that enters is added", "[conformance]")
{
    cluster_under_test c;
    auto maps = config_maps(c);
    REQUIRE(c.run(maps.create(config_map("a", "1", labels("app", "web")))));
    watch_options options = from(c.run(maps.list()).value().resource_version);
    options.label_selector = "app=web";
    auto watch = c.run(maps.watch(options)).value();

    const auto left = c.run(maps.patch("a", patch_kind::merge, R"({"metadata":{"labels":{"app":"db"}}})")).value();
    const auto deleted = c.next_event(*watch).value();
    CHECK(deleted.type == watch_event_type::deleted);
    CHECK(deleted.obj.labels()["app"].as_string() == "web");
    CHECK(deleted.obj.resource_version() == left.resource_version());
    REQUIRE(c.run(maps.patch("a", patch_kind::merge, R"({"data":{"k":"outside"}})")));
    REQUIRE(c.run(maps.patch("a", patch_kind::merge, R"({"metadata":{"labels":{"app":"web"}}})")));
    const auto added = c.next_event(*watch).value();
    CHECK(added.type == watch_event_type::added);
    CHECK(added.obj["data"]["k"].as_string() == "outside");
}

TEST_CASE("a streamed list ends with its bookmark", "[conformance]")
{
    cluster_under_test c;
    auto maps = config_maps(c);
    REQUIRE(c.run(maps.create(config_map("a"))));
    REQUIRE(c.run(maps.create(config_map("b"))));
    watch_options options;
    options.send_initial_events = true;
    options.match = version_match::not_older_than;
    auto watch = c.run(maps.watch(options)).value();
    const auto events = c.events_until(*watch, [](const watch_event& e) { return e.ends_initial_events(); });
    REQUIRE(events.size() == 3);
    CHECK(events[0].obj.name() == "a");
    CHECK(events[1].obj.name() == "b");
    CHECK(events[2].type == watch_event_type::bookmark);
    CHECK_FALSE(events[2].obj.resource_version().empty());

    watch_options without_match;
    without_match.send_initial_events = true;
    CHECK(c.run(maps.watch(without_match)).error() == cond::invalid);
}

TEST_CASE("a watch ends cleanly at its timeout", "[conformance]")
{
    cluster_under_test c;
    watch_options options = from(c.run(config_maps(c).list()).value().resource_version);
    options.timeout = std::chrono::seconds{1};
    auto watch = c.run(config_maps(c).watch(options)).value();
    const auto events = c.events_until(*watch, [](const watch_event&) { return false; });
    for (const auto& e : events) CHECK(e.type == watch_event_type::bookmark);
    const auto after = c.run(watch->next());
    REQUIRE(after);
    CHECK(after->empty());
}

TEST_CASE("a compacted version is expired", "[conformance]")
{
    cluster_under_test c;
    auto maps = config_maps(c);
    for (const char* name : {"a", "b", "c"}) REQUIRE(c.run(maps.create(config_map(name))));
    list_options options;
    options.limit = 1;
    const auto first = c.run(maps.list(options)).value();
    REQUIRE(c.run(maps.create(config_map("d"))));
    // The last change before a compaction can still be watched.
    REQUIRE(c.run(maps.update("d", config_map("d", "2"))));
    if (!c.forget_history()) {
        WARN("skipped: the history of this cluster cannot be compacted");
        return;
    }

    options.continue_token = first.continue_token;
    const auto page = c.run(maps.list(options));
    REQUIRE_FALSE(page);
    CHECK(page.error() == cond::expired);
    REQUIRE_FALSE(page.error().status()->continue_token.empty());
    options.continue_token = page.error().status()->continue_token;
    options.limit = 10;
    CHECK(names(c.run(maps.list(options)).value()) == "b c d");

    auto watch = c.run(maps.watch(from(first.resource_version)));
    REQUIRE(watch);
    const auto event = c.next_event(**watch).value();
    CHECK(event.type == watch_event_type::error);
    CHECK(event.status->code == 410);
    CHECK(event.status->reason == "Expired");
}
