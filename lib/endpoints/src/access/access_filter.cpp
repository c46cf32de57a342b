#include <kubecoro/endpoints/access_filter.hpp>

#include "access/access_core.hpp"
#include "access/token_digest.hpp"
#include "access/token_review.hpp"
#include "server/log_pace.hpp"

#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/timeout.hpp>

#include <map>
#include <mutex>

namespace asio = boost::asio;

namespace kubecoro {

namespace {

constexpr duration log_pause = std::chrono::seconds{10};

detail::access_core::limits limits_of(const access_filter_options& o)
{
    return {o.keep_allowed, o.keep_refused, o.max_verdicts, o.max_reviews, o.reviews_per_second};
}

} // namespace

struct access_filter::state
{
    state(access_reviewer r, access_filter_options o)
        : asks(std::move(r)), options(std::move(o)), core(limits_of(options)), pace(log_pause)
    {
        if (!options.time) options.time = real_clock();
        auto made = detail::token_hash::make();
        if (made) hash = *made;
        if (!options.metrics) return;
        for (const char* outcome : {"allowed", "unauthenticated", "forbidden", "busy", "failed"})
            outcomes[outcome] =
                options.metrics->make_counter("kubecoro_endpoints_access_total", {{"outcome", outcome}});
    }

    void count(const char* outcome)
    {
        if (const auto at = outcomes.find(outcome); at != outcomes.end()) at->second->add();
    }
    result<access_verdict> said(access_verdict verdict)
    {
        if (verdict == access_verdict::allowed)
            count("allowed");
        else
            count(verdict == access_verdict::forbidden ? "forbidden" : "unauthenticated");
        return verdict;
    }
    result<access_verdict> failed(failure why)
    {
        count("failed");
        const std::lock_guard lock(mutex);
        if (const auto held_back = pace.pass(options.time->now()))
            options.log.warning("tokens of clients cannot be reviewed",
                                {{"failure", why.describe()}, {"held_back", *held_back}});
        return why;
    }

    detail::access_core::step ask(const detail::access_digest& of, latch& running)
    {
        const std::lock_guard lock(mutex);
        const auto next = core.on_request(of, options.time->now());
        if (next == detail::access_core::step::review) {
            try {
                reviews[of] = running;
            } catch (...) { // no memory
                core.on_failed(of);
                throw;
            }
        }
        if (next == detail::access_core::step::wait) running = reviews.at(of);
        return next;
    }

    /// Reports the end of a review on every path, the destruction of its coroutine included.
    struct report
    {
        std::shared_ptr<state> to;
        detail::access_digest of;
        result<access_verdict> outcome = failure(cond::cancelled);
        ~report()
        {
            const std::lock_guard lock(to->mutex);
            if (outcome)
                to->core.on_reviewed(of, *outcome, to->options.time->now());
            else
                to->core.on_failed(of);
            const auto at = to->reviews.find(of);
            at->second.settle(outcome ? result<>() : result<>(outcome.error()));
            to->reviews.erase(at);
        }
    };

    /// Counts a caller that waits for the review of another.
    struct waiting_caller
    {
        state& in;
        ~waiting_caller()
        {
            const std::lock_guard lock(in.mutex);
            in.core.on_waited();
        }
    };

    access_reviewer asks;
    access_filter_options options;
    std::optional<detail::token_hash> hash;
    std::map<std::string_view, std::shared_ptr<metrics::counter>> outcomes;
    std::mutex mutex;
    detail::access_core core;
    std::map<detail::access_digest, latch> reviews;
    detail::log_pace pace;

    /// @param end  Lives as long as the review.
    static asio::awaitable<result<access_verdict>> review(report& end, std::string token, std::string path);
    static asio::awaitable<result<access_verdict>> check(std::shared_ptr<state> self, std::string token,
                                                         std::string path);
};

asio::awaitable<result<access_verdict>> access_filter::state::review(report& end, std::string token, std::string path)
{
    auto& self = *end.to;
    auto asking = with_timeout(*self.options.time, self.options.timeout, "review a token",
                               self.asks(std::move(token), std::move(path)));
    auto outcome = co_await std::move(asking);
    end.outcome = outcome;
    co_return outcome;
}

asio::awaitable<result<access_verdict>> access_filter::state::check(std::shared_ptr<state> self, std::string token,
                                                                    std::string path)
{
    using step = detail::access_core::step;
    if (!self->hash) co_return self->failed(failure{cond::internal, "the system has no random bytes"});
    const auto of = self->hash->of(token, path);
    for (;;) {
        latch running;
        switch (self->ask(of, running)) {
        case step::allowed:
            co_return self->said(access_verdict::allowed);
        case step::unauthenticated:
            co_return self->said(access_verdict::unauthenticated);
        case step::forbidden:
            co_return self->said(access_verdict::forbidden);
        case step::busy:
            self->count("busy");
            co_return failure{cond::retry_later, "too many tokens are due to be reviewed"};
        case step::review: {
            // Before anything that can fail, or that a cancellation can reach: a review that was begun ends.
            result<access_verdict> outcome = failure(cond::cancelled);
            {
                report end{self, of};
                auto reviewing = review(end, token, path);
                outcome = co_await std::move(reviewing);
            }
            if (!outcome) co_return self->failed(outcome.error());
            co_return self->said(*outcome);
        }
        case step::wait: {
            const waiting_caller counted{*self};
            auto waiting = running.wait();
            const auto ended = co_await std::move(waiting);
            const auto own = co_await asio::this_coro::cancellation_state;
            // The one who reviewed it may have been cancelled: that says nothing about the token.
            const bool cancelled = !ended && ended.error() == cond::cancelled;
            if (!ended && (!cancelled || own.cancelled() != asio::cancellation_type::none))
                co_return self->failed(ended.error());
            break;
        }
        }
    }
}

access_filter::access_filter(access_reviewer asks, access_filter_options options)
    : state_(std::make_shared<state>(std::move(asks), std::move(options)))
{
}

access_filter::access_filter(const client& asks, access_filter_options options)
{
    // The clock lives as long as a copy of the client.
    if (!options.time) options.time = std::shared_ptr<time_source>(std::make_shared<client>(asks), &asks.time());
    auto reviewer = detail::reviewer_of(asks, options.audiences);
    state_ = std::make_shared<state>(std::move(reviewer), std::move(options));
}

asio::awaitable<result<access_verdict>> access_filter::check(std::string token, std::string path) const
{
    return state::check(state_, std::move(token), std::move(path));
}

} // namespace kubecoro
