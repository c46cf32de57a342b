#include "connect/connection_race.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/own_chain.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/base/wake_signal.hpp>

#include <boost/asio/this_coro.hpp>

#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

struct contest
{
    std::shared_ptr<happy_eyeballs_core> plan;
    dialer dial;
    wake_signal changed = {};
};

asio::awaitable<result<>> attempt(std::shared_ptr<contest> of, std::size_t index)
{
    const auto done = co_await catch_failure(of->dial(index));
    if (done)
        of->plan->on_connected(index);
    else
        of->plan->on_failed(index, done.error());
    of->changed.notify();
    co_return result<>{};
}

asio::awaitable<result<>> wait_for_change(time_source& time, const contest& of, std::optional<time_point> until)
{
    auto change = of.changed.wait();
    if (!until) co_return co_await std::move(change);
    (void)co_await race(std::move(change), sleep_for(time, *until - time.now()));
    co_return result<>{};
}

asio::awaitable<result<std::size_t>> follow(std::shared_ptr<time_source> time, std::shared_ptr<contest> of,
                                            std::shared_ptr<task_group> attempts)
{
    for (;;) {
        const auto next = of->plan->next(time->now());
        if (const auto* opening = std::get_if<happy_eyeballs_core::open>(&next)) {
            attempts->spawn("connect to " + of->plan->order()[opening->index], attempt(of, opening->index));
        } else if (const auto* waiting = std::get_if<happy_eyeballs_core::wait>(&next)) {
            KUBECORO_TRY(co_await wait_for_change(*time, *of, waiting->until));
        } else if (const auto* won = std::get_if<happy_eyeballs_core::connected>(&next)) {
            co_return won->index;
        } else {
            co_return std::get<happy_eyeballs_core::give_up>(next).why;
        }
    }
}

/// The attempts of one race. They may be destroyed after the race itself, with their context.
struct racers
{
    std::shared_ptr<task_group> group;
    ~racers()
    {
        group->stop();
        group->keep_until_ended(group);
    }
};

asio::awaitable<result<std::size_t>> run_race(std::shared_ptr<time_source> time,
                                              std::shared_ptr<happy_eyeballs_core> plan, dialer dial)
{
    const auto executor = co_await asio::this_coro::executor;
    const auto before = co_await asio::this_coro::cancellation_state;
    const bool was_cancelled = before.cancelled() != asio::cancellation_type::none;
    const auto of = std::make_shared<contest>(contest{std::move(plan), std::move(dial)});
    const racers all{std::make_shared<task_group>(executor)};
    auto outcome = co_await catch_failure(follow(std::move(time), of, all.group));
    all.group->stop();
    while (all.group->running() != 0) (void)co_await all.group->join(); // the join may be cancelled again
    // A cancellation while the losers ended must not be lost; one that came before the race, in a clean-up section, is
    // ignored.
    const auto after = co_await asio::this_coro::cancellation_state;
    if (!was_cancelled && after.cancelled() != asio::cancellation_type::none) co_return failure(cond::cancelled);
    co_return outcome;
}

} // namespace

asio::awaitable<result<std::size_t>> race_connections(std::shared_ptr<time_source> time,
                                                      std::shared_ptr<happy_eyeballs_core> plan, dialer dial)
{
    return finishing(run_race(std::move(time), std::move(plan), std::move(dial)));
}

} // namespace kubecoro::detail
