#include <kubecoro/controller/leadership.hpp>

#include "election/leadership_state.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/own_chain.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/controller/controller.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro {

const std::string& leadership::identity() const noexcept { return state_->identity; }
std::uint64_t leadership::fencing_token() const noexcept { return state_->token; }
std::int32_t leadership::transitions() const noexcept { return state_->transitions; }
const std::string& leadership::lease_uid() const noexcept { return state_->lease_uid; }
asio::awaitable<result<>> leadership::ending() const { return state_->ending.wait(); }

result<> leadership::check() const
{
    if (state_->ending.settled()) {
        if (auto why = state_->ending.outcome(); !why) return why;
    }
    if (state_->time->now().time_since_epoch().count() < state_->until.load(std::memory_order_relaxed)) return {};
    return failure(cond::timed_out, "the lease was not renewed in time: another candidate may lead");
}

namespace {

asio::awaitable<result<>> run_controller(std::shared_ptr<detail::leadership_state> state, controller<object>& work)
{
    co_await race(work.run(), state->ending.wait());
    const auto cancelled = co_await asio::this_coro::cancellation_state;
    const bool lost = state->ending.settled() && !state->ending.outcome();
    if (lost || cancelled.cancelled() != asio::cancellation_type::none) work.request_stop_at_once();
    for (;;) {
        const auto outcome = co_await catch_failure(work.stop());
        if (outcome || outcome.error() != cond::cancelled) co_return outcome;
        work.request_stop_at_once(); // the wait was cancelled, not the controller
    }
}

} // namespace

asio::awaitable<result<>> leadership::run(controller<object>& work) const
{
    return detail::finishing(run_controller(state_, work));
}

} // namespace kubecoro
