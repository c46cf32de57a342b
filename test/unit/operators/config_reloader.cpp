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

    // Neither metadata nor objects that nobody refers to.
    f.patch(config_maps, "settings", R"({"metadata":{"labels":{"x":"y"}}})");
    f.put(config_maps, "other", R"("data":{"a":"1"})");
    f.run.advance(1h);
    for (const auto& kind : workload_kinds) CHECK(f.rolls(kind, "shop") == 3);
    CHECK(f.operating->counts().adopted == 3);
    CHECK(f.operating->counts().rolled == 6);
    CHECK(f.log.count("MQ==") == 0);
    CHECK(f.operating->describe().find("rolled 6, adopted 3") == 0);
}

TEST_CASE("config-reloader: a change while it was down is seen at the start, and nothing else is", "[reloader]")
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
    CHECK(f.operating->counts().rolled == 2);
    CHECK(f.operating->counts().adopted == 0);
}

TEST_CASE("config-reloader: a change that is taken back while it was down is none", "[reloader]")
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

TEST_CASE("config-reloader: who does not ask is left alone", "[reloader]")
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
    CHECK(f.log.count("takes \\\"true\\\" or \\\"false\\\", not \\\"perhaps\\\"") == 1);

    SECTION("until it asks")
    {
        f.patch(stateful_sets, "silent",
                R"({"metadata":{"annotations":{"config-reloader.kubecoro.dev/reload":"true"}}})");
        f.settle();
        CHECK(f.rolls(stateful_sets, "silent") == 1);
        f.put(secrets, "password", R"("data":{"p":"Mg=="})");
        f.settle();
        CHECK(f.rolls(stateful_sets, "silent") == 2);
    }
    SECTION("and who ceases to ask")
    {
        f.patch(stateful_sets, "shop", R"({"metadata":{"annotations":{"config-reloader.kubecoro.dev/reload":null}}})");
        f.put(secrets, "password", R"("data":{"p":"Mg=="})");
        f.settle();
        CHECK(f.rolls(stateful_sets, "shop") == 2);
    }
}

TEST_CASE("config-reloader: with adoption by record the first roll is for a change", "[reloader]")
{
    fixture f;
    f.first_sight = adoption::record;
    f.put_contents();
    f.make(stateful_sets, "shop");
    f.begin();
    CHECK(f.rolls(stateful_sets, "shop") == 0);
    CHECK(f.operating->counts().recorded == 1);
    f.end();
    f.put(config_maps, "settings", R"("data":{"a":"2"})");
    f.begin();
    CHECK(f.rolls(stateful_sets, "shop") == 1);
}

TEST_CASE("config-reloader: waits for what has to be there, and does not roll for its absence", "[reloader]")
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
    f.put(config_maps, "settings", R"("data":{"a":"1"})"); // as it was
    f.settle();
    CHECK(f.rolls(deployments, "shop") == 1);
    f.remove(config_maps, "settings");
    f.put(config_maps, "settings", R"("data":{"a":"2"})");
    f.settle();
    CHECK(f.rolls(deployments, "shop") == 2);
}

TEST_CASE("config-reloader: what is optional changes by coming and going", "[reloader]")
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
    // As kubectl rollout undo does.
    f.patch(deployments, "shop",
            R"({"spec":{"template":{"metadata":{"annotations":{"config-reloader.kubecoro.dev/checksum":")" + first +
                "\"}}}}}");
    f.run.advance(1h);
    CHECK(f.rolls(deployments, "shop") == 3);
    CHECK(f.checksum_of(deployments, "shop") == first);
    // What was set back is what is there again: still a change for the pods.
    f.put(config_maps, "settings", R"("data":{"a":"1"})");
    f.settle();
    CHECK(f.rolls(deployments, "shop") == 4);
    CHECK(f.checksum_of(deployments, "shop") == first + "-again");
    f.put(config_maps, "settings", R"("data":{"a":"3"})");
    f.settle();
    CHECK(f.rolls(deployments, "shop") == 5);
}

TEST_CASE("config-reloader: two of them roll no workload twice", "[reloader]")
{
    fixture f;
    f.put_contents();
    for (int i = 0; i < 20; ++i) f.make(deployments, "shop-" + std::to_string(i));
    f.begin();
    auto second = f.another();
    second->start();
    f.settle();
    for (int change = 2; change < 10; ++change) {
        f.put(config_maps, "settings", R"("data":{"a":")" + std::to_string(change) + "\"}");
        f.settle();
        for (int i = 0; i < 20; ++i) CHECK(f.rolls(deployments, "shop-" + std::to_string(i)) == change);
    }
    CHECK(f.operating->counts().rolled + second->counts().rolled == 160);
    CHECK(f.run.run(second->stop()));
}

TEST_CASE("config-reloader: somebody who takes the marks away is not fought", "[reloader]")
{
    fixture f;
    f.put_contents();
    f.make(deployments, "shop");
    f.begin();
    constexpr auto stripped = R"({"metadata":{"annotations":{"config-reloader.kubecoro.dev/applied":null}},)"
                              R"("spec":{"template":{"metadata":{"annotations":null}}}})";
    for (int i = 0; i < 600; ++i) { // ten minutes, each time within a second
        f.patch(deployments, "shop", stripped);
        f.run.advance(1s);
    }
    CHECK(f.operating->counts().adopted <= 5);
    CHECK(f.log.count("again and again") > 0);
    f.run.advance(1h); // once nobody does any more
    CHECK_FALSE(f.checksum_of(deployments, "shop").empty());
}

TEST_CASE("config-reloader: bad workloads do not hold up good ones", "[reloader]")
{
    fixture f;
    f.put_contents();
    f.make(deployments, "bad", "true", R"("envFrom":[{"configMapRef":{"name":"../secrets/password"}}])");
    f.make(deployments, "empty", "true", R"("env":[])");
    f.make(deployments, "good");
    f.begin();
    CHECK(f.rolls(deployments, "good") == 1);
    CHECK(f.rolls(deployments, "bad") == 0);
    CHECK(f.rolls(deployments, "empty") == 0);
    CHECK(f.log.count("names no object") >= 1);
    CHECK(f.log.count("there is nothing to roll it for") == 1);
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
    for (const auto& informer : f.operating->informers()) {
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
