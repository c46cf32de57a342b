// The work in one cluster of a set: a client, a manager, and its run.
#include "clusters/cluster_place.hpp"
#include "manager/cluster_set.hpp"
#include "manager/manager_engine.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/client/detail/no_server.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Completes when nothing of the manager runs any more.
asio::awaitable<result<>> end_of(manager& m)
{
    for (;;) {
        auto stopped = co_await catch_failure(m.stop());
        if (m.stats().phase == manager_phase::stopped) co_return stopped;
    }
}

} // namespace

/// Until the cluster is to leave, or its manager has ended by itself.
asio::awaitable<result<>> cluster_set::work_in(cluster_set& self, std::shared_ptr<cluster_member> member, latch stop)
{
    member->begin();
    auto made = self.make_manager(member);
    result<> outcome = made ? result<>() : result<>(made.error());
    if (made) {
        member->works(*made);
        co_await race((*made)->run(), stop.wait());
        outcome = co_await end_of(**made);
        if (self.leadership_->lost().settled()) outcome = {}; // that is the program's failure
    }
    if (member->ended(outcome)) self.has_worked(member->name);
    self.has_started(member->name);
    co_return outcome;
}

void cluster_set::has_worked(const std::string& name)
{
    std::shared_ptr<managed_part> part;
    {
        std::lock_guard lock(mutex_);
        const auto at = members_.find(name);
        if (at == members_.end()) return;
        part = at->second.part;
    }
    home_.has_worked(*part);
}

void cluster_set::has_started(const std::string& name)
{
    {
        std::lock_guard lock(mutex_);
        core_.started(name);
    }
    news_.notify();
}

result<std::shared_ptr<manager>> cluster_set::make_manager(const std::shared_ptr<cluster_member>& member)
{
    const auto& name = member->name;
    const auto log = home_.options.log->with({{"cluster", name}});
    auto connected = connect(name, log);
    if (!connected) return connected.error();
    auto o = member_options(name, log);
    o.metrics = sums_.sink(name);
    cluster_place place{.cluster = name, .leadership = leadership_, .share = home_.share()};
    place.when_ready = [weak = std::weak_ptr(member), set = weak_from_this()] {
        const auto m = weak.lock();
        if (m) m->ready();
        if (const auto s = set.lock(); s && m) s->has_started(m->name);
    };
    std::shared_ptr<manager> m(new manager(*std::move(connected), std::move(o), std::move(place)));
    if (auto filled = fill(*m); !filled) return filled.error();
    return m;
}

manager_options cluster_set::member_options(const std::string& name, const logger& log) const
{
    auto o = options_.each;
    o.name = home_.options.name;
    o.time = home_.options.time;
    if (!o.seed) o.seed = home_.options.seed;
    o.log = log;
    if (!o.traces.tracer) o.traces = home_.options.traces;
    o.traces.cluster = name;
    o.leader_election = {};
    o.shards = {};
    o.grace = std::min<duration>(o.grace, home_.options.grace / 5 * 4);
    return o;
}

result<> cluster_set::fill(manager& m)
{
    const std::lock_guard one_at_a_time(filling_);
    auto filled = setup_(m);
    return filled ? filled : result<>(filled.error().because("the set-up failed"));
}

result<std::vector<access_right>> cluster_set::rights()
{
    const std::string any = "*";
    auto o = member_options(any, logger::silent());
    o.metrics = null_metrics();
    manager m(client(home_.cluster.executor(), std::make_shared<no_server>()), std::move(o),
              cluster_place{.cluster = any, .leadership = leadership_, .share = home_.share()});
    if (auto filled = fill(m); !filled) return filled.error();
    return m.rights();
}

result<client> cluster_set::connect(const std::string& name, const logger& log) const
{
    cluster_offer offer;
    {
        std::lock_guard lock(mutex_);
        const auto at = offers_.find(name);
        if (at == offers_.end()) return failure(cond::not_found, "the cluster is no longer offered");
        offer = at->second;
    }
    auto how = options_.connection;
    how.time = home_.options.time;
    how.log = log;
    how.metrics = sums_.sink(name);
    if (how.user_agent.empty()) how.user_agent = home_.options.name;
    try {
        if (!offer.connect) return failure(cond::misconfigured, "the offer has no function that connects");
        return offer.connect(home_.cluster.executor(), std::move(how));
    } catch (...) {
        return to_failure(std::current_exception());
    }
}

} // namespace kubecoro::detail
