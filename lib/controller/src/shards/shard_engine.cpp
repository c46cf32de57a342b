// The life of a member: its runs, its end, and what can be asked of it.
#include "shards/shard_engine.hpp"

#include "election/election_settings.hpp"
#include "shards/shard_lease.hpp"
#include "shards/shard_settings.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/detail/own_chain.hpp>
#include <kubecoro/base/detail/owner_end.hpp>
#include <kubecoro/base/try.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

failure stopped() { return failure(cond::cancelled, "the member of the group was stopped"); }

} // namespace

shard_engine::membership::membership(const shard_options& o, const std::string& holder, std::uint64_t seed,
                                     asio::any_io_executor where, const task_group::failure_handler& on_failure)
    : core(settings_of(o, holder), seed),
      requesting(where, o.log, on_failure),
      following(where, o.log, on_failure),
      supervising(where, o.log, on_failure)
{
}

std::size_t shard_engine::membership::running() const
{
    return requesting.running() + following.running() + supervising.running();
}

shard_engine::shard_engine(asio::any_io_executor executor, client cluster, shard_options options)
    : executor_(executor),
      strand_(make_kept_strand(executor_)),
      cluster_(std::move(cluster)),
      options_(std::move(options)),
      time_(options_.time ? options_.time
                          : std::shared_ptr<time_source>(std::make_shared<client>(cluster_), &cluster_.time())),
      ns_(options_.ns.empty() ? cluster_.default_namespace() : options_.ns),
      share_(std::make_shared<share_state>(time_, options_.by, options_.list_delay)),
      meters_(options_.metrics ? *options_.metrics : *null_metrics(), options_.group)
{
    // A name may come back after a restart; the holder is this process.
    const auto unique = new_identity();
    holder_ = options_.identity.empty() ? unique : options_.identity + unique.substr(unique.rfind('_'));
    if (options_.identity.empty()) options_.identity = unique;
    random_source random(options_.seed.value_or(random_seed()));
    next_seed_ = random();
}

result<std::shared_ptr<shard_engine::membership>> shard_engine::begin()
{
    if (auto checked = check_shards(options_); !checked) return checked.error();
    std::lock_guard lock(mutex_);
    if (stopped_) return std::shared_ptr<membership>();
    if (membership_ && membership_->running() != 0)
        return failure(cond::misconfigured, "shards: another run() is in progress");
    const auto where = strand_.get();
    if (!where) return stopped();
    if (membership_ && membership_->ended_by) settled_ = latch();
    // There is no other membership while a task of this one runs.
    const auto on_failure = [this](const auto& task, const auto& why) { end_by(*current(), task, why); };
    membership_ = std::make_shared<membership>(options_, holder_, next_seed_++, where, on_failure);
    auto& m = *membership_;
    m.supervising.spawn("member of " + options_.group, drive(*this, m));
    if (options_.watch) m.following.spawn("watch of group " + options_.group, follow(*this, m));
    return membership_;
}

std::shared_ptr<shard_engine::membership> shard_engine::current() const
{
    std::lock_guard lock(mutex_);
    return membership_;
}

asio::awaitable<result<>> shard_engine::run(std::shared_ptr<shard_engine> self)
{
    return finishing(run_to_the_end(std::move(self)));
}

asio::awaitable<result<>> shard_engine::run_to_the_end(std::shared_ptr<shard_engine> self)
{
    const auto caller = co_await asio::this_coro::cancellation_state;
    if (caller.cancelled() != asio::cancellation_type::none) co_return failure(cond::cancelled);
    KUBECORO_TRY(const auto m, self->begin());
    if (!m) co_return result<>{};
    for (;;) {
        const auto ended = co_await catch_failure(joined(*m));
        if (ended) break;
        self->request_stop(true);
    }
    if (caller.cancelled() != asio::cancellation_type::none) co_return failure(cond::cancelled);
    std::lock_guard lock(self->mutex_);
    co_return m->ended_by ? result<>(*m->ended_by) : result<>();
}

