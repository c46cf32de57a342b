// The rights that a manager's declarations need, and their check at the start.
#include "manager_fixture.hpp"

using namespace manager_test;

namespace {

const user_info limited{"limited", {"system:authenticated"}};

apiserver::access_rule allowed(std::string verb, std::string resource, std::string ns = {})
{
    return {.user = "limited", .verb = std::move(verb), .resource = std::move(resource), .ns = std::move(ns)};
}

reconciled nothing(const typed_object<config_map>&, reconcile_context&) { co_return action::done(); }

std::string text_of(const manager& m)
{
    std::string out;
    for (const auto& r : m.rights()) out += describe(r) + "\n";
    return out;
}

} // namespace

TEST_CASE("manager: its rights are those of its informers, declared writes, election and events", "[manager][rights]")
{
    world w({.leader_election = {.lease = "subject", .ns = "ops"}});
    w.m->control<config_map>(nothing).owns<secret>().writes<secret>();
    w.m->needs<config_map>({"patch"}, "status");
    CHECK(text_of(*w.m) == "list, watch configmaps\n"
                           "patch configmaps/status\n"
                           "get, list, watch, create, update, patch, delete secrets\n"
                           "create leases of coordination.k8s.io in the namespace ops\n"
                           "get, watch, update leases of coordination.k8s.io named subject in the namespace ops\n"
                           "create, patch events of events.k8s.io in the namespace ops\n");
    (void)w.m->events();
    CHECK(text_of(*w.m).find("create, patch events of events.k8s.io\n") != std::string::npos);
    CHECK(text_of(*w.m).find("events of events.k8s.io in the namespace ops") == std::string::npos);
}

TEST_CASE("manager: with namespaces its rights are those of these, except for kinds without one", "[manager][rights]")
{
    world w({.namespaces = {"web", "jobs"}});
    (void)w.m->informer<namespace_>();
    (void)w.m->informer<config_map>();
    (void)w.m->informer<secret>({.namespaces = {"vault"}});
    w.m->needs<secret>({"create"});
    CHECK(text_of(*w.m) == "list, watch configmaps in the namespace jobs\n"
                           "list, watch configmaps in the namespace web\n"
                           "list, watch namespaces\n"
                           "create secrets in the namespace jobs\n"
                           "list, watch secrets in the namespace vault\n"
                           "create secrets in the namespace web\n");
}

TEST_CASE("manager: with namespaces, events about controlled objects that have none need the namespace default",
          "[manager][rights]")
{
    world w({.namespaces = {"web"}});
    w.m->control<config_map>(nothing);
    (void)w.m->informer<namespace_>();
    (void)w.m->events();
    CHECK(text_of(*w.m).find("namespace default") == std::string::npos);
    w.m->control(namespace_::resource(),
                 [](const object_key&, reconcile_context&) -> reconciled { co_return action::done(); });
    CHECK(text_of(*w.m) == "list, watch configmaps in the namespace web\n"
                           "list, watch namespaces\n"
                           "create, patch events of events.k8s.io in the namespace default\n"
                           "create, patch events of events.k8s.io in the namespace web\n");
}

TEST_CASE("manager: a missing right ends the start and is named", "[manager][rights]")
{
    world w({}, limited);
    REQUIRE(w.run.run(w.server.set_rules({allowed("list", "configmaps"), allowed("watch", "configmaps")})));
    w.m->control<config_map>(nothing).writes<config_map>({"patch"});
    w.begin();
    REQUIRE(w.running->done());
    REQUIRE_FALSE(w.running->outcome());
    CHECK(w.running->outcome().error() == cond::forbidden);
    CHECK(w.running->outcome().error().describe().find("the program may not patch configmaps. Add to the rules of its "
                                                       "role: {apiGroups: [\"\"], resources: [\"configmaps\"], verbs: "
                                                       "[\"patch\"]}") != std::string::npos);
}

TEST_CASE("manager: a right that the server could not evaluate has a failure of its own", "[manager][rights]")
{
    world w;
    w.faults->add(
        {.what = kt::fault::answer(201, R"({"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1",)"
                                        R"("status":{"allowed":false,"evaluationError":"webhook\n: timeout"}})"),
         .target = "selfsubjectaccessreviews",
         .times = 0});
    w.m->control<config_map>(nothing);
    w.begin();
    REQUIRE(w.running->done());
    REQUIRE_FALSE(w.running->outcome());
    const auto why = w.running->outcome().error();
    CHECK(why == cond::forbidden);
    CHECK(why.describe().find(
              "may not list, watch configmaps. The server could not evaluate all of its rules: webhook") !=
          std::string::npos);
    CHECK(why.describe().find(": timeout. Add to the rules of its role: {") != std::string::npos);
    CHECK(why.describe().find('\n') == std::string::npos);
}

