// Every step of a collection's life: destroyed there, and cancelled there.
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/collections/derive.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/scripted_informers.hpp>
#include <kubecoro/testing/every_step.hpp>
#include <kubecoro/testing/objects.hpp>

#include <memory>
#include <string>

namespace {

namespace kt = kubecoro::testing;
using kubecoro::object;
using kubecoro::result;
using kubecoro::untyped::pod;

struct life : kubecoro::test::scripted_informers
{
    kubecoro::shared_informer<> pods;
    kt::scripted_watch watch;
    kubecoro::live_queries live;

    explicit life(kt::runner& run)
        : scripted_informers(run), pods(informers->get<pod>()), live(run.executor(), {.time = run.shared_clock()})
    {
        source(pod::resource()).on_list(kt::make_page({kt::make_pod("web", "a", "1", "n1")}, "5"));
        watch = source(pod::resource()).on_watch();
        watch.send(kt::added(kt::make_pod("web", "b", "6", "n1")));
    }
};

boost::asio::awaitable<result<>> live_and_stop(std::shared_ptr<life> l)
{
    const auto by_node = kubecoro::group_by<std::size_t>(
        l->live, l->pods, [](const object& p) { return std::string(p["spec"]["nodeName"].as_string()); },
        [](const std::string&, const std::vector<object>& all) { return all.size(); });
    auto seen = std::make_shared<int>(0);
    by_node.add_event_handler([seen](const kubecoro::collection_change<std::size_t>&) { ++*seen; });
    auto events = by_node.subscribe();
    l->informers->start();
    KUBECORO_TRY(co_await by_node.has_synced());
    const auto batch = co_await events.pop();
    if (!batch) co_return events.end_reason();
    KUBECORO_TRY(co_await by_node.wait_for("n1", [](const auto& n) { return n && *n == 2; }));
    KUBECORO_TRY(const auto then, co_await l->live.snapshot({{l->pods, "6"}}, by_node));
    if (*std::get<0>(then).get("n1") != 2) co_return kubecoro::failure(kubecoro::cond::internal, "an old snapshot");
    KUBECORO_TRY(co_await l->live.stop());
    co_return co_await l->informers->stop();
}

kt::scenario make(kt::runner& run)
{
    const auto l = std::make_shared<life>(run);
    return {live_and_stop(l), l};
}

} // namespace

TEST_CASE("a collection may be destroyed or cancelled at every step", "[collections]")
{
    const auto stopped = kt::stop_after_every_step(make);
    REQUIRE(stopped);
    CHECK(*stopped > 30);
    REQUIRE(kt::cancel_after_every_step(make));
}
