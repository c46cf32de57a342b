// Waiting for the state of an object, or for an event: what stands between an informer and wait_for().

#include "informer/informer_engine.hpp"

#include <kubecoro/base/guard.hpp>
#include <kubecoro/base/later.hpp>
#include <kubecoro/cache/shared_informer.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {
namespace {

std::string in_seconds(duration d)
{
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
    return ms % 1000 == 0 ? std::to_string(ms / 1000) + " s" : std::to_string(ms) + " ms";
}

/// What a wait that got too long says.
failure too_late(const object_key& key, const object_condition& wanted, duration limit,
                 const std::optional<object>& seen)
{
    return failure(cond::timed_out, to_string(key) + " is not " + wanted.name() + " after " + in_seconds(limit) +
                                        ", last seen: " + (seen ? brief_status(*seen) : "nothing, not synced yet"));
}

asio::awaitable<result<object>> wait_for_state(std::shared_ptr<informer_engine> engine, object_key key,
                                               object_condition wanted, duration limit)
{
    const auto waiter = std::make_shared<object_waiter>(key);
    engine->admit_waiter(waiter, limit);
    std::optional<object> seen;
    for (;;) {
        auto next = object_waiter::next(waiter);
        const auto states = co_await std::move(next);
        if (!states && states.error() == cond::timed_out) co_return too_late(key, wanted, limit, seen);
        if (!states) co_return states.error();
        for (const auto& o : *states) {
            const auto met = wanted(o);
            if (!met) co_return met.error().because("waiting for " + to_string(key) + " to be " + wanted.name());
            if (*met) co_return o;
            seen = o;
        }
    }
}

result<bool> ask(const notification_condition& wanted, const notification& n)
{
    try {
        return wanted(n);
    } catch (...) {
        return to_failure(std::current_exception());
    }
}

asio::awaitable<result<notification>> wait_for_event(std::shared_ptr<informer_engine> engine,
                                                     notification_condition wanted, duration limit,
                                                     subscription_options options)
{
    const auto listener = engine->add_subscription(std::move(options));
    subscription events(listener);
    if (limit != duration::zero())
        engine->end_after(limit, listener, [l = listener.get(), limit] {
            l->end(failure(cond::timed_out, "no such event within " + in_seconds(limit)));
        });
    for (;;) {
        auto next = events.pop();
        const auto batch = co_await std::move(next);
        if (!batch) co_return events.ended().error();
        for (const auto& n : *batch) {
            const auto met = ask(wanted, n);
            if (!met) co_return met.error();
            if (*met) co_return n;
        }
    }
}

} // namespace

namespace {

/// A waiter on its way to the strand. It ends when its turn never comes, because the context ends first.
class newcomer
{
public:
    explicit newcomer(std::shared_ptr<object_waiter> w) : waiter_(std::move(w)) {}
    newcomer(const newcomer&) = delete;
    newcomer& operator=(const newcomer&) = delete;
    ~newcomer()
    {
        if (waiter_) waiter_->end(failure(cond::cancelled, "the informer's context has ended"));
    }
    [[nodiscard]] std::shared_ptr<object_waiter> arrive() { return std::exchange(waiter_, nullptr); }

private:
    std::shared_ptr<object_waiter> waiter_;
};

} // namespace

void informer_engine::admit_waiter(const std::shared_ptr<object_waiter>& waiter, duration limit)
{
    // Held by the post too: whoever gives up first, the other finds the waiter alive or gone, never half.
    on_strand([self = shared_from_this(), comes = std::make_shared<newcomer>(waiter)] {
        const auto admitted = comes->arrive();
        const auto& ns = admitted->key().ns;
        const auto at = std::find_if(self->lanes_.begin(), self->lanes_.end(),
                                     [&](const auto& l) { return l.second->ns.empty() || l.second->ns == ns; });
        if (at == self->lanes_.end())
            return admitted->end(failure(cond::misconfigured,
                                         "the informer does not cover the namespace of " + to_string(admitted->key())));
        const informer_lane& lane = *at->second;
        const bool filled = lane.gate.is_open();
        if (lane.blocked && !filled) return admitted->end(*lane.blocked);
        self->waiters_.add(admitted);
        if (filled) admitted->tell(self->store_->get(admitted->key()));
    });
    if (limit == duration::zero()) return;
    end_after(limit, waiter, [w = waiter.get()] { w->end(failure(cond::timed_out)); });
}

/// The first list of a lane is in the store.
void informer_engine::lane_filled(informer_lane& l)
{
    if (l.gate.is_open()) return;
    l.gate.open();
    waiters_.filled(l.ns, *store_);
}

void informer_engine::end_after(duration limit, std::weak_ptr<void> whose, std::function<void()> call)
{
    const auto when = later(settings_.time->now(), limit);
    on_strand([self = shared_from_this(), when, whose = std::move(whose), call = std::move(call)] {
        self->set_alarm(when, whose, call);
    });
}

/// One call that throws ends no other.
asio::awaitable<result<>> informer_engine::keep_alarms()
{
    for (;;) {
        auto running = guard(alarms_.run());
        const auto ended = co_await std::move(running);
        if (ended.error() == cond::cancelled) co_return ended;
        settings_.log.error("a deadline or a resync failed",
                            {{"informer", settings_.label}, {"failure", ended.error().describe()}});
    }
}

void informer_engine::set_alarm(time_point when, std::weak_ptr<void> whose, std::function<void()> call)
{
    if (!std::exchange(alarms_run_, true)) watches_.spawn("deadlines", keep_alarms());
    alarms_.set(when, std::move(whose), std::move(call));
}

asio::awaitable<result<object>> shared_informer::wait_for(object_key key, named_first<object_condition> wanted,
                                                          duration timeout) const
{
    return wait_for_state(engine_, std::move(key), wanted.take(), timeout);
}

asio::awaitable<result<notification>> shared_informer::wait_for_any(named_first<notification_condition> wanted,
                                                                    duration timeout,
                                                                    subscription_options options) const
{
    return wait_for_event(engine_, wanted.take(), timeout, std::move(options));
}

} // namespace kubecoro
