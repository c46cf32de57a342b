// Start and stop of a controller.
#include "controller/controller_engine.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/owner_end.hpp>
#include <kubecoro/base/detail/wait_for_news.hpp>
#include <kubecoro/base/try.hpp>

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

namespace asio = boost::asio;
namespace step = kubecoro::detail::controller_step;

namespace kubecoro::detail {
namespace {

controller_options completed(controller_options o)
{
    o.workers = std::max<std::size_t>(o.workers, 1);
    if (!o.time) o.time = real_clock();
    return o;
}

workqueue_options queue_options(controller_options& o)
{
    workqueue_options q;
    q.name = o.name;
    q.limiter = o.limiter ? std::move(o.limiter) : exponential_limiter();
    q.ageing = o.ageing;
    q.debounce = o.debounce;
    q.min_interval = o.min_interval;
    q.metrics = o.metrics;
    q.time = o.time;
    q.log = logger::silent(); // its end is that of the controller, which logs it
    return q;
}

/// The keys of runs in progress, for display.
std::string in_work(const workqueue_stats& s)
{
    std::string text;
    for (const auto& key : s.in_work) text += (text.empty() ? "" : ", ") + key;
    if (s.processing > s.in_work.size()) text += ", and " + std::to_string(s.processing - s.in_work.size()) + " more";
    return text;
}

} // namespace

controller_engine::controller_engine(asio::any_io_executor executor, reconciler reconcile, controller_options options)
    : executor_(executor),
      reconcile_(std::move(reconcile)),
      options_(completed(std::move(options))),
      time_(options_.time),
      queue_(executor, queue_options(options_), options_.fair_by),
      ledger_(options_.metrics.get(), options_.name, options_.workers),
      traces_(run_tracer::make(options_.traces, options_.name, options_.metrics.get(), options_.log)),
      core_({.sync_timeout = options_.sync_timeout, .grace = options_.grace, .workers = options_.workers}),
      following_(executor, options_.log, [this](const auto& task, const auto& why) { end_by(task, why); }),
      working_(executor, options_.log, [this](const auto& task, const auto& why) { end_by(task, why); }),
      supervising_(executor, options_.log)
{
    if (!reconcile_) core_.refuse(failure(cond::misconfigured, "controller " + options_.name + " has no reconciler"));
    const auto share = share_state::of(options_.share);
    if (!share) return;
    gate_ = std::make_shared<run_gate>(share->news);
    share->add(gate_);
}

void controller_engine::start()
{
    std::vector<std::shared_ptr<controller_source>> waiting;
    {
        std::lock_guard lock(mutex_);
        if (core_.phase() != controller_phase::created || core_.closing()) return;
        core_.start(time_->now());
        waiting = sources_;
    }
    for (const auto& s : waiting) open(s);
    ensure_supervisor();
}

void controller_engine::request_stop()
{
    stopping_ = true; // at once, also when called inside a run
    {
        std::lock_guard lock(mutex_);
        core_.stop();
    }
    ensure_supervisor();
    news_.notify();
}

void controller_engine::request_stop_at_once()
{
    {
        std::lock_guard lock(mutex_);
        core_.stop_at_once();
    }
    request_stop();
}

void controller_engine::ensure_supervisor()
{
    {
        std::lock_guard lock(mutex_);
        if (std::exchange(supervised_, true)) return;
    }
    supervising_.spawn("controller " + options_.name, make_kept_strand(executor_).get(), supervise(*this));
}

asio::awaitable<result<>> controller_engine::over(std::shared_ptr<controller_engine> self)
{
    const auto outcome = co_await catch_failure(self->ended_.wait());
    if (!self->ended_.settled()) co_return outcome;
    // All parts have reported their end, but may still be unwinding: the caller may destroy what they refer to.
    for (task_group* g : {&self->following_, &self->working_, &self->supervising_}) {
        KUBECORO_TRY(co_await catch_failure(g->join()));
    }
    const auto left = co_await catch_failure(self->queue_.ended());
    co_return left ? outcome : left;
}

void controller_engine::abandon(const std::shared_ptr<controller_engine>& self)
{
    if (self->following_.running() + self->working_.running() + self->supervising_.running() == 0) return;
    self->options_.log.error("a controller was destroyed while running: await stop() first",
                             {{"controller", self->options_.name}});
    self->stopping_ = true;
    {
        std::lock_guard lock(self->mutex_);
        self->core_.stop_at_once();
    }
    for (task_group* g : {&self->following_, &self->working_, &self->supervising_}) g->keep_until_ended(self);
    self->news_.notify();
}

asio::awaitable<result<>> controller_engine::supervise(controller_engine& self)
{
    // After a failure the controller ends in order, with the step that failed again: all are idempotent. That end has no
    // limit of time, so that it needs no timer.
    std::optional<step::any> next;
    for (int failures = 0; failures < 2; ++failures) {
        const auto driven = co_await catch_failure(drive(self, next));
        if (driven || driven.error() == cond::cancelled) co_return result<>{};
        self.end_by("supervisor", driven.error());
    }
    self.cancel_runs();
    self.finish(self.outcome());
    co_return result<>{};
}

asio::awaitable<result<>> controller_engine::drive(controller_engine& self, std::optional<controller_step::any>& next)
{
    for (;; next.reset()) {
        if (!next) next = self.decide();
        if (const auto* w = std::get_if<step::wait>(&*next)) {
            auto resting = wait_for_news(self.news_, *self.time_, w->until);
            next.reset();
            co_await std::move(resting);
            continue;
        }
        if (const auto* end = std::get_if<step::finish>(&*next)) {
            self.finish(end->outcome);
            co_return result<>{};
        }
        self.perform(*next);
    }
}

void controller_engine::end_by(const std::string& task, const failure& why)
{
    bool first = false;
    {
        std::lock_guard lock(mutex_);
        first = !std::exchange(failed_, true);
        core_.fail(why.because("the controller has ended: its " + task + " failed"));
    }
    stopping_ = true;
    news_.notify();
    if (first) show_end(options_.log, options_.metrics.get(), "controller", options_.name, task, why);
}

result<> controller_engine::outcome() const
{
    std::lock_guard lock(mutex_);
    return core_.outcome();
}

controller_step::any controller_engine::decide()
{
    const auto now = time_->now();
    const auto in_vain = own_writes_.expire(now);
    ledger_.waited_in_vain(in_vain);
    if (in_vain != 0)
        options_.log.warning("sources did not show the runs' own writes in time",
                             {{"controller", options_.name}, {"keys", in_vain}});
    if (!requeue()) throw std::bad_alloc();
    std::lock_guard lock(mutex_);
    auto next = core_.next(now);
    if (auto* w = std::get_if<step::wait>(&next); w != nullptr && !core_.closing()) {
        const auto expiry = own_writes_.next_expiry();
        if (expiry) w->until = std::min(w->until.value_or(*expiry), *expiry);
    }
    return next;
}

void controller_engine::perform(const controller_step::any& next)
{
    if (std::holds_alternative<step::start_workers>(next)) start_workers();
    if (std::holds_alternative<step::close_sources>(next)) close_sources();
    if (std::holds_alternative<step::close_queue>(next)) queue_.shut_down();
    if (std::holds_alternative<step::cancel_runs>(next)) cancel_runs();
}

void controller_engine::start_workers()
{
    options_.log.info("controller runs", {{"controller", options_.name}, {"workers", options_.workers}});
    ready_.settle({});
    while (workers_begun_ < options_.workers) spawn_worker();
}

void controller_engine::close_sources()
{
    stopping_ = true;
    std::vector<std::shared_ptr<controller_source>> all;
    const auto outcome = this->outcome();
    {
        std::lock_guard lock(mutex_);
        all = sources_;
    }
    ready_.settle(outcome ? result<>(failure(cond::cancelled, "the controller was stopped before it was ready"))
                          : outcome);
    for (const auto& s : all) remove(*s);
}

void controller_engine::cancel_runs()
{
    const auto keys = in_work(queue_.stats());
    if (!keys.empty())
        options_.log.warning("runs did not end in time and were cancelled",
                             {{"controller", options_.name}, {"keys", keys}});
    {
        std::lock_guard lock(mutex_);
        core_.runs_cancelled(keys);
    }
    cancelled_ = true;
    working_.stop();
}

void controller_engine::finish(const result<>& outcome)
{
    close_sources();    // including those that were never opened
    queue_.shut_down(); // also of a controller that never started: its timer ends
    const bool shown = [this] {
        std::lock_guard lock(mutex_);
        return failed_;
    }();
    if (outcome || shown)
        options_.log.info("controller stopped", {{"controller", options_.name}});
    else
        options_.log.error("controller stopped",
                           {{"controller", options_.name}, {"failure", outcome.error().describe()}});
    ended_.settle(outcome);
}

} // namespace kubecoro::detail
