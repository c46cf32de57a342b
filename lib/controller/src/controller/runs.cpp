// Takes keys from the queue and runs the reconciler.
#include "controller/controller_engine.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/own_chain.hpp>
#include <kubecoro/base/detail/wait_for_news.hpp>
#include <kubecoro/base/timeout.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Delay of a key whose limiter has thrown.
constexpr auto without_limiter = std::chrono::seconds{1};

/// Separates exceptions from returned failures.
asio::awaitable<result<action>> caught(asio::awaitable<result<action>> run, std::exception_ptr& thrown)
{
    try {
        co_return co_await std::move(run);
    } catch (...) {
        thrown = std::current_exception();
    }
    co_return to_failure(thrown);
}

/// Asio reports a cancellation as an exception; that is not a fault of the reconciler.
bool is_cancellation(const std::exception_ptr& thrown) { return to_failure(thrown) == cond::cancelled; }

} // namespace

/// Reports the end of a worker when its coroutine ends, also by destruction.
class controller_engine::worker_mark
{
public:
    worker_mark(controller_engine& engine, std::shared_ptr<request_scope> scope) noexcept
        : engine_(engine), scope_(std::move(scope))
    {
    }
    worker_mark(const worker_mark&) = delete;
    worker_mark& operator=(const worker_mark&) = delete;
    ~worker_mark()
    {
        {
            std::lock_guard lock(engine_.mutex_);
            engine_.core_.worker_ended();
        }
        engine_.news_.notify();
    }
    controller_engine& engine() noexcept { return engine_; }
    /// Connects its requests with its runs; null when neither writes nor traces are kept.
    [[nodiscard]] request_scope* scope() const noexcept { return scope_.get(); }

private:
    controller_engine& engine_;
    std::shared_ptr<request_scope> scope_;
};

void controller_engine::spawn_worker()
{
    std::shared_ptr<write_notes> notes;
    if (options_.own_writes_of) notes = std::make_shared<write_notes>(*options_.own_writes_of);
    std::shared_ptr<request_scope> scope;
    if (notes || traces_) scope = std::make_shared<request_scope>(std::move(notes));
    auto executor = make_kept_strand(executor_).get();
    if (scope) executor = in_scope(executor, scope);
    auto mark = std::make_unique<worker_mark>(*this, std::move(scope));
    ++workers_begun_; // from here on its end is always reported
    working_.spawn("worker of controller " + options_.name, executor, work(std::move(mark)));
}

asio::awaitable<result<>> controller_engine::work(std::unique_ptr<worker_mark> mark)
{
    const auto served = co_await catch_failure(serve(mark->engine(), mark->scope()));
    // Before the mark reports the end of a worker, which has to have a reason.
    if (!served && served.error() != cond::cancelled) mark->engine().end_by("worker", served.error());
    co_return served;
}

asio::awaitable<result<>> controller_engine::serve(controller_engine& self, request_scope* scope)
{
    while (!self.cancelled_) {
        auto key = co_await self.queue_.get();
        if (!key) co_return key.error();
        do {
            if (self.pass_over(*key)) continue;
            const auto pass = self.gate_ ? self.gate_->enter(key->key()) : run_gate::pass();
            if (self.gate_ && !pass) { // another member's
                if (self.traces_) self.traces_->drop(key->key());
                key->forget();
                key->skip();
                continue;
            }
            const auto traced = self.traces_ ? self.begin_trace(*key, *scope) : nullptr;
            reconcile_context context(self.context_of(*key, traced.get()));
            const auto begun = self.ledger_.timed() ? self.time_->now() : time_point{};
            result<action> outcome = failure(cond::cancelled);
            self.ledger_.begun();
            std::exception_ptr thrown;
            try {
                outcome = co_await self.attempt(key->key(), context, pass, thrown);
            } catch (...) {
                thrown = std::current_exception();
                outcome = to_failure(thrown);
            }
            co_await own_filter();
            co_await own_throws();
            run_facts facts;
            facts.threw = thrown && !is_cancellation(thrown);
            facts.past_deadline = context.deadline() && self.time_->now() >= *context.deadline();
            facts.cancelling = self.cancelled_ || (pass && pass.cancelled().settled());
            const auto end = judge(outcome, facts);
            self.ledger_.ended(end, self.ledger_.timed() ? self.time_->now() - begun : duration::zero());
            if (traced) self.end_trace(*traced, *key, context.attempt(), end, outcome);
            self.finish(*key, context, scope != nullptr ? scope->notes().get() : nullptr, outcome, end);
        } while (*key && !self.cancelled_); // finish() may have taken the next key
    }
    co_return result<>{};
}

