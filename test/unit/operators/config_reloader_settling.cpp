// Changes that come together cause one roll.
#include "config_reloader_fixture.hpp"
#include "settling.hpp"

using namespace reloader_test;
using namespace kubecoro::config_reloader;

TEST_CASE("config-reloader: a workload waits until its contents have not changed for the pause", "[settling]")
{
    settling pace(2s);
    const object_key shop("web", "shop");
    const time_point start{};
    CHECK(pace.wait(shop, "1,1,", start) == 2s);
    CHECK(pace.wait(shop, "1,1,", start + 1s) == 1s);
    CHECK(pace.wait(shop, "1,2,", start + 1s) == 2s);
    CHECK(pace.wait(object_key("web", "other"), "1,2,", start + 1s) == 2s);
    CHECK(pace.wait(shop, "1,2,", start + 3s) == 0s);
    pace.forget(shop);
    CHECK(pace.wait(shop, "1,2,", start + 3s) == 2s);
}

TEST_CASE("config-reloader: contents that never settle are compared after ten pauses", "[settling]")
{
    settling pace(2s);
    const object_key shop("web", "shop");
    const time_point start{};
    for (int second = 0; second < 20; ++second)
        CHECK(pace.wait(shop, std::to_string(second), start + std::chrono::seconds(second)) ==
              std::min(2s, 20s - second * 1s));
    CHECK(pace.wait(shop, "20", start + 20s) == 0s);
}

TEST_CASE("config-reloader: without a pause a workload is compared at once", "[settling]")
{
    settling pace(0s);
    CHECK(pace.wait(object_key("web", "shop"), "1,", time_point{}) == 0s);
}

TEST_CASE("config-reloader: changes of several objects that come together cause one roll", "[settling]")
{
    fixture f;
    f.put_contents();
    f.make(deployments, "shop", "true");
    f.begin();
    CHECK(f.rolls(deployments, "shop") == 1);
    f.put(config_maps, "settings", R"("data":{"a":"2"})");
    f.run.advance(1s);
    f.put(secrets, "password", R"("data":{"p":"Mg=="})");
    f.run.advance(1s);
    CHECK(f.rolls(deployments, "shop") == 1);
    f.settle();
    CHECK(f.rolls(deployments, "shop") == 2);
    f.end();
}
