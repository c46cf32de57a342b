// The life of an elector: its runs, its end, and what can be asked of it.
#include "election/election_engine.hpp"

#include "election/election_settings.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/detail/own_chain.hpp>
#include <kubecoro/base/detail/owner_end.hpp>
#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/try.hpp>

#include <array>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Bytes of a foreign identity in a picture.
constexpr std::size_t shown_leader = 256;

leader_phase phase_of(election_phase p) noexcept
{
    switch (p) {
    case election_phase::candidate:
        return leader_phase::candidate;
    case election_phase::leading:
        return leader_phase::leading;
    case election_phase::ending:
        return leader_phase::ending;
    case election_phase::lost:
        return leader_phase::lost;
    case election_phase::releasing:
        return leader_phase::releasing;
    case election_phase::over:
        break;
    }
    return leader_phase::idle;
}

failure stopped() { return failure(cond::cancelled, "the leader election was stopped"); }

} // namespace

election_engine::election::election(const leader_election_options& o, std::uint64_t seed, asio::any_io_executor where,
                                    leader_work w, const task_group::failure_handler& on_failure)
    : core(settings_of(o), seed),
      work(std::move(w)),
      requesting(where, o.log, on_failure),
      working(where, o.log, on_failure),
      following(where, o.log, on_failure),
      supervising(where, o.log, on_failure)
{
}

std::size_t election_engine::election::running() const
{
    return requesting.running() + working.running() + following.running() + supervising.running();
}

election_engine::election_engine(asio::any_io_executor executor, client cluster, leader_election_options options)
    : executor_(executor),
      strand_(make_kept_strand(executor_)),
      cluster_(std::move(cluster)),
      options_(std::move(options)),
      time_(options_.time)
{
    if (!time_) time_ = {std::make_shared<client>(cluster_), &cluster_.time()};
    if (options_.identity.empty()) options_.identity = new_identity();
    random_source random(options_.seed.value_or(random_seed()));
    next_seed_ = random();
    key_ = {options_.ns.empty() ? cluster_.default_namespace() : options_.ns, options_.lease};
    auto& sink = options_.metrics;
    if (!sink) sink = null_metrics();
    const metric_labels labels{{"name", options_.lease}};
    is_leader_ = sink->make_gauge("leader_election_master_status", labels);
    slow_renewals_ = sink->make_counter("leader_election_slowpath_total", labels);
    new_leaders_ = sink->make_counter("kubecoro_leader_election_leaders_total", labels);
    is_leader_->set(0);
}

result<std::shared_ptr<election_engine::election>> election_engine::begin(leader_work work)
{
    if (auto checked = check_election(options_); !checked) return checked.error();
    std::lock_guard lock(mutex_);
    if (stopped_) return std::shared_ptr<election>();
    if (election_ && election_->running() != 0)
        return failure(cond::misconfigured, "leader election: another run() is in progress");
    const auto where = strand_.get();
    if (!where) return stopped();
    // There is no other election while a task of this one runs.
    const auto on_failure = [this](const auto& task, const auto& why) { end_by(*current(), task, why); };
    election_ = std::make_shared<election>(options_, next_seed_++, where, std::move(work), on_failure);
    auto& e = *election_;
    e.supervising.spawn("election " + options_.lease, drive(*this, e));
    if (options_.watch) e.following.spawn("watch of lease " + options_.lease, follow(*this, e));
    return election_;
}

std::shared_ptr<election_engine::election> election_engine::current() const
{
    std::lock_guard lock(mutex_);
    return election_;
}

asio::awaitable<result<>> election_engine::run(std::shared_ptr<election_engine> self, leader_work work)
{
    return finishing(run_to_the_end(std::move(self), std::move(work)));
}

asio::awaitable<result<>> election_engine::run_to_the_end(std::shared_ptr<election_engine> self, leader_work work)
{
    const auto caller = co_await asio::this_coro::cancellation_state;
    if (caller.cancelled() != asio::cancellation_type::none) co_return failure(cond::cancelled);
    KUBECORO_TRY(const auto e, self->begin(std::move(work)));
    if (!e) co_return result<>{};
    for (;;) {
        const auto ended = co_await catch_failure(joined(*e));
        if (ended) break;
        {
            std::lock_guard lock(self->mutex_);
            e->core.stop_at_once(self->time_->now());
        }
        self->news_.notify();
    }
    if (caller.cancelled() != asio::cancellation_type::none) co_return failure(cond::cancelled);
    co_return e->ended.outcome();
}

