// Start and stop of a manager.
#include "manager/manager_engine.hpp"

#include "manager/cluster_set.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/owner_end.hpp>
#include <kubecoro/base/detail/wait_for_news.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace step = manager_step;
namespace {

/// For what was cancelled at the end of the grace period.
constexpr auto time_to_unwind = std::chrono::seconds{1};

/// Tasks and informers that are written out.
constexpr std::size_t most_named = 10;

void seed_parts(manager_options& o)
{
    random_source seeds(*o.seed);
    for (auto* part : {&o.informers.seed, &o.leader_election.seed, &o.events.seed, &o.shards.seed}) {
        const auto seed = seeds();
        if (!*part) *part = seed;
    }
}

manager_options with_defaults(manager_options o, const client& c)
{
    auto defaults = c.provider()->defaults();
    if (!o.time) o.time = o.informers.time ? o.informers.time : defaults.time;
    if (!o.time) o.time = real_clock();
    if (!o.log) o.log = o.informers.log ? o.informers.log : std::optional(defaults.log);
    if (!o.metrics) o.metrics = o.informers.metrics ? o.informers.metrics : defaults.metrics;
    if (!o.metrics) o.metrics = null_metrics();
    if (!o.leader_election.time) o.leader_election.time = o.time;
    if (!o.leader_election.metrics) o.leader_election.metrics = o.metrics;
    o.leader_election.log = *o.log;
    if (o.events.component.empty()) o.events.component = o.name;
    if (!o.events.time) o.events.time = o.time;
    if (!o.events.metrics) o.events.metrics = o.metrics;
    o.events.log = *o.log;
    if (!o.shards.time) o.shards.time = o.time;
    if (!o.shards.metrics) o.shards.metrics = o.metrics;
    o.shards.log = *o.log;
    o.shards.grace = std::min<duration>(o.shards.grace, o.grace / 5 * 4);
    o.informers.time = o.time;
    o.informers.log = o.log;
    o.informers.metrics = o.metrics;
    if (o.seed) seed_parts(o);
    return o;
}

/// Informers may outlive the manager: their end is passed by values.
factory_options for_informers(const manager_options& o, const client& c, const latch& end, const wake_signal& news)
{
    auto out = o.informers;
    if (!out.executor) out.executor = c.executor();
    out.on_end = [user = std::move(out.on_end), end, news](const failure& why) {
        end.settle(why);
        news.notify();
        if (user) user(why);
    };
    return out;
}

} // namespace

manager_engine::manager_engine(client c, manager_options o, std::optional<cluster_place> place)
    : cluster(std::move(c)),
      options(with_defaults(std::move(o), cluster)),
      informers(cluster.provider(), for_informers(options, cluster, informer_end_, news_)),
      place_(std::move(place)),
      executor_(cluster.executor()),
      core_({.sync_timeout = options.sync_timeout,
             .progress = options.progress,
             .grace = options.grace,
             .elects = place_ || !options.leader_election.lease.empty()}),
      seeds_(options.seed ? *options.seed : random_seed()),
      sync_(
          executor_, options.time, *options.log, [this] { tell([](manager_core& core) { core.informers_synced(); }); },
          [this](const auto& task, const auto& why) { end_by(task, why); }),
      is_ready_(options.metrics->make_gauge("kubecoro_manager_ready", {})),
      running_(cluster.executor(), *options.log, [this](const auto& task, const auto& why) { end_by(task, why); }),
      supervising_(cluster.executor(), *options.log, [this](const auto& task, const auto& why) { end_by(task, why); })
{
    if (!options.leader_election.lease.empty()) {
        elector_.emplace(executor_.get(), cluster, options.leader_election);
        if (options.leadership_events) events_.emplace(cluster, options.events);
    }
    if (!options.shards.group.empty()) join_group();
}
manager_engine::~manager_engine() = default;

void manager_engine::start()
{
    {
        std::lock_guard lock(mutex_);
        if (std::exchange(started_, true)) return;
        core_.start(options.time->now());
    }
    options.log->info("starting", {{"server", cluster.server()}});
    ensure_supervisor();
    if (options.check_access) check_rights();
    news_.notify();
}

