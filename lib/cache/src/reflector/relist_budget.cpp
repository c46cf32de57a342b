#include "reflector/relist_budget_core.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/cache/relist_budget.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>

namespace asio = boost::asio;

namespace kubecoro {
using namespace detail;

namespace {

constexpr duration longest_turn = std::chrono::seconds{30};

} // namespace

struct relist_budget::state
{
    state(std::size_t at_once, duration most_delay, std::shared_ptr<time_source> c, std::uint64_t seed)
        : spread(most_delay), time(c ? std::move(c) : real_clock()), random(seed), core(at_once, longest_turn)
    {
    }

    std::uint64_t ask(latch turn_has_come)
    {
        std::lock_guard lock(mutex);
        const auto ticket = core.ask(time->now());
        waiters.emplace(ticket, std::move(turn_has_come));
        tell();
        return ticket;
    }
    void leave(std::uint64_t ticket)
    {
        std::lock_guard lock(mutex);
        waiters.erase(ticket);
        core.leave(ticket, time->now());
        tell();
    }
    /// Returns how long a waiting caller may sleep; zero = until its turn.
    duration patience()
    {
        std::lock_guard lock(mutex);
        const auto now = time->now();
        core.tick(now);
        tell();
        const auto end = core.expires();
        return end ? std::max<duration>(*end - now, duration(1)) : duration::zero();
    }
    duration draw_delay()
    {
        std::lock_guard lock(mutex);
        return duration(
            static_cast<duration::rep>(std::floor(next_unit(random) * static_cast<double>(spread.count()))));
    }

    const duration spread;
    const std::shared_ptr<time_source> time;
    mutable std::mutex mutex;
    random_source random;
    relist_budget_core core;
    std::map<std::uint64_t, latch> waiters;

private:
    void tell()
    {
        for (const auto ticket : core.take_granted())
            if (const auto found = waiters.find(ticket); found != waiters.end()) {
                found->second.settle({});
                waiters.erase(found);
            }
    }
};

relist_budget::relist_budget(std::size_t at_once, saturating_duration spread, std::shared_ptr<time_source> time,
                             std::optional<std::uint64_t> seed)
    : state_(std::make_shared<state>(at_once, spread, std::move(time), seed ? *seed : random_seed()))
{
}

asio::awaitable<result<relist_budget::turn>> relist_budget::take() const { return catch_failure(take(state_)); }

asio::awaitable<result<relist_budget::turn>> relist_budget::take(std::shared_ptr<state> self)
{
    const latch mine;
    turn held(self, self->ask(mine)); // given back when this coroutine ends in any way
    while (!mine.settled()) {
        const auto patience = self->patience();
        if (mine.settled()) break;
        const auto woken = co_await with_timeout(*self->time, patience, "wait for a turn to list", mine.wait());
        if (!woken && woken.error() != cond::timed_out) co_return woken.error();
    }
    if (const auto delay = self->draw_delay(); delay > duration::zero()) {
        KUBECORO_TRY(co_await sleep_for(*self->time, delay));
    }
    co_return std::move(held);
}

std::size_t relist_budget::running() const
{
    std::lock_guard lock(state_->mutex);
    return state_->core.running();
}

std::size_t relist_budget::waiting() const
{
    std::lock_guard lock(state_->mutex);
    return state_->core.waiting();
}

relist_budget::turn::~turn()
{
    if (state_) state_->leave(ticket_);
}

} // namespace kubecoro
