#include "demo_script.hpp"

#include <kubecoro/base/try.hpp>

#include <array>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

/// Waits until the informers have reacted to a network fault.
template<class Predicate>
asio::awaitable<result<>> until(Predicate reached, duration limit)
{
    const auto time = real_clock();
    const auto deadline = time->now() + limit;
    while (!reached() && time->now() < deadline) {
        KUBECORO_TRY(co_await sleep_for(*time, std::chrono::milliseconds{20}));
    }
    co_return result<>();
}

asio::awaitable<result<>> everyday_work(demo_stage s)
{
    s.show.heading("a new version of the storefront is rolled out");
    auto done = co_await s.work.rollout("web", "storefront", 5);
    if (!done) co_return done;
    s.show.heading("settings change, a campaign runs");
    done = co_await s.work.configure("web", 4);
    if (!done) co_return done;
    co_return co_await s.work.campaign("flash-sale", 4);
}

/// A short break: the watches resume where they were.
asio::awaitable<result<>> first_cut(demo_stage s)
{
    s.show.heading("every connection is cut while orders are scaled up");
    const auto before = s.informers.reconnects();
    s.cluster.server().cut_connections();
    auto done = co_await s.work.scale("shop", "orders", 4);
    if (!done) co_return done;
    const auto all = s.informers.stats().size();
    done = co_await until([&] { return s.informers.reconnects() >= before + all; }, std::chrono::seconds{5});
    s.show.note("reconnected " + std::to_string(s.informers.reconnects() - before) +
                " watches at their last version: no relist was needed");
    co_return done;
}

/// A break longer than the server's history: the versions of the watches get a 410.
asio::awaitable<result<>> second_cut(demo_stage s)
{
    s.show.heading("connections are cut and refused; work continues and the server drops its history");
    const auto before = s.informers.relists(relist_reason::expired);
    auto& server = s.cluster.server();
    server.refuse_connections(true);
    server.cut_connections();
    auto done = co_await s.work.rollout("shop", "payments", 3);
    if (done) done = co_await s.work.configure("shop", 3);
    if (done) done = co_await s.work.campaign("gone-before-you-look", 1);
    if (done) done = co_await server.compact();
    server.refuse_connections(false);
    if (!done) co_return done;
    s.show.note("the server is back; earlier watches get 410 Gone");
    const auto all = s.informers.stats().size();
    done = co_await until([&] { return s.informers.relists(relist_reason::expired) >= before + all; },
                          std::chrono::seconds{8});
    s.show.note(std::to_string(s.informers.relists(relist_reason::expired) - before) + " of " + std::to_string(all) +
                " informers listed again; only differences reached the handlers");
    co_return done;
}

asio::awaitable<result<>> more_work(demo_stage s)
{
    s.show.heading("node-b2 fails briefly");
    KUBECORO_TRY(co_await s.work.node_outage("node-b2", 4));
    s.show.heading("workers are scaled down");
    co_return co_await s.work.scale("jobs", "worker-fast", -6);
}

} // namespace

asio::awaitable<result<>> play(demo_stage stage)
{
    constexpr std::array acts{everyday_work, first_cut, more_work, second_cut};
    for (const auto act : acts) {
        KUBECORO_TRY(co_await act(stage));
    }
    stage.show.heading("the campaign of the week ends the show");
    co_return co_await stage.work.campaign("week-" + std::to_string(stage.work.writes()), 3);
}

asio::awaitable<result<>> keep_playing(demo_stage stage)
{
    for (;;) {
        auto done = co_await stage.work.anything();
        if (done) continue;
        // The object may have been removed, e.g. with kubectl.
        if (done.error() == cond::cancelled) co_return done;
        stage.show.note("skipped: " + done.error().describe());
        KUBECORO_TRY(co_await sleep_for(*real_clock(), std::chrono::seconds{1}));
    }
}

} // namespace kubecoro::tool
