// Admits waiters to an informer, and keeps its deadlines.

#include "informer/informer_engine.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/saturating_time.hpp>

#include <algorithm>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// A waiter on its way to the strand. Its wait ends if it never arrives because the context ends first.
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
    // The posted function shares ownership, so that either side may release the waiter first.
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

/// Called when the first list of a lane is in the store.
void informer_engine::lane_filled(informer_lane& l)
{
    if (l.gate.is_open()) return;
    l.gate.open();
    waiters_.filled(l.ns, *store_);
}

void informer_engine::end_after(duration limit, std::weak_ptr<void> whose, std::function<void()> call)
{
    const auto when = time_after(settings_.time->now(), limit);
    on_strand([self = shared_from_this(), when, whose = std::move(whose), call = std::move(call)] {
        self->set_alarm(when, whose, call);
    });
}

/// A call that throws does not end the others.
asio::awaitable<result<>> informer_engine::keep_alarms()
{
    for (;;) {
        auto running = catch_failure(alarms_.run());
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

} // namespace kubecoro::detail
