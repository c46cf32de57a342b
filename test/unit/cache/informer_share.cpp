// Tests of an informer that keeps a part of all objects, with a share whose changes the case decides.
#include "informer_fixture.hpp"

#include <kubecoro/cache/detail/object_share.hpp>

#include <atomic>

using namespace informer_test;

namespace {

/// Keeps nothing before the first gain, and everything afterwards. Tells its informer only if the case does.
struct growing_share final : kubecoro::detail::object_share
{
    std::atomic<std::uint64_t> gained{0};
    std::shared_ptr<kubecoro::detail::share_follower> informer = {};

    bool keeps(kubecoro::object_key_view) const noexcept override { return gained != 0; }
    std::uint64_t gains() const noexcept override { return gained; }
    bool by_namespace() const noexcept override { return false; }
    void add(const std::shared_ptr<kubecoro::detail::share_follower>& i) override { informer = i; }
    void shown() override {}
};

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