void manager_engine::request_stop()
{
    bool first = false;
    {
        std::lock_guard lock(mutex_);
        first = !core_.closing();
        core_.stop(options.time->now());
    }
    if (first) options.log->info("stopping");
    ensure_supervisor();
    news_.notify();
}

void manager_engine::ensure_supervisor()
{
    {
        std::lock_guard lock(mutex_);
        if (std::exchange(supervised_, true)) return;
    }
    supervising_.spawn("manager", make_kept_strand(executor_).get(), supervise(*this));
}

asio::awaitable<result<>> manager_engine::over(std::shared_ptr<manager_engine> self)
{
    const auto outcome = co_await catch_failure(self->ended_.wait());
    if (!self->ended_.settled()) co_return outcome;
    // All have reported their end, but may still be unwinding: the caller may destroy what they refer to.
    for (task_group* g : {&self->running_, &self->supervising_, &self->sync_.tasks()}) {
        KUBECORO_TRY(co_await catch_failure(g->join()));
    }
    co_return outcome;
}

void manager_engine::abandon(const std::shared_ptr<manager_engine>& self)
{
    const auto groups = {&self->running_, &self->supervising_, &self->sync_.tasks()};
    std::size_t left = 0;
    for (const task_group* g : groups) left += g->running();
    if (left == 0) return;
    self->options.log->error("a manager was destroyed while running: await run() or stop() first",
                             {{"manager", self->options.name}});
    self->request_stop();
    for (task_group* g : groups) g->keep_until_ended(self);
}

asio::awaitable<result<>> manager_engine::supervise(manager_engine& self)
{
    // After a failure the manager stops in order, with the step that failed again: all are idempotent.
    std::optional<step::any> next;
    for (int failures = 0; failures < 2; ++failures) {
        const auto driven = co_await catch_failure(drive(self, next));
        if (driven || driven.error() == cond::cancelled) co_return result<>{};
        self.end_by("supervisor", driven.error());
    }
    co_return co_await end_at_once(self);
}

/// When the stop in order fails as well.
asio::awaitable<result<>> manager_engine::end_at_once(manager_engine& self)
{
    self.give_up_leadership();
    co_await self.running_.stopped();
    co_await catch_failure(stop_informers(self));
    const auto why = [&self] {
        std::lock_guard lock(self.mutex_);
        return *self.ended_by_;
    }();
    self.finish(why);
    co_return result<>{};
}

void manager_engine::end_by(const std::string& task, const failure& why)
{
    const auto cause = why.because("the manager has ended: its " + task + " failed");
    {
        std::lock_guard lock(mutex_);
        if (ended_by_) return;
        ended_by_ = cause;
        core_.fail(cause, options.time->now());
    }
    news_.notify();
    show_end(*options.log, options.metrics.get(), "manager", options.name, task, why);
}

asio::awaitable<result<>> manager_engine::drive(manager_engine& self, std::optional<step::any>& next)
{
    for (;; next.reset()) {
        if (!next) next = self.decide();
        self.ensure_stop_is_watched();
        if (const auto* w = std::get_if<step::wait>(&*next)) {
            auto resting = wait_for_news(self.news_, *self.options.time, w->until);
            next.reset();
            co_await std::move(resting);
            continue;
        }
        if (const auto* end = std::get_if<step::finish>(&*next)) {
            co_await flush_events(self);
            self.finish(end->outcome);
            co_return result<>{};
        }
        if (std::holds_alternative<step::stop_informers>(*next)) {
            KUBECORO_TRY(co_await catch_failure(stop_informers(self)));
            continue;
        }
        self.perform(*next);
    }
}

step::any manager_engine::decide()
{
    if (const auto end = informer_end_.outcome(); !end) end_by("informer", end.error());
    std::lock_guard lock(mutex_);
    return core_.next(options.time->now());
}

void manager_engine::ensure_stop_is_watched()
{
    {
        std::lock_guard lock(mutex_);
        if (!core_.closing() || std::exchange(stop_is_watched_, true)) return;
    }
    supervising_.spawn("watch of the stop", make_kept_strand(executor_).get(), watch_stop(*this));
}

/// Code of users that ignores its cancellation is awaited without limit: the log names it before the program is killed.
asio::awaitable<result<>> manager_engine::watch_stop(manager_engine& self)
{
    co_await race(sleep_for(*self.options.time, saturating_sum(self.options.grace, time_to_unwind)),
                  self.ended_.wait());
    if (!self.ended_.settled())
        self.options.log->error("the stop takes longer than the grace period", {{"running", self.what_runs()}});
    co_return result<>{};
}

