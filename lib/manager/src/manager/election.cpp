// The election of a manager.
#include "manager/manager_engine.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/own_chain.hpp>
#include <kubecoro/base/timeout.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {

object_key manager_engine::lease() const
{
    const auto& o = options.leader_election;
    return {o.ns.empty() ? cluster.default_namespace() : o.ns, o.lease};
}

std::string manager_engine::lease_name() const { return "Lease " + to_string(lease()); }

void manager_engine::seek_leadership()
{
    if (place_) {
        running_.spawn("leadership", make_kept_strand(executor_).get(), finishing(follow_leadership(*this)));
        return;
    }
    options.log->info("waiting for leadership",
                      {{"lease", lease().name}, {"namespace", lease().ns}, {"identity", elector_->identity()}});
    running_.spawn("election", make_kept_strand(executor_).get(), elect(*this));
}

void manager_engine::give_up_leadership()
{
    work_over_.settle({});
    if (elector_) elector_->request_stop();
}

asio::awaitable<result<>> manager_engine::elect(manager_engine& self)
{
    const leader_work work = [&self](leadership term) { return finishing(lead(self, std::move(term))); };
    auto outcome = co_await catch_failure(self.elector_->run(work));
    if (!outcome) outcome = outcome.error().because("the election by " + self.lease_name() + " has ended");
    self.tell([&](manager_core& core) { core.leadership_over(outcome, self.options.time->now()); });
    co_return result<>{};
}

/// Also after a cancellation: the parts still run.
asio::awaitable<result<>> manager_engine::work_is_over(manager_engine& self)
{
    while (!self.work_over_.settled()) (void)co_await catch_failure(self.work_over_.wait());
    co_return result<>{};
}

/// Reason and notes are those of client-go. An event is not worth the leadership, so that a failure is passed over.
void manager_engine::record_leadership(const leadership& term, std::string_view action,
                                       std::string_view what) const noexcept
try {
    if (!options.leadership_events) return;
    const auto key = lease();
    event_target about;
    about.api_version = "coordination.k8s.io/v1";
    about.kind = "Lease";
    about.ns = key.ns;
    about.name = key.name;
    about.uid = term.lease_uid();
    std::unique_lock lock(mutex_);
    const auto events = events_;
    lock.unlock();
    events->event(about, event_type::normal, "LeaderElection", action, term.identity() + std::string(what));
} catch (...) {
}

/// The work of the leader: waits for the parts, which the core starts and ends, also when the elector cancels it after a loss.
asio::awaitable<result<>> manager_engine::lead(manager_engine& self, leadership term)
{
    self.record_leadership(term, "Lead", " became leader");
    self.tell([](manager_core& core) { core.leading(); });
    co_await race(term.ending(), self.work_over_.wait());
    if (const auto held = term.check(); !held && !self.work_over_.settled()) {
        const auto why = held.error().because("the leadership by " + self.lease_name() + " was lost");
        self.tell([&](manager_core& core) { core.leadership_lost(why, self.options.time->now()); });
    }
    (void)co_await work_is_over(self);
    self.record_leadership(term, "StopLeading", " stopped leading");
    co_return result<>{};
}

/// Leads while the manager does whose cluster this is.
asio::awaitable<result<>> manager_engine::follow_leadership(manager_engine& self)
{
    const auto& shared = *self.place_->leadership;
    const auto until = [&self](const latch& event) { return race(event.wait(), self.work_over_.wait()); };
    co_await until(shared.granted());
    const auto presence = shared.enter();
    if (presence) self.tell([](manager_core& core) { core.leading(); });
    co_await until(shared.ending());
    if (!self.work_over_.settled()) self.request_stop();
    co_await until(shared.lost());
    if (!self.work_over_.settled()) {
        const auto why = shared.lost().outcome();
        self.tell([&](manager_core& core) { core.leadership_lost(why.error(), self.options.time->now()); });
    }
    (void)co_await work_is_over(self);
    self.tell([&](manager_core& core) { core.leadership_over({}, self.options.time->now()); });
    co_return result<>{};
}

} // namespace kubecoro::detail
