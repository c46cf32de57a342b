// The requests that config-reloader makes for the contents of config maps and secrets.
#include "config_reloader_fixture.hpp"
#include "known_contents.hpp"

using namespace reloader_test;
using namespace kubecoro::config_reloader;

namespace {

std::string map_name(int i) { return "settings-" + std::to_string(i); }

/// A container that reads config maps of map_name().
std::string reading(int maps, const std::string& more = {})
{
    std::string out = R"("envFrom":[)";
    for (int i = 0; i < maps; ++i) {
        out += (i == 0 ? "" : ",") + (R"({"configMapRef":{"name":")" + map_name(i)) + "\"}}";
    }
    return out + more + "]";
}

void put_maps(fixture& f, int maps)
{
    for (int i = 0; i < maps; ++i) f.put(config_maps, map_name(i), R"("data":{"a":"1"})");
}

known_content known(const std::string& name, const std::string& version)
{
    return {{content_kind::config_map, name, false}, version, {}};
}

} // namespace

TEST_CASE("config-reloader: a change of one of many referenced objects costs one read", "[reloader]")
{
    fixture f;
    put_maps(f, 50);
    f.make(deployments, "shop", "true", reading(50, R"(,{"configMapRef":{"name":"extra","optional":true}})"));
    f.begin();
    CHECK(f.rolls(deployments, "shop") == 1);
    CHECK(*f.reads == 51);
    f.put(config_maps, map_name(7), R"("data":{"a":"2"})");
    f.settle();
    CHECK(f.rolls(deployments, "shop") == 2);
    CHECK(*f.reads == 52);
    f.put(config_maps, "extra", R"("data":{"a":"2"})");
    f.settle();
    CHECK(f.rolls(deployments, "shop") == 3);
    CHECK(*f.reads == 53);
    f.remove(config_maps, "extra");
    f.settle();
    CHECK(f.rolls(deployments, "shop") == 4);
    CHECK(*f.reads == 54);
    f.patch(config_maps, map_name(3), R"({"metadata":{"labels":{"x":"y"}}})");
    f.settle();
    CHECK(f.rolls(deployments, "shop") == 4);
    CHECK(*f.reads == 55);
}

TEST_CASE("config-reloader: a check after a restart, and one of an edited workload, read each object at most once",
          "[reloader]")
{
    fixture f;
    put_maps(f, 50);
    f.make(deployments, "shop", "true", reading(50));
    f.begin();
    f.end();
    *f.reads = 0;
    f.begin();
    CHECK(*f.reads == 50);
    f.patch(deployments, "shop", R"({"spec":{"replicas":3}})");
    f.settle();
    CHECK(*f.reads == 50);
}

TEST_CASE("config-reloader: nothing is read while a required object is missing", "[reloader]")
{
    fixture f;
    put_maps(f, 50);
    f.make(deployments, "shop", "true", reading(51));
    f.begin();
    for (int change = 2; change < 6; ++change) {
        f.put(config_maps, map_name(1), R"("data":{"a":")" + std::to_string(change) + "\"}");
        f.settle();
    }
    CHECK(*f.reads == 0);
    CHECK(f.log.count("missing=ConfigMap/settings-50") == 5);
    f.put(config_maps, map_name(50), R"("data":{})");
    f.settle();
    CHECK(*f.reads == 51);
    CHECK(f.rolls(deployments, "shop") == 1);
}

TEST_CASE("config-reloader: nothing is read while a workload waits for its adoption", "[reloader]")
{
    fixture f;
    put_maps(f, 50);
    f.make(deployments, "shop", "true", reading(50));
    f.begin();
    for (int i = 0; i < 40; ++i) { // less than the first wait
        f.patch(deployments, "shop",
                R"({"metadata":{"annotations":{"config-reloader.kubecoro.dev/applied":null}},)"
                R"("spec":{"template":{"metadata":{"annotations":null}}}})");
        f.run.advance(1s);
    }
    CHECK(f.log.count("removed repeatedly") > 0);
    CHECK(*f.reads == 50);
}

TEST_CASE("config-reloader: a workload that another operator has rolled is compared with what the server has",
          "[reloader]")
{
    fixture f;
    put_maps(f, 50);
    f.make(deployments, "shop", "true", reading(50));
    f.begin();
    f.patch(deployments, "shop", R"({"metadata":{"annotations":{"config-reloader.kubecoro.dev/applied":"another"}}})");
    f.settle();
    CHECK(*f.reads == 100);
    CHECK(f.rolls(deployments, "shop") == 3); // the annotation counts as well
}

TEST_CASE("config-reloader: known contents are those of one checksum and one version", "[reloader]")
{
    known_contents all;
    const object_key shop("web", "shop");
    all.note(shop, "one", {known("a", "5"), known("b", "")});
    CHECK(all.of(shop, "two") == nullptr);
    CHECK(all.of(object_key("web", "other"), "one") == nullptr);
    const auto found = all.of(shop, "one");
    REQUIRE(found != nullptr);
    CHECK(find_content(*found, {content_kind::config_map, "a"}, "5") == &found->front());
    CHECK(find_content(*found, {content_kind::config_map, "a"}, "6") == nullptr);
    CHECK(find_content(*found, {content_kind::secret, "a"}, "5") == nullptr);
    CHECK(find_content(*found, {content_kind::config_map, "c"}, "") == nullptr);
    CHECK(find_content(*found, {content_kind::config_map, "b", true}, "") == &found->back());
    all.note(shop, "two", {});
    CHECK(all.of(shop, "one") == nullptr);
    CHECK(all.size() == 1);
    all.forget(shop);
    CHECK(all.size() == 0);
}
