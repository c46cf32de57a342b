#include <kubecoro/endpoints/ready_checks.hpp>

#include <chrono>
#include <string>

namespace kubecoro {
namespace {

std::string in_seconds(duration d)
{
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(d).count()) + " s";
}

} // namespace

health_check informers_synced(std::function<std::vector<shared_informer<object>>()> informers)
{
    return [informers = std::move(informers)]() -> result<> {
        for (const auto& i : informers())
            if (!i.synced())
                return failure{cond::retry_later, "the informer of " + i.resource().plural +
                                                      " is not synced: " + std::string(to_string(i.state()))};
        return {};
    };
}

health_check informers_synced(const informer_factory& informers)
{
    return informers_synced([&informers] { return informers.informers(); });
}

health_check informers_current(std::function<std::vector<shared_informer<object>>()> informers, duration most)
{
    return [informers = std::move(informers), most]() -> result<> {
        for (const auto& i : informers()) {
            const auto now = i.stats();
            if (!now.synced || !now.store_age || *now.store_age <= most) continue;
            const auto& last = now.reflector.last_failure;
            return failure{cond::timed_out, "the store of " + i.resource().plural + " may be " +
                                                in_seconds(*now.store_age) + " old" +
                                                (last ? ": " + last->message() : std::string())};
        }
        return {};
    };
}

health_check informers_current(const informer_factory& informers, duration most)
{
    return informers_current([&informers] { return informers.informers(); }, most);
}

health_check controller_running(std::function<controller_stats()> stats)
{
    return [stats = std::move(stats)]() -> result<> {
        const controller_stats now = stats();
        if (now.phase == controller_phase::running) return {};
        return failure{cond::retry_later,
                       "the controller " + now.queue.name + " is " + std::string(to_string(now.phase))};
    };
}

health_check controller_running(const controller<object>& c)
{
    return controller_running([&c] { return c.stats(); });
}

health_check lease_renewed(std::function<std::optional<duration>()> since_renewal, duration most)
{
    return [since_renewal = std::move(since_renewal), most]() -> result<> {
        const auto since = since_renewal();
        if (!since || *since <= most) return {};
        return failure{cond::timed_out, "the lease was renewed " + in_seconds(*since) + " ago"};
    };
}

} // namespace kubecoro
