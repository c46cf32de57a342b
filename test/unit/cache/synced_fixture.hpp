#pragma once
// Test fixture: an informer of pods that has web/a@1 and web/b@2 at version 5, and an open watch.

#include "informer_fixture.hpp"

namespace informer_test {

struct synced_fixture : fixture
{
    kubecoro::shared_informer<> pods = informers->get<pod>();
    kt::scripted_watch watch;

    explicit synced_fixture(kubecoro::factory_options o = {}) : fixture(std::move(o))
    {
        source().on_list(kt::make_page({kt::make_pod("web", "a", "1"), kt::make_pod("web", "b", "2")}, "5"));
        watch = source().on_watch();
    }
    void start()
    {
        informers->start();
        REQUIRE(run.run(pods.has_synced()));
        settle();
    }
    void modify(const std::string& name, int version)
    {
        watch.send(kt::modified(kt::make_pod("web", name, std::to_string(version))));
    }
};

} // namespace informer_test
