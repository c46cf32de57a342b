// The operator against the embedded server, in virtual time.
#include "config_reloader_fixture.hpp"

using namespace reloader_test;

TEST_CASE("config-reloader: rolls a workload of each kind once for each change", "[reloader]")
{
    fixture f;
    f.put_contents();
    for (const auto& kind : workload_kinds) f.make(kind, "shop");
    f.begin();
    for (const auto& kind : workload_kinds) CHECK(f.rolls(kind, "shop") == 1); // adopted

    f.put(config_maps, "settings", R"("data":{"a":"2"})");
    f.settle();
    for (const auto& kind : workload_kinds) CHECK(f.rolls(kind, "shop") == 2);
    f.put(secrets, "password", R"("data":{"p":"Mg=="})");
    f.settle();
    for (const auto& kind : workload_kinds) CHECK(f.rolls(kind, "shop") == 3);

    // Changes of metadata and of unreferenced objects have no effect.
    f.patch(config_maps, "settings", R"({"metadata":{"labels":{"x":"y"}}})");
    f.put(config_maps, "other", R"("data":{"a":"1"})");
    f.run.advance(1h);
    for (const auto& kind : workload_kinds) CHECK(f.rolls(kind, "shop") == 3);
    CHECK(f.operating->count(outcome::adopted) == 3);
    CHECK(f.operating->count(outcome::rolled) == 6);
    CHECK(f.log.count("MQ==") == 0);
}

TEST_CASE("config-reloader: a change during downtime is detected at the start, and causes a single roll", "[reloader]")
{
    fixture f;
    f.put_contents();
    f.make(deployments, "shop");
    f.make(deployments, "other");
    f.begin();
    f.end();
    f.begin();
    f.end();
    CHECK(f.rolls(deployments, "shop") == 1);
    f.put(config_maps, "settings", R"("data":{"a":"2"})");
    f.begin();
    CHECK(f.rolls(deployments, "shop") == 2);
    CHECK(f.rolls(deployments, "other") == 2);
    CHECK(f.operating->count(outcome::rolled) == 2);
    CHECK(f.operating->count(outcome::adopted) == 0);
}

TEST_CASE("config-reloader: a change reverted during downtime has no effect", "[reloader]")
{
    fixture f;
    f.put_contents();
    f.make(deployments, "shop");
    f.begin();
    f.end();
    f.put(config_maps, "settings", R"("data":{"a":"2"})");
    f.put(config_maps, "settings", R"("data":{"a":"1"})");
    f.begin();
    CHECK(f.rolls(deployments, "shop") == 1);
}

TEST_CASE("config-reloader: a workload that does not opt in is left unchanged", "[reloader]")
{
    fixture f;
    f.put_contents();
    f.make(stateful_sets, "silent", std::nullopt);
    f.make(stateful_sets, "refusing", "false");
    f.make(stateful_sets, "confused", "perhaps");
    f.make(stateful_sets, "shop");
    f.begin();
    f.put(config_maps, "settings", R"("data":{"a":"2"})");
    f.settle();
    for (const auto* name : {"silent", "refusing", "confused"}) CHECK(f.rolls(stateful_sets, name) == 0);
    CHECK(f.rolls(stateful_sets, "shop") == 2);
    CHECK(f.log.count("must be \\\"true\\\" or \\\"false\\\", not \\\"perhaps\\\"") == 1);

    SECTION("until it opts in")
    {
        f.patch(stateful_sets, "silent",
                R"({"metadata":{"annotations":{"config-reloader.kubecoro.dev/reload":"true"}}})");
        f.settle();
        CHECK(f.rolls(stateful_sets, "silent") == 1);
        f.put(secrets, "password", R"("data":{"p":"Mg=="})");
        f.settle();
        CHECK(f.rolls(stateful_sets, "silent") == 2);
    }
    SECTION("a workload that opts out is left unchanged")
    {
        f.patch(stateful_sets, "shop", R"({"metadata":{"annotations":{"config-reloader.kubecoro.dev/reload":null}}})");
        f.put(secrets, "password", R"("data":{"p":"Mg=="})");
        f.settle();
        CHECK(f.rolls(stateful_sets, "shop") == 2);
    }
}

