// Membership: which clusters join and leave.
#include "manager/cluster_set.hpp"

#include "manager/manager_engine.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/own_chain.hpp>
#include <kubecoro/base/detail/wait_for_news.hpp>
#include <kubecoro/base/timeout.hpp>

#include <algorithm>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Names are part of log lines, and of messages to other systems.
bool is_allowed(std::string_view name)
{
    const auto printable = [](char c) { return c > ' ' && c <= '~'; };
    return !name.empty() && name.size() <= 253 && std::all_of(name.begin(), name.end(), printable);
}

} // namespace

cluster_set::cluster_set(manager_engine& home, std::shared_ptr<cluster_provider> from, manager_setup setup,
                         clusters_options o)
    : home_(home),
      log_(*home.options.log),
      from_(std::move(from)),
      options_(std::move(o)),
      setup_(std::move(setup)),
      sums_(home.options.metrics, options_.name),
      meters_(std::make_shared<cluster_meters>(home.options.metrics, options_.name, 2 * options_.max_clusters)),
      core_(options_.max_clusters, options_.retry, options_.max_starting),
      executor_(home.cluster.executor()),
      providing_(home.cluster.executor(), *home.options.log,
                 [&home](const auto& task, const auto& why) { home.end_by(task, why); }),
      departing_(home.cluster.executor(), *home.options.log,
                 [&home](const auto& task, const auto& why) { home.end_by(task, why); })
{
}

// The parts refer to the set by reference: the engine owns both, and what owned each other would never go.
std::shared_ptr<managed_part> cluster_set::add_parts()
{
    lead_ = home_.add_runnable(
        options_.name + " leadership",
        [shared = leadership_](latch stop) { return finishing(shared_leadership::hold(shared, std::move(stop))); },
        true, {});
    work_ = home_.add_runnable(options_.name, [this](latch stop) { return finishing(run(*this, std::move(stop))); },
                               true, {.needs_leadership = false});
    return work_;
}

void cluster_set::offer(cluster_offer cluster)
{
    if (!is_allowed(cluster.name))
        return log_.warning("a cluster is ignored: its name is empty, too long or not printable",
                            {{"clusters", options_.name}});
    {
        std::lock_guard lock(mutex_);
        if (core_.stopped()) return; // the offer holds credentials, which nobody would drop
        core_.offered(cluster.name, cluster.revision);
        offers_.insert_or_assign(cluster.name, cluster);
    }
    news_.notify();
}

void cluster_set::withdraw(std::string_view name)
{
    {
        std::lock_guard lock(mutex_);
        core_.withdrawn(name);
        if (const auto at = offers_.find(name); at != offers_.end()) offers_.erase(at);
    }
    news_.notify();
}

asio::awaitable<result<>> cluster_set::run(cluster_set& self, latch stop)
{
    self.providing_.spawn("provider of " + self.options_.name, make_kept_strand(self.executor_).get(), provide(self));
    const auto driven = co_await catch_failure(drive(self, std::move(stop)));
    self.stop();
    for (task_group* g : {&self.providing_, &self.departing_}) {
        while (g->running() != 0) { // a cancellation may end join() early; the set must outlive its provider
            co_await catch_failure(g->join());
        }
    }
    self.home_.remove(*self.lead_);
    std::lock_guard lock(self.mutex_);
    co_return self.provided_ ? driven : self.provided_;
}

asio::awaitable<result<>> cluster_set::provide(cluster_set& self)
{
    const auto provided = co_await catch_failure(self.from_->run(cluster_sink(self.weak_from_this())));
    if (provided || provided.error() == cond::cancelled) co_return result<>{};
    {
        std::lock_guard lock(self.mutex_);
        self.provided_ = provided.error().because("the provider of " + self.options_.name + " failed");
    }
    self.stop();
    co_return result<>{};
}

/// Until no cluster is left after the stop.
asio::awaitable<result<>> cluster_set::drive(cluster_set& self, latch stop)
{
    bool stopping = false;
    for (;;) {
        const auto next = self.decide();
        if (std::holds_alternative<cluster_step::finish>(next)) co_return result<>{};
        const auto* const resting = std::get_if<cluster_step::rest>(&next);
        if (!resting) {
            self.perform(next);
            continue;
        }
        if (!stopping && stop.settled()) {
            stopping = true;
            self.stop();
            continue;
        }
        if (stopping) {
            co_await catch_failure(self.news_.wait());
            continue;
        }
        co_await race(wait_for_news(self.news_, *self.home_.options.time, resting->until), stop.wait());
        const auto state = co_await asio::this_coro::cancellation_state;
        if (state.cancelled() != asio::cancellation_type::none) stop.settle({});
    }
}

