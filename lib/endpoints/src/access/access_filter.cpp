#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/endpoints/access_filter.hpp>

#include "access/access_core.hpp"
#include "access/tokens.hpp"
#include <kubecoro/http/detail/client_turns.hpp>

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/timeout.hpp>

#include <algorithm>
#include <map>
#include <mutex>

namespace asio = boost::asio;

namespace kubecoro {

namespace {

/// For one review, of both requests, and for its turn.
constexpr duration longest_review = std::chrono::seconds{10};
constexpr duration log_pause = std::chrono::seconds{10};

constexpr detail::access_core::limits limits{.keep_allowed = std::chrono::minutes{1},
                                             .keep_refused = std::chrono::seconds{10},
                                             .max_verdicts = 1024,
                                             .max_reviews = 4,
                                             .reviews_per_second = 10};

} // namespace

struct access_filter::state
{
    state(detail::access_reviewer r, access_filter_options o)
        : asks(std::move(r)), options(std::move(o)), core(limits), pace(log_pause)
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
    result<access_verdict> busy()
    {
        count("busy");
        return failure{cond::retry_later, "too many tokens are due to be reviewed"};
    }
    result<access_verdict> failed(failure why)
    {
        if (why == cond::retry_later) return busy();
        count("failed");
        const std::lock_guard lock(mutex);
        if (const auto held_back = pace.pass(options.time->now()))
            options.log.warning("tokens of clients cannot be reviewed",
                                {{"failure", why.describe()}, {"held_back", *held_back}});
        return why;
    }

    /// A caller, while it waits for its turn.
    struct caller final : detail::turn_waiter
    {
        void on_turn() override
        {
            has_turn = true;
            come.settle({});
        }
        detail::client_id client = {};
        bool has_turn = false;
        latch come;
    };

    detail::access_core::step ask(const detail::access_digest& of, caller& who, latch& running)
    {
        using step = detail::access_core::step;
        const std::lock_guard lock(mutex);
        const auto next = core.on_request(of, who.client, who, options.time->now());
        if (next == step::review || next == step::turn) reviews[of] = running;
        if (next == step::wait) running = reviews.at(of);
        return next;
    }

    /// Begins the turns whose time has come. @return when to call it again.
    time_point pass_on()
    {
        KUBECORO_EXPECT(mutex.held_here());
        const auto now = options.time->now();
        while (auto* const next = core.next(now)) next->on_turn();
        return core.due(now);
    }
    /// Those that wait for this review go on.
    void end_review(const detail::access_digest& of, result<> outcome)
    {
        KUBECORO_EXPECT(mutex.held_here());
        const auto at = reviews.find(of);
        at->second.settle(std::move(outcome));
        reviews.erase(at);
        pass_on();
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
            to->end_review(of, outcome ? result<>() : result<>(outcome.error()));
        }
    };

    /// Leaves the line on every path without a review.
    struct place_in_line
    {
        std::shared_ptr<state> in;
        detail::access_digest of;
        caller& who;
        failure why{cond::cancelled};
        bool reviews = false;
        void begin_review()
        {
            const std::lock_guard lock(in->mutex);
            in->core.on_turn(of, who.client);
            reviews = true;
        }
        ~place_in_line()
        {
            if (reviews) return;
            const std::lock_guard lock(in->mutex);
            in->core.on_left(of, who.client, who, who.has_turn);
            in->end_review(of, why);
        }
    };

    /// Counts a caller that waits for the review of another.
    struct waiting_caller
    {
        state& in;
        const detail::client_id client;
        ~waiting_caller()
        {
            const std::lock_guard lock(in.mutex);
            in.core.on_waited(client);
        }
    };

    detail::access_reviewer asks;
    access_filter_options options;
    std::optional<detail::token_hash> hash;
    std::map<std::string_view, std::shared_ptr<metrics::counter>> outcomes;
    detail::checked_mutex mutex;
    detail::access_core core;
    std::map<detail::access_digest, latch> reviews;
    detail::log_pace pace;