std::unique_ptr<traced_run> controller_engine::begin_trace(const item& key, request_scope& scope)
{
    auto run = traces_->begin(key.key(), key.num_requeues() + 1);
    if (!run) return run;
    const auto& o = traces_->options();
    scope.enter({.tracer = o.tracer, .run = run->span.context(), .propagate = o.propagate});
    run->requests.reset(&scope);
    return run;
}

void controller_engine::end_trace(traced_run& run, const item& key, unsigned attempt, run_end end,
                                  const result<action>& outcome)
{
    run.requests.reset();
    traces_->ended(run, key.key(), attempt, end, outcome);
}

/// Gives back at once a key that may not run now.
bool controller_engine::pass_over(item& key)
{
    // Its object will be in the first list when the program starts again.
    if (!stopping_ && !own_writes_.hold(key.key(), key.priority())) return false;
    key.skip();
    return true;
}

reconcile_context::settings controller_engine::context_of(const item& key, const traced_run* run) const
{
    reconcile_context::settings s;
    s.attempt = key.num_requeues() + 1;
    s.priority = key.priority();
    if (options_.deadline != duration::zero()) s.deadline = time_after(time_->now(), options_.deadline);
    s.log = options_.log;
    s.controller = options_.name;
    s.key = key.key();
    s.time = time_;
    s.cancelled = &cancelled_;
    if (run != nullptr) s.span = &run->span;
    return s;
}

asio::awaitable<result<action>> controller_engine::attempt(const object_key& key, reconcile_context& context,
                                                           const run_gate::pass& pass, std::exception_ptr& thrown) const
{
    auto run = reconcile_(key, context);
    if (pass) run = unless(pass.cancelled().wait(), caught(std::move(run), thrown));
    if (!context.deadline()) return run;
    return with_timeout(*time_, options_.deadline, "reconcile", caught(std::move(run), thrown));
}

void controller_engine::finish(item& key, const reconcile_context& context, write_notes* notes,
                               const result<action>& outcome, run_end end)
{
    report(key.key(), context, outcome, end);
    remember_writes(key.key(), context, notes);
    if (gate_ && end == run_end::cancelled) key.forget(); // its next member begins without failures
    try {
        give_back(key, outcome, end);
    } catch (...) { // thrown by a user's limiter
        const auto why = to_failure(std::current_exception());
        options_.log.error("a rate limiter failed", {{"controller", options_.name}, {"failure", why.describe()}});
        queue_.add_after(key.key(), without_limiter, key.priority());
        key.done();
    }
}

void controller_engine::give_back(item& key, const result<action>& outcome, run_end end)
{
    if (is_retried(end)) return key.retry();
    if (end == run_end::cancelled) return key.done();
    if (end != run_end::requeued) return void(key.next());
    key.again_after(*outcome->after(), outcome->priority().value_or(key.priority()));
}

void controller_engine::report(const object_key& key, const reconcile_context& context, const result<action>& outcome,
                               run_end end) const
{
    if (!is_retried(end) && end != run_end::terminal) return;
    const auto& why = end == run_end::terminal ? *outcome->hopeless() : outcome.error();
    const auto level = end == run_end::failed ? log_level::warning : log_level::error;
    const auto* text = end == run_end::terminal ? "a run failed and is not retried" : "a run failed";
    const auto trace = context.trace();
    const auto log = trace ? options_.log.with(log_fields(trace)) : options_.log;
    log.write(level, text,
              {{"controller", options_.name},
               {"object", to_string(key)},
               {"attempt", context.attempt()},
               {"failure", why.describe()}});
}

} // namespace kubecoro::detail
