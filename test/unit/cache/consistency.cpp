// Tests of the comparison of a store with the server at the same version.

#include "informer/consistency_core.hpp"
#include "informer_fixture.hpp"

using namespace informer_test;
using kubecoro::cond;
using kubecoro::object;
using kubecoro::detail::consistency_core;
using kubecoro::detail::kept_object;
using outcome = kubecoro::detail::consistency_core::outcome;

namespace {

std::vector<kept_object> kept(const std::vector<object>& objects) { return {objects.begin(), objects.end()}; }

/// Returns the verdict of one page about the stored objects.
consistency_core::verdict judge(const std::vector<object>& stored, std::vector<object> listed)
{
    consistency_core core(kept(stored), "10");
    return std::get<consistency_core::verdict>(core.on_page(kt::make_page(std::move(listed), "10")));
}

object pod_of(std::string name, std::string version, std::string uid = {}, std::string members = {})
{
    return kt::make_object({.ns = "web",
                            .name = std::move(name),
                            .resource_version = std::move(version),
                            .uid = std::move(uid),
                            .members = std::move(members)});
}

} // namespace

TEST_CASE("consistency: equal content is equal, page by page, at the exact version", "[cache][consistency]")
{
    consistency_core core(kept({pod_of("a", "1"), pod_of("b", "2"), pod_of("c", "3")}), "10", true, 2);
    const auto first = std::get<kubecoro::list_options>(core.start());
    CHECK(first.resource_version == "10");
    CHECK(first.match == kubecoro::version_match::exact);
    CHECK(first.limit == 2);
    const auto second = std::get<kubecoro::list_options>(
        core.on_page(kt::make_page({pod_of("a", "1"), pod_of("b", "2")}, "10", "more")));
    CHECK(second.continue_token == "more");
    CHECK(second.resource_version.empty());
    CHECK(second.match == kubecoro::version_match::unset);
    const auto v = std::get<consistency_core::verdict>(core.on_page(kt::make_page({pod_of("c", "3")}, "10")));
    CHECK(v.what == outcome::equal);
    CHECK(judge({}, {}).what == outcome::equal);
}

TEST_CASE("consistency: differences are reported: keys, uids, versions, content", "[cache][consistency]")
{
    CHECK(judge({pod_of("a", "1")}, {}).why == "web/a is stored and not listed");
    CHECK(judge({}, {pod_of("a", "1")}).why == "web/a is not stored");
    CHECK(judge({pod_of("a", "1")}, {pod_of("a", "2")}).why == "web/a is stored at another version");
    CHECK(judge({pod_of("a", "1", "u1")}, {pod_of("a", "1", "u2")}).why == "web/a is stored with another uid");
    const auto content = judge({pod_of("a", "1", "u", R"("spec":{"nodeName":"n1"})")},
                               {pod_of("a", "1", "u", R"("spec":{"nodeName":"n2"})")});
    CHECK(content.what == outcome::differs);
    CHECK(content.why == "web/a is stored with another content");
    consistency_core made_anew(kept({pod_of("a", "1", "u", R"("spec":{"nodeName":"n1"})")}), "10", false);
    const auto same = made_anew.on_page(kt::make_page({pod_of("a", "1", "u")}, "10"));
    CHECK(std::get<consistency_core::verdict>(same).what == outcome::equal);
    std::vector<object> many;
    for (int i = 0; i < 9; ++i) many.push_back(pod_of("p" + std::to_string(i), "1"));
    CHECK(judge({}, many).why.ends_with("; and 4 more"));
}

TEST_CASE("consistency: an object that cannot be read is stored in an older state, or not at all",
          "[cache][consistency]")
{
    auto page = kt::make_page({pod_of("a", "1")}, "10");
    page.left_out = {{.key = {"web", "b"}, .resource_version = "9", .why = "nested too deeply"},
                     {.key = {"web", "c"}, .resource_version = "9", .why = "nested too deeply"}};
    consistency_core core(kept({pod_of("a", "1"), pod_of("b", "2")}), "10");
    CHECK(std::get<consistency_core::verdict>(core.on_page(page)).what == outcome::equal);
}

TEST_CASE("consistency: a check that is impossible is skipped and does not fail", "[cache][consistency]")
{
    const auto verdict_of = [](const kubecoro::result<kubecoro::list_page>& page) {
        consistency_core core(kept({pod_of("a", "1")}), "10");
        return std::get<consistency_core::verdict>(core.on_page(page));
    };
    CHECK(verdict_of(kt::server_failure(410, "Expired")).what == outcome::skipped);
    CHECK(verdict_of(kubecoro::failure(cond::unreachable, "gone")).what == outcome::skipped);
    CHECK(verdict_of(kt::make_page({}, "11")).what == outcome::skipped); // a server that does not support "exact"
    CHECK(std::get<consistency_core::verdict>(consistency_core({}, "").start()).what == outcome::skipped);
    consistency_core endless({}, "10");
    static_cast<void>(endless.on_page(kt::make_page({}, "10", "t")));
    CHECK(std::get<consistency_core::verdict>(endless.on_page(kt::make_page({}, "10", "t"))).what == outcome::skipped);
    consistency_core in_turns({}, "10");
    consistency_core::action next;
    int pages = 0;
    for (; std::holds_alternative<kubecoro::list_options>(next); ++pages)
        next = in_turns.on_page(kt::make_page({}, "10", "turn" + std::to_string(pages % 7)));
    CHECK(std::get<consistency_core::verdict>(next).what == outcome::skipped);
    CHECK(pages < 4 * 7);
}

TEST_CASE("informer: checks each stored list against the server when the option is set",
          "[cache][informer][consistency]")
{
    fixture f;
    std::vector<std::string> told;
    auto pods = f.informers->get<pod>({.check_consistency = true, .on_failure = [&](const kubecoro::failure& why) {
                                           told.emplace_back(to_string(why.condition()));
                                       }});
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "5")}, "10"));
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "5")}, "10"));
    auto watch = f.source().on_watch();
    watch.send(kt::added(kt::make_pod("web", "b", "12"))); // events during the check do not count
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    f.settle();
    CHECK(f.source().list_call(1).match == kubecoro::version_match::exact);
    CHECK(f.source().list_call(1).resource_version == "10");
    CHECK(pods.stats().consistency.checks == 1);
    CHECK(pods.stats().consistency.failed == 0);

    f.source().on_list(kt::make_page({kt::make_pod("web", "b", "12")}, "20"));
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "5"), kt::make_pod("web", "b", "12")}, "20"));
    auto second = f.source().on_watch();
    watch.send(kt::error_event(410, "Expired"));
    REQUIRE(f.run.run_until([&] { return pods.stats().consistency.failed == 1; }));
    CHECK(pods.stats().consistency.last_difference == "web/a is not stored");
    CHECK(told == lines{"expired", "corrupt"});
    CHECK(f.log.count(kubecoro::log_level::error) == 1);
    CHECK(content(pods) == lines{"web/b@12"}); // the store is not changed
    CHECK(pods.describe().find("consistency checks 2, skipped 0, failed 1: web/a is not stored") != std::string::npos);

    f.source().on_list(kt::make_page({kt::make_pod("web", "b", "12")}, "30"));
    f.source().on_list(kt::server_failure(410, "Expired"));
    auto third = f.source().on_watch();
    second.send(kt::error_event(410, "Expired"));
    REQUIRE(f.run.run_until([&] { return pods.stats().consistency.skipped == 1; }));
    CHECK(pods.stats().consistency.failed == 1);
}
