// Operations that are done again, and the delays between them.
#include <kubecoro/base/retry.hpp>

#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/base/repeat.hpp>
#include <kubecoro/base/timeout.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace asio = boost::asio;

namespace kubecoro {

namespace {

duration scaled(duration d, double factor, duration limit) noexcept
{
    const double ticks = static_cast<double>(d.count()) * factor;
    if (ticks >= static_cast<double>(limit.count())) return limit;
    return duration(static_cast<duration::rep>(ticks));
}

} // namespace

backoff::backoff(backoff_policy policy, std::optional<std::uint64_t> seed)
    : policy_(policy), random_(seed ? *seed : detail::random_seed()), base_(std::min(policy.initial, policy.cap))
{
}

duration backoff::next()
{
    const duration d = base_;
    ++attempts_;
    base_ = scaled(base_, std::max(policy_.factor, 1.0), policy_.cap);
    if (policy_.jitter <= 0) return d;
    return scaled(d, 1.0 + policy_.jitter * detail::next_unit(random_), duration::max());
}

void backoff::reset() noexcept
{
    base_ = std::min(policy_.initial, policy_.cap);
    attempts_ = 0;
}

detail::retry_plan::retry_plan(predicate again, retry_policy policy)
    : again_(std::move(again)), left_(std::max(policy.attempts, 1U)), delays_(policy.delays, policy.seed)
{
}

std::optional<duration> detail::retry_plan::after(const failure& why)
{
    if (--left_ == 0 || why == cond::cancelled || !again_(why)) return std::nullopt;
    return std::max(delays_.next(), saturated(why.retry_after().value_or(std::chrono::seconds{0})));
}

using detail::own_chain;
using detail::own_filter;
using detail::own_throws;

namespace {

asio::awaitable<result<>> pause(time_source& time, duration d)
{
    if (d > duration::zero()) co_return co_await sleep_for(time, d);
    co_await asio::post(asio::use_awaitable);
    co_return result<>{};
}

/// d * (1 + jitter * unit), without overflow.
duration stretched(duration d, double jitter, detail::random_source& random)
{
    const double ticks = static_cast<double>(d.count()) * (1.0 + jitter * detail::next_unit(random));
    if (ticks >= static_cast<double>(duration::max().count())) return duration::max();
    return duration(static_cast<duration::rep>(ticks));
}

asio::awaitable<result<>> rounds(own_chain chain, time_source& time, round_timing timing, loop_body body)
{
    detail::random_source random(timing.seed ? *timing.seed : detail::random_seed());
    for (;;) {
        const time_point begun = time.now();
        const duration period = timing.jitter > 0 ? stretched(timing.period, timing.jitter, random) : timing.period;
        const auto done = co_await catch_failure(body);
        co_await own_filter();
        co_await own_throws();
        if (!done) co_return done;
        if (chain.cancelled()) co_return failure(cond::cancelled);
        KUBECORO_TRY(co_await pause(time, timing.sliding ? period : period - (time.now() - begun)));
    }
}

asio::awaitable<result<>> rounds_with_backoff(own_chain chain, time_source& time, backoff delays, loop_body body,
                                              callback<void(const failure&)> on_failure)
{
    for (;;) {
        const auto done = co_await catch_failure(body);
        co_await own_filter();
        co_await own_throws();
        if (chain.cancelled()) co_return failure(cond::cancelled);
        if (!done && on_failure) std::as_const(on_failure)(done.error());
        if (done) delays.reset();
        const duration delay = delays.next();
        if (done) delays.reset(); // a following failure also begins with the first delay
        KUBECORO_TRY(co_await pause(time, delay));
    }
}

asio::awaitable<result<>> questions(own_chain chain, time_source& time, duration interval, bool immediate,
                                    std::function<asio::awaitable<result<bool>>()> ask)
{
    for (bool first = true;; first = false) {
        if (!first || !immediate) {
            KUBECORO_TRY(co_await pause(time, interval));
        }
        const auto answer = co_await catch_failure(ask);
        co_await own_filter();
        co_await own_throws();
        if (!answer) co_return answer.error();
        if (*answer) co_return result<>{};
        if (chain.cancelled()) co_return failure(cond::cancelled);
    }
}

} // namespace

asio::awaitable<result<>> until(time_source& time, saturating_duration period, loop_body body)
{
    return jitter_until(time, {.period = period}, std::move(body));
}

asio::awaitable<result<>> jitter_until(time_source& time, round_timing timing, loop_body body)
{
    const own_chain chain;
    return catch_failure(chain.run(rounds(chain, time, timing, std::move(body))));
}

asio::awaitable<result<>> backoff_until(time_source& time, backoff_policy policy, loop_body body,
                                        callback<void(const failure&)> on_failure, std::optional<std::uint64_t> seed)
{
    const own_chain chain;
    return catch_failure(
        chain.run(rounds_with_backoff(chain, time, backoff(policy, seed), std::move(body), std::move(on_failure))));
}

asio::awaitable<result<>> poll_until(time_source& time, poll_timing timing,
                                     std::function<asio::awaitable<result<bool>>()> ask)
{
    const own_chain chain;
    auto asking = chain.run(questions(chain, time, timing.interval, timing.immediate, std::move(ask)));
    return catch_failure(with_timeout(time, timing.timeout, std::move(timing.what), std::move(asking)));
}

} // namespace kubecoro
