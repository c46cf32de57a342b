// Tests of an informer that keeps a part of all objects, with a share whose changes the case decides.
#include "informer_fixture.hpp"

#include <kubecoro/cache/object_share.hpp>

#include <atomic>

using namespace informer_test;

namespace {

/// Keeps nothing before the first gain, and everything afterwards. Tells its informer only if the case does.
struct growing_share final : kubecoro::object_share
{
    std::atomic<std::uint64_t> gained{0};
    std::shared_ptr<kubecoro::share_follower> informer = {};

    bool keeps(kubecoro::object_key_view) const noexcept override { return gained != 0; }
    std::uint64_t gains() const noexcept override { return gained; }
    bool by_namespace() const noexcept override { return false; }
    void add(const std::shared_ptr<kubecoro::share_follower>& i) override { informer = i; }
    void shown() override {}
};

/// An event that the decoder has passed over.
kubecoro::watch_event of_others(int version)
{
    kubecoro::watch_event e;
    e.type = kubecoro::watch_event_type::modified;
    e.passed_over = std::to_string(version);
    return e;
}

} // namespace

TEST_CASE("share: keys that come before the informer learns of them are not shown until a list has them",
          "[cache][share]")
{
    fixture f;
    const auto share = std::make_shared<growing_share>();
    auto pods = f.informers->get<pod>({.share = share});
    f.source().on_list(kubecoro::failure(kubecoro::cond::unreachable));
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
    auto watch = f.source().on_watch();
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "6"), 3s);
    auto next = f.source().on_watch();
    f.informers->start();
    f.settle();
    share->gained = 1;
    f.run.advance(2s);
    REQUIRE(f.source().calls().size() == 4); // the second list was still for none; the third one takes its time
    CHECK(pods.synced());
    CHECK(share->informer->shown == 0);
    CHECK(pods.lister().size() == 0);
    f.run.advance(3s);
    CHECK(share->informer->shown == 1);
    CHECK(pods.lister().size() == 1);
}

TEST_CASE("share: a watch rests while events of others come fast, so that one read takes several of them",
          "[cache][share]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    const auto watch = f.with_one_pod();
    f.informers->start();
    f.settle();
    SECTION("events of others")
    {
        for (int version = 6; version < 9; ++version) watch.send(of_others(version));
        f.settle();
        CHECK(watch.pending() == 1);
        f.run.advance(1ms);
        CHECK(watch.pending() == 0);
    }
    SECTION("events of others that one read finds together")
    {
        for (int version = 6; version < 10; version += 2)
            watch.send(std::vector{of_others(version), of_others(version + 1)});
        watch.send(of_others(10));
        f.settle();
        CHECK(watch.pending() == 0);
    }
    SECTION("an event of others that comes alone")
    {
        watch.send(of_others(6));
        f.run.advance(1ms);
        watch.send(of_others(7)).send(kt::added(kt::make_pod("web", "b", "8")));
        f.settle();
        CHECK(watch.pending() == 0);
        CHECK(pods.lister().size() == 2);
    }
    SECTION("events of its own")
    {
        for (int version = 6; version < 9; ++version)
            watch.send(kt::added(kt::make_pod("web", "b", std::to_string(version))));
        f.settle();
        CHECK(watch.pending() == 0);
    }
    SECTION("the rest is cut short by the stop")
    {
        watch.send(of_others(6)).send(of_others(7)).send(of_others(8));
        f.settle();
        CHECK(f.run.run(f.informers->stop()).has_value());
        CHECK(watch.closed());
    }
}

TEST_CASE("share: a streamed list does not rest between events of others", "[cache][share]")
{
    fixture f;
    f.source().allow_streamed_lists();
    auto pods = f.informers->get<pod>();
    const auto watch = f.source().on_watch();
    f.informers->start();
    for (int version = 1; version < 4; ++version) watch.send(of_others(version));
    f.settle();
    CHECK(watch.opened());
    CHECK(watch.pending() == 0);
}