    /// Errors: retry_later, when the turn does not come.
    static asio::awaitable<result<>> await_turn(place_in_line& place);
    /// @param end  Lives as long as the review.
    static asio::awaitable<result<access_verdict>> review(report& end, std::string token, std::string path);
    /// Waits for the review of another caller. Without failure: ask again.
    static asio::awaitable<result<>> await_other(std::shared_ptr<state> self, detail::client_id client, latch running);
    static asio::awaitable<result<access_verdict>> check(std::shared_ptr<state> self, std::string token,
                                                         std::string path, detail::client_id client);
};

asio::awaitable<result<>> access_filter::state::await_turn(place_in_line& place)
{
    // The end of another review may let it begin earlier than it seemed.
    constexpr duration shortest = std::chrono::milliseconds{1}, between_looks = std::chrono::milliseconds{100};
    state& s = *place.in;
    const auto latest = time_after(s.options.time->now(), longest_review);
    for (;;) {
        duration left;
        {
            const std::lock_guard lock(s.mutex);
            const auto next = std::min(s.pass_on(), latest);
            const auto now = s.options.time->now();
            if (place.who.has_turn) co_return result<>{};
            if (now >= latest) break;
            left = std::clamp(next, now + shortest, now + between_looks) - now;
        }
        const auto ended =
            co_await with_timeout(*s.options.time, left, "wait to review a token", place.who.come.wait());
        if (!ended && ended.error() != cond::timed_out) co_return ended;
    }
    co_return failure{cond::retry_later, "too many tokens are due to be reviewed"};
}

asio::awaitable<result<access_verdict>> access_filter::state::review(report& end, std::string token, std::string path)
{
    auto& self = *end.to;
    end.outcome = co_await with_timeout(*self.options.time, longest_review, "review a token",
                                        self.asks(std::move(token), std::move(path)));
    co_return end.outcome;
}

asio::awaitable<result<>> access_filter::state::await_other(std::shared_ptr<state> self, detail::client_id client,
                                                            latch running)
{
    const waiting_caller counted{*self, client};
    const auto ended = co_await running.wait();
    const auto own = co_await asio::this_coro::cancellation_state;
    // The one who reviewed it may have been cancelled: that says nothing about the token.
    const bool cancelled = !ended && ended.error() == cond::cancelled;
    if (!ended && (!cancelled || own.cancelled() != asio::cancellation_type::none)) co_return ended;
    co_return result<>{};
}

asio::awaitable<result<access_verdict>> access_filter::state::check(std::shared_ptr<state> self, std::string token,
                                                                    std::string path, detail::client_id client)
{
    using step = detail::access_core::step;
    if (!self->hash) co_return self->failed(failure{cond::internal, "the system has no random bytes"});
    const auto of = self->hash->of(token, path);
    for (;;) {
        latch running;
        caller who;
        who.client = client;
        const auto next = self->ask(of, who, running);
        if (next == step::allowed) co_return self->said(access_verdict::allowed);
        if (next == step::unauthenticated) co_return self->said(access_verdict::unauthenticated);
        if (next == step::forbidden) co_return self->said(access_verdict::forbidden);
        if (next == step::busy) co_return self->busy();
        if (next == step::wait) {
            const auto ended = co_await await_other(self, client, running);
            if (!ended) co_return self->failed(ended.error());
            continue;
        }
        if (next == step::turn) {
            place_in_line place{self, of, who};
            const auto come = co_await await_turn(place);
            if (!come) place.why = come.error();
            if (!come) co_return self->failed(come.error());
            place.begin_review();
        }
        // Before anything that can fail, or that a cancellation can reach: a review that was begun ends.
        report end{self, of};
        const auto outcome = co_await review(end, token, path);
        if (!outcome) co_return self->failed(outcome.error());
        co_return self->said(*outcome);
    }
}

access_filter::access_filter(detail::access_reviewer asks, access_filter_options options)
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

asio::awaitable<result<access_verdict>> access_filter::check(std::string token, std::string path,
                                                             std::string client) const
{
    boost::system::error_code no_address;
    const auto from = detail::client_of(asio::ip::make_address(client, no_address));
    return state::check(state_, std::move(token), std::move(path), from);
}

} // namespace kubecoro