TEST_CASE("config-reloader: with --adopt record the first roll is for a change", "[reloader]")
{
    fixture f;
    f.first_sight = adoption::record;
    f.put_contents();
    f.make(stateful_sets, "shop");
    f.begin();
    CHECK(f.rolls(stateful_sets, "shop") == 0);
    CHECK(f.operating->count(outcome::recorded) == 1);
    f.end();
    f.put(config_maps, "settings", R"("data":{"a":"2"})");
    f.begin();
    CHECK(f.rolls(stateful_sets, "shop") == 1);
}

TEST_CASE("config-reloader: waits for required objects, and does not roll for their absence", "[reloader]")
{
    fixture f;
    f.make(deployments, "shop");
    f.begin();
    CHECK(f.rolls(deployments, "shop") == 0);
    CHECK(f.log.count("missing=ConfigMap/settings") == 1);
    f.put(config_maps, "settings", R"("data":{"a":"1"})");
    f.settle();
    CHECK(f.log.count("missing=Secret/password") == 1);
    f.put(secrets, "password", R"("data":{"p":"MQ=="})");
    f.settle();
    CHECK(f.rolls(deployments, "shop") == 1);

    f.remove(config_maps, "settings");
    f.settle();
    CHECK(f.rolls(deployments, "shop") == 1);
    f.put(config_maps, "settings", R"("data":{"a":"1"})"); // same content as before
    f.settle();
    CHECK(f.rolls(deployments, "shop") == 1);
    f.remove(config_maps, "settings");
    f.put(config_maps, "settings", R"("data":{"a":"2"})");
    f.settle();
    CHECK(f.rolls(deployments, "shop") == 2);
}

TEST_CASE("config-reloader: creating or deleting an optional object is a change", "[reloader]")
{
    fixture f;
    f.make(deployments, "shop", "true", R"("envFrom":[{"configMapRef":{"name":"extra","optional":true}}])");
    f.begin();
    CHECK(f.rolls(deployments, "shop") == 1);
    f.put(config_maps, "extra", R"("data":{})");
    f.settle();
    CHECK(f.rolls(deployments, "shop") == 2);
    f.remove(config_maps, "extra");
    f.settle();
    CHECK(f.rolls(deployments, "shop") == 3);
}

TEST_CASE("config-reloader: a template that is set back has rolled the pods itself", "[reloader]")
{
    fixture f;
    f.put_contents();
    f.make(deployments, "shop");
    f.begin();
    const auto first = f.checksum_of(deployments, "shop");
    f.put(config_maps, "settings", R"("data":{"a":"2"})");
    f.settle();
    // Like kubectl rollout undo.
    f.patch(deployments, "shop",
            R"({"spec":{"template":{"metadata":{"annotations":{"config-reloader.kubecoro.dev/checksum":")" + first +
                "\"}}}}}");
    f.run.advance(1h);
    CHECK(f.rolls(deployments, "shop") == 3);
    CHECK(f.checksum_of(deployments, "shop") == first);
    // The content of before the revert: still a change for the pods.
    f.put(config_maps, "settings", R"("data":{"a":"1"})");
    f.settle();
    CHECK(f.rolls(deployments, "shop") == 4);
    CHECK(f.checksum_of(deployments, "shop") == first + "-again");
    f.put(config_maps, "settings", R"("data":{"a":"3"})");
    f.settle();
    CHECK(f.rolls(deployments, "shop") == 5);
}