/// Fails only when the wait is cancelled.
asio::awaitable<result<>> shard_engine::joined(membership& m)
{
    for (task_group* g : {&m.supervising, &m.requesting, &m.following}) {
        KUBECORO_TRY(co_await g->join());
    }
    co_return result<>{};
}

asio::awaitable<result<>> shard_engine::over(std::shared_ptr<shard_engine> self)
{
    const auto m = self->current();
    if (!m) co_return result<>{};
    co_return co_await catch_failure(joined(*m));
}

void shard_engine::end_by(membership& m, const std::string& task, const failure& why)
{
    {
        std::lock_guard lock(mutex_);
        if (m.ended_by) return;
        m.ended_by = why.because("the member has ended: its " + task + " failed");
        if (settled_.settled()) settled_ = latch();
        settled_.settle(*m.ended_by);
    }
    share_->works_until(time_point::min());
    share_->assign({.self = shard_hash(options_.identity)}, time_->now()); // no key
    (void)share_->cancel_overdue(time_->now());
    for (task_group* g : {&m.requesting, &m.following, &m.supervising}) g->stop();
    show_end(options_.log, options_.metrics.get(), "member", options_.group, task, why);
}

void shard_engine::request_stop(bool at_once)
{
    {
        std::lock_guard lock(mutex_);
        stopped_ = true;
        if (settled_.settled()) settled_ = latch();
        settled_.settle(stopped());
        if (membership_) at_once ? membership_->core.stop_at_once() : membership_->core.stop();
    }
    share_->news.notify();
}

void shard_engine::abandon(const std::shared_ptr<shard_engine>& self)
{
    const auto m = self->current();
    if (!m || m->running() == 0) return self->request_stop(true);
    self->options_.log.error("a shard member was destroyed while running: await stop() first",
                             {{"group", self->options_.group}});
    for (task_group* g : {&m->supervising, &m->requesting, &m->following}) g->keep_until_ended(self);
    self->request_stop(true);
}

asio::awaitable<result<>> shard_engine::settled(std::shared_ptr<shard_engine> self)
{
    latch awaited;
    {
        std::lock_guard lock(self->mutex_);
        awaited = self->settled_;
    }
    co_return co_await awaited.wait();
}

shard_state shard_engine::state_of(const membership& m) const
{
    KUBECORO_EXPECT(mutex_.held_here());
    if (m.ended_by) return shard_state::idle;
    switch (m.core.phase()) {
    case shard_phase::joining:
        return shard_state::joining;
    case shard_phase::member:
        if (!m.core.is_in_time(time_->now())) return shard_state::suspended;
        return m.core.settled() && share_->behind() == 0 ? shard_state::settled : shard_state::moving;
    case shard_phase::leaving:
        return shard_state::leaving;
    case shard_phase::over:
        break;
    }
    return shard_state::idle;
}

result<> shard_engine::healthy(duration tolerance) const
{
    const auto runs = share_->outside();
    std::lock_guard lock(mutex_);
    if (!membership_ || runs == 0) return {};
    if (time_->now() <= time_after(membership_->core.lease_expires(), tolerance)) return {};
    return failure(cond::timed_out, "runs of a shard go on although its lease has expired");
}

shard_stats shard_engine::stats() const
{
    shard_stats out;
    out.identity = options_.identity;
    out.lease = lease_name(options_.group, shard_hash(options_.identity));
    out.awaited_runs = share_->outside();
    out.awaited_informers = share_->behind();
    std::lock_guard lock(mutex_);
    out.moves = moves_;
    if (!membership_) return out;
    const auto& core = membership_->core;
    out.state = state_of(*membership_);
    out.members = core.members();
    out.evictions = core.evictions();
    out.losses = core.losses();
    out.suspensions = core.suspensions();
    out.trouble = membership_->ended_by ? membership_->ended_by : core.trouble();
    return out;
}

} // namespace kubecoro::detail