/// Fails only when the wait is cancelled.
asio::awaitable<result<>> election_engine::joined(election& e)
{
    // All have reported their end then, but may still be unwinding.
    for (task_group* g : {&e.supervising, &e.requesting, &e.working, &e.following}) {
        KUBECORO_TRY(co_await g->join());
    }
    co_return result<>{};
}

asio::awaitable<result<>> election_engine::over(std::shared_ptr<election_engine> self)
{
    const auto e = self->current();
    if (!e) co_return result<>{};
    const auto ended = co_await catch_failure(joined(*e));
    if (!ended) co_return ended;
    co_return e->ended.outcome();
}

void election_engine::end_by(election& e, const std::string& task, const failure& why)
{
    std::shared_ptr<leadership_state> term;
    {
        std::lock_guard lock(mutex_);
        if (e.ended_by) return;
        e.ended_by = why.because("the leader election has ended: its " + task + " failed");
        if ((term = e.term)) leading_ = latch();
        e.ended.settle(*e.ended_by);
        if (stopped_) forget_waiters();
    }
    if (term) {
        is_leader_->set(0);
        term->until = 0;
        term->ending.settle(*e.ended_by);
    }
    for (task_group* g : {&e.working, &e.requesting, &e.following, &e.supervising}) g->stop();
    show_end(options_.log, options_.metrics.get(), "election", options_.lease, task, why);
}

void election_engine::request_stop(bool at_once)
{
    {
        std::lock_guard lock(mutex_);
        stopped_ = true;
        if (election_) {
            if (at_once)
                election_->core.stop_at_once(time_->now());
            else
                election_->core.stop(time_->now());
        }
        if (!election_ || election_->ended.settled()) forget_waiters();
    }
    news_.notify();
}

void election_engine::forget_waiters()
{
    KUBECORO_EXPECT(mutex_.held_here());
    leading_.settle(stopped());
    changed_.settle(stopped());
}

void election_engine::abandon(const std::shared_ptr<election_engine>& self)
{
    const auto e = self->current();
    if (!e || e->running() == 0) return self->request_stop(true);
    self->options_.log.error("a leader elector was destroyed while running: await stop() first",
                             {{"lease", to_string(self->key_)}});
    for (task_group* g : {&e->supervising, &e->requesting, &e->working, &e->following}) g->keep_until_ended(self);
    self->request_stop(true);
}

asio::awaitable<result<>> election_engine::leading(std::shared_ptr<election_engine> self)
{
    latch awaited;
    {
        std::lock_guard lock(self->mutex_);
        awaited = self->leading_;
    }
    co_return co_await awaited.wait();
}

asio::awaitable<result<std::string>> election_engine::new_leader(std::shared_ptr<election_engine> self,
                                                                 std::string known)
{
    for (;;) {
        latch awaited;
        {
            std::lock_guard lock(self->mutex_);
            if (!self->leader_.empty() && self->leader_ != known) co_return self->leader_;
            awaited = self->changed_;
        }
        KUBECORO_TRY(co_await awaited.wait());
    }
}

bool election_engine::leads() const
{
    std::lock_guard lock(mutex_);
    if (!election_ || election_->ended_by) return false;
    const auto phase = election_->core.phase();
    return (phase == election_phase::leading || phase == election_phase::ending) &&
           time_->now() < election_->core.leads_until();
}

result<> election_engine::healthy(duration tolerance) const
{
    std::lock_guard lock(mutex_);
    if (!election_ || election_->working.running() == 0) return {};
    if (time_->now() <= time_after(election_->core.lease_expires(), tolerance)) return {};
    return failure(cond::timed_out, "the work of a leader goes on although its lease has expired");
}

leader_stats election_engine::stats() const
{
    leader_stats out;
    out.identity = options_.identity;
    std::lock_guard lock(mutex_);
    if (!election_) return out;
    const auto& core = election_->core;
    out.phase = phase_of(core.phase());
    out.leader = printable(core.leader(), shown_leader);
    out.transitions = core.lease().record.transitions;
    out.leaders_seen = core.leaders_seen();
    out.slow_renewals = core.slow_renewals();
    if (out.phase == leader_phase::leading || out.phase == leader_phase::ending)
        out.since_renewal = time_->now() - (core.leads_until() - options_.renew_deadline);
    out.trouble = core.trouble();
    if (const auto& why = election_->ended_by) {
        out.phase = leader_phase::idle;
        out.trouble = why;
    }
    return out;
}

} // namespace kubecoro::detail
