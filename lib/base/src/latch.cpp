#include <kubecoro/base/latch.hpp>

#include "bell.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace asio = boost::asio;

namespace kubecoro {

using detail::bell;

struct latch::state
{
    mutable std::mutex mutex;
    bool settled = false;
    result<> outcome;
    /// Rung under the mutex; a sleeper also takes it to leave, so every pointer is valid.
    std::vector<bell*> sleepers;

    [[nodiscard]] bool is_settled() const
    {
        std::lock_guard lock(mutex);
        return settled;
    }
    /// False when the latch is already settled.
    bool enrol(bell& b)
    {
        std::lock_guard lock(mutex);
        if (!settled) sleepers.push_back(&b);
        return !settled;
    }
    void leave(bell& b) noexcept
    {
        std::lock_guard lock(mutex);
        auto at = std::find(sleepers.begin(), sleepers.end(), &b);
        if (at != sleepers.end()) sleepers.erase(at);
    }

    static asio::awaitable<result<>> wait(std::shared_ptr<state> self);
};

latch::latch() : state_(std::make_shared<state>()) {}

bool latch::settle(result<> outcome) const
{
    const auto held = state_; // a resumed waiter may destroy this latch
    std::lock_guard lock(held->mutex);
    if (held->settled) return false;
    held->settled = true;
    held->outcome = std::move(outcome);
    for (bell* const b : held->sleepers) b->ring();
    held->sleepers.clear();
    return true;
}

bool latch::settled() const noexcept { return state_->is_settled(); }

result<> latch::outcome() const
{
    std::lock_guard lock(state_->mutex);
    return state_->outcome;
}

asio::awaitable<result<>> latch::wait() const { return state::wait(state_); }

asio::awaitable<result<>> latch::state::wait(std::shared_ptr<state> self)
{
    struct enrolment
    {
        state& of;
        bell& mine;
        ~enrolment() { of.leave(mine); }
    };
    const auto executor = co_await asio::this_coro::executor;
    if (!self->is_settled()) {
        bell mine(executor);
        const enrolment e{*self, mine};
        if (self->enrol(mine)) {
            auto [code] = co_await mine.channel.async_receive(asio::as_tuple(asio::use_awaitable));
            if (code) co_return failure(cond::cancelled);
        }
    }
    std::lock_guard lock(self->mutex);
    co_return self->outcome;
}

} // namespace kubecoro