/// Names everything that the stop waits for: the work of parts and controllers, informers when it is their turn, and last, events.
std::string manager_engine::what_runs() const
{
    bool informers_end = false;
    {
        std::lock_guard lock(mutex_);
        if (core_.phase() == manager_phase::stopped) return "events that have yet to be sent";
        informers_end = core_.stops_informers();
    }
    std::vector<std::string> all;
    if (informers_end) {
        for (const auto& i : informers.informers())
            if (i.state() != informer_state::stopped) all.push_back("informer of " + i.resource().display_name());
    } else {
        all = work();
    }
    std::string out;
    for (std::size_t i = 0; i < std::min(all.size(), most_named); ++i) out += (i == 0 ? "" : ", ") + all[i];
    if (all.size() > most_named) out += "; and " + std::to_string(all.size() - most_named) + " more";
    return out;
}

asio::awaitable<result<>> manager_engine::stop_informers(manager_engine& self)
{
    self.sync_.stop();
    KUBECORO_TRY(co_await self.sync_.join());
    KUBECORO_TRY(co_await self.informers.stop());
    self.tell([](manager_core& core) { core.informers_stopped(); });
    co_return result<>{};
}

void manager_engine::perform(const step::any& next)
{
    if (const auto* s = std::get_if<step::start_part>(&next)) start_part(s->id);
    // Null: it was removed and has ended since the decision.
    if (const auto* s = std::get_if<step::stop_part>(&next))
        if (const auto p = part(s->id)) p->ask_to_stop();
    if (const auto* s = std::get_if<step::cancel_part>(&next))
        if (const auto p = part(s->id)) {
            if (s->late) options.log->warning("a part did not end in time and is cancelled", {{"part", p->name}});
            p->cancel();
        }
    if (std::holds_alternative<step::start_informers>(next)) start_informers();
    if (std::holds_alternative<step::report_waiting>(next)) sync_.report();
    if (std::holds_alternative<step::give_up_sync>(next)) {
        const auto why = sync_.too_late(options.sync_timeout);
        tell([&](manager_core& core) { core.fail(why, options.time->now()); });
    }
    if (std::holds_alternative<step::seek_leadership>(next)) seek_leadership();
    if (std::holds_alternative<step::give_up_leadership>(next)) give_up_leadership();
    if (std::holds_alternative<step::announce_ready>(next)) announce();
}

void manager_engine::start_informers()
{
    informers.start();
    std::vector<shared_informer<object>> all = informers.informers();
    for (const auto& informer : all) sync_.follow(informer);
    if (sync_.all_synced()) tell([](manager_core& core) { core.informers_synced(); });
}

void manager_engine::announce()
{
    options.log->info("ready");
    is_ready_->set(1);
    if (place_ && place_->when_ready) place_->when_ready();
    ready_.settle({});
}

void manager_engine::finish(const result<>& outcome)
{
    is_ready_->set(0);
    ready_.settle(outcome ? result<>(failure(cond::cancelled, "the manager was stopped before it was ready"))
                          : outcome);
    const bool shown = [this] {
        std::lock_guard lock(mutex_);
        return ended_by_.has_value();
    }();
    if (outcome || shown)
        options.log->info("stopped");
    else
        options.log->error("stopped", {{"failure", outcome.error().describe()}});
    ended_.settle(outcome);
}

result<> manager_engine::healthy() const
{
    auto led = elector_ ? elector_->healthy() : result<>();
    return led && member_ ? member_->healthy() : led;
}

manager_phase manager_engine::phase() const
{
    std::lock_guard lock(mutex_);
    return core_.phase();
}

manager_stats manager_engine::stats() const
{
    manager_stats out;
    std::vector<std::shared_ptr<cluster_set>> sets;
    {
        std::lock_guard lock(mutex_);
        out = core_.stats();
        sets = clusters_;
    }
    for (const auto& set : sets)
        for (auto& c : set->stats()) out.clusters.push_back(std::move(c));
    if (elector_) out.election = elector_->stats();
    if (member_) out.shards = member_->stats();
    return out;
}

} // namespace kubecoro::detail