TEST_CASE("config-reloader: two operators roll no workload twice", "[reloader]")
{
    fixture f;
    f.put_contents();
    for (int i = 0; i < 20; ++i) f.make(deployments, "shop-" + std::to_string(i));
    f.begin();
    auto second = f.another();
    f.settle();
    for (int change = 2; change < 10; ++change) {
        f.put(config_maps, "settings", R"("data":{"a":")" + std::to_string(change) + "\"}");
        f.settle();
        for (int i = 0; i < 20; ++i) CHECK(f.rolls(deployments, "shop-" + std::to_string(i)) == change);
    }
    CHECK(f.operating->count(outcome::rolled) + second->count(outcome::rolled) == 160);
    f.end(second);
}

TEST_CASE("config-reloader: annotations that are removed repeatedly are not restored each time", "[reloader]")
{
    fixture f;
    f.put_contents();
    f.make(deployments, "shop");
    f.begin();
    constexpr auto stripped = R"({"metadata":{"annotations":{"config-reloader.kubecoro.dev/applied":null}},)"
                              R"("spec":{"template":{"metadata":{"annotations":null}}}})";
    for (int i = 0; i < 600; ++i) { // ten minutes, once a second
        f.patch(deployments, "shop", stripped);
        f.run.advance(1s);
    }
    CHECK(f.operating->count(outcome::adopted) <= 5);
    CHECK(f.log.count("removed repeatedly") > 0);
    f.run.advance(1h); // after the removals have ended
    CHECK_FALSE(f.checksum_of(deployments, "shop").empty());
}

TEST_CASE("config-reloader: invalid workloads do not delay valid ones", "[reloader]")
{
    fixture f;
    f.put_contents();
    f.make(deployments, "bad", "maybe");
    f.make(deployments, "empty", "true", R"("env":[])");
    f.make(deployments, "good");
    f.begin();
    CHECK(f.rolls(deployments, "good") == 1);
    CHECK(f.rolls(deployments, "bad") == 0);
    CHECK(f.rolls(deployments, "empty") == 0);
    CHECK(f.log.count("maybe") >= 1);
    CHECK(f.log.count("no reason to roll it") == 1);
    f.put(config_maps, "settings", R"("data":{"a":"2"})");
    f.settle();
    CHECK(f.rolls(deployments, "good") == 2);
}

TEST_CASE("config-reloader: its caches hold no content", "[reloader]")
{
    fixture f;
    f.put(config_maps, "settings", R"("data":{"a":"1"})");
    f.put(secrets, "password", R"("data":{"p":"c3VycHJpc2U="})");
    f.patch(secrets, "password",
            R"({"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"c3VycHJpc2U="}}})");
    f.make(deployments, "shop");
    f.begin();
    std::size_t held = 0;
    for (const auto& informer : f.operating->m.informers().informers()) {
        for (const auto& o : informer.lister().list()) {
            ++held;
            const auto text = o.to_text();
            CAPTURE(text);
            CHECK(text.find("c3VycHJpc2U=") == std::string::npos);
            CHECK(text.find("last-applied") == std::string::npos);
            CHECK(text.find("example.com/image") == std::string::npos);
        }
    }
    CHECK(held >= 3);
}

TEST_CASE("config-reloader: of two replicas one works, and the other takes over with what it has seen", "[reloader]")
{
    fixture f;
    f.put_contents();
    f.make(deployments, "shop");
    const auto as = [](const std::string& identity) {
        manager_options o;
        o.leader_election = {.lease = "config-reloader", .identity = identity, .seed = 1};
        return o;
    };
    auto first = f.another(as("first"));
    f.settle();
    auto second = f.another(as("second"));
    f.settle();
    CHECK(first->m.stats().phase == manager_phase::running);
    CHECK(second->m.stats().phase == manager_phase::standby);
    f.put(config_maps, "settings", R"("data":{"a":"2"})");
    f.settle();
    CHECK(first->count(outcome::rolled) == 1);
    f.end(first);
    f.put(secrets, "password", R"("data":{"p":"Mg=="})");
    f.settle();
    CHECK(second->count(outcome::rolled) == 1);
    CHECK(f.rolls(deployments, "shop") == 3);
    f.end(second);
}