TEST_CASE("manager: with its rights, or without the check, it starts", "[manager][rights]")
{
    for (const bool checks : {true, false}) {
        world w({.check_access = checks}, limited);
        std::vector<apiserver::access_rule> rules;
        for (const auto* verb : {"list", "watch"}) rules.push_back(allowed(verb, "configmaps"));
        if (checks) rules.push_back(allowed("patch", "configmaps/status"));
        REQUIRE(w.run.run(w.server.set_rules(rules)));
        w.m->control<config_map>(nothing);
        w.m->needs<config_map>({"patch"}, "status");
        w.begin();
        CHECK(w.m->stats().phase == manager_phase::running);
    }
}

TEST_CASE("manager: a server that does not answer reviews is not asked again", "[manager][rights]")
{
    world w;
    w.faults->add(
        {.what = kt::fault::status_answer(404, "NotFound"), .target = "selfsubjectaccessreviews", .times = 0});
    w.m->control<config_map>(nothing).writes<config_map>();
    w.begin();
    CHECK(w.m->stats().phase == manager_phase::running);
    CHECK(w.faults->so_far().answered <= 8); // those that were under way
    CHECK(w.log.count("the rights of the program were not checked") == 1);
}

TEST_CASE("manager: a server that cannot be reached at the start is asked for the rights again", "[manager][rights]")
{
    world w({}, limited);
    REQUIRE(w.run.run(w.server.set_rules({allowed("list", "configmaps"), allowed("watch", "configmaps")})));
    w.faults->add({.what = kt::fault::refuse(), .target = "selfsubjectaccessreviews", .times = 30});
    w.m->control<config_map>(nothing).writes<config_map>({"patch"});
    w.begin();
    CHECK(w.m->stats().phase == manager_phase::running);
    w.run.advance(10min);
    REQUIRE(w.running->done());
    REQUIRE_FALSE(w.running->outcome());
    CHECK(w.running->outcome().error().describe().find("may not patch configmaps") != std::string::npos);
    CHECK(w.log.count("the rights of the program are not checked yet") == 1);
}

TEST_CASE("manager: with the same seed it asks for its rights at the same times", "[manager][rights]")
{
    const auto times_asked = [](std::uint64_t seed) {
        manager_options repeatable;
        repeatable.seed = seed;
        world w(std::move(repeatable));
        w.faults->add({.what = kt::fault::refuse(), .target = "selfsubjectaccessreviews", .times = 0});
        w.m->control<config_map>(nothing);
        w.begin();
        std::vector<std::size_t> refused;
        for (int i = 0; i < 600; ++i) {
            w.run.advance(100ms);
            refused.push_back(w.faults->so_far().refused);
        }
        return refused;
    };
    const auto first = times_asked(7);
    CHECK(first.back() > first.front());
    CHECK(first == times_asked(7));
    CHECK(first != times_asked(8));
}

TEST_CASE("manager: it stops while it waits for a server that would answer reviews", "[manager][rights]")
{
    world w;
    w.faults->add({.what = kt::fault::refuse(), .target = "selfsubjectaccessreviews", .times = 0});
    w.m->control<config_map>(nothing);
    w.begin();
    CHECK(w.run.run(w.m->stop()).has_value());
    CHECK(w.running->done());
}

TEST_CASE("manager: events are sent as its own, and flushed at the stop", "[manager]")
{
    world w;
    w.put("one");
    w.m->control<config_map>([&w](const typed_object<config_map>& m, reconcile_context&) -> reconciled {
        w.m->events().event(m.untyped(), event_type::normal, "Seen", "Look", "a config map");
        co_return action::done();
    });
    w.begin();
    CHECK(w.run.run(w.m->stop()));
    const resource_type events{.group = "events.k8s.io", .version = "v1", .plural = "events", .kind = "Event"};
    const auto stored = w.run.run(w.cluster.list(events, "default"));
    REQUIRE(stored);
    REQUIRE(stored->items.size() == 1);
    CHECK(stored->items[0]["reportingController"].as_string() == "subject");
    CHECK(w.m->events().stats().pending == 0);
    w.m->events().event({}, event_type::normal, "Late", "Look", "after the stop");
    CHECK(w.m->events().stats().dropped_stopped == 1);
}