void cluster_set::stop()
{
    {
        std::lock_guard lock(mutex_);
        core_.stop();
        offers_.clear();
    }
    providing_.stop();
    news_.notify();
}

cluster_step::any cluster_set::decide()
{
    std::lock_guard lock(mutex_);
    auto next = core_.next(home_.options.time->now());
    meters_->waiting(core_.waiting().size() + core_.delayed().size() + core_.starting_later().size());
    return next;
}

void cluster_set::perform(const cluster_step::any& next)
{
    if (const auto* s = std::get_if<cluster_step::join>(&next)) join(s->name);
    if (const auto* s = std::get_if<cluster_step::leave>(&next)) leave(s->name);
    if (const auto* s = std::get_if<cluster_step::keep_waiting>(&next)) keep_waiting(*s);
}

void cluster_set::keep_waiting(const cluster_step::keep_waiting& said) const
{
    log_.warning("a cluster has to wait: there are too many",
                 {{"cluster", said.name}, {"max_clusters", options_.max_clusters}, {"others", said.unsaid}});
}

void cluster_set::join(const std::string& name)
{
    const auto member = std::make_shared<cluster_member>(name, meters_);
    const patient_runnable body = [this, member](latch stop) {
        return finishing(work_in(*this, member, std::move(stop)));
    };
    seat taken{.member = member, .part = {}};
    taken.part =
        home_.add_runnable("cluster " + name, body, true, {.needs_leadership = false, .retry = options_.retry}, true);
    std::lock_guard lock(mutex_);
    members_.insert_or_assign(name, std::move(taken));
}

void cluster_set::leave(const std::string& name)
{
    seat left;
    {
        std::lock_guard lock(mutex_);
        left = members_.at(name);
    }
    log_.info("a cluster leaves", {{"cluster", name}});
    left.member->leave();
    home_.remove(*left.part);
    departing_.spawn("departure of " + name, make_kept_strand(executor_).get(), await_departure(*this, left));
}

asio::awaitable<result<>> cluster_set::await_departure(cluster_set& self, seat of)
{
    co_await of.part->gone.wait();
    of.member->gone();
    {
        std::lock_guard lock(self.mutex_);
        self.members_.erase(of.member->name);
        self.core_.left(of.member->name);
    }
    self.news_.notify();
    co_return result<>{};
}

std::vector<cluster_stats> cluster_set::stats() const
{
    std::vector<std::shared_ptr<cluster_member>> all;
    std::map<std::string, cluster_stats> out;
    {
        std::lock_guard lock(mutex_);
        for (const auto& name : core_.waiting()) out[name] = {.name = name};
        for (const auto& [due, name] : core_.delayed()) out[name] = {.name = name};
        for (const auto& name : core_.starting_later()) out[name] = {.name = name};
        for (const auto& [name, s] : members_) all.push_back(s.member);
    }
    for (const auto& m : all) out[m->name] = m->stats();
    std::vector<cluster_stats> list;
    list.reserve(out.size());
    for (auto& [name, s] : out) list.push_back(std::move(s));
    return list;
}

std::vector<std::shared_ptr<manager>> cluster_set::managers() const
{
    std::vector<std::shared_ptr<manager>> out;
    std::lock_guard lock(mutex_);
    for (const auto& [name, s] : members_)
        if (auto m = s.member->working()) out.push_back(std::move(m));
    return out;
}

} // namespace kubecoro::detail

namespace kubecoro {

void cluster_sink::offer(cluster_offer cluster) const
{
    if (const auto set = set_.lock()) set->offer(std::move(cluster));
}
void cluster_sink::withdraw(std::string_view name) const
{
    if (const auto set = set_.lock()) set->withdraw(name);
}

managed_clusters::managed_clusters(std::weak_ptr<detail::manager_engine> engine,
                                   std::shared_ptr<detail::managed_part> part, std::weak_ptr<detail::cluster_set> set)
    : managed(std::move(engine), std::move(part)), set_(std::move(set))
{
}
std::vector<cluster_stats> managed_clusters::stats() const
{
    const auto set = set_.lock();
    return set ? set->stats() : std::vector<cluster_stats>();
}

} // namespace kubecoro
