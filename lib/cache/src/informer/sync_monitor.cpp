#include "informer/sync_monitor.hpp"

#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/expect.hpp>

#include <chrono>
#include <utility>

namespace kubecoro::detail {
namespace {

/// Failures that retries do not solve: waits for the sync should end with them.
bool blocks_sync(cond c) noexcept
{
    switch (c) {
    case cond::forbidden:
    case cond::not_found:
    case cond::unauthorized:
    case cond::invalid:
    case cond::misconfigured:
    case cond::corrupt: // the answer came from no API server, or is no list
        return true;
    default:
        return false;
    }
}

} // namespace

void sync_monitor::start()
{
    std::lock_guard lock(mutex_);
    started_ = settings_.time->now();
}

std::optional<duration> sync_monitor::time_to_sync() const
{
    std::lock_guard lock(mutex_);
    return took_;
}

void sync_monitor::failed(informer_lane& l, const failure& why)
{
    block(l, blocks_sync(why.condition()) ? std::optional(why) : std::nullopt);
}

void sync_monitor::block(informer_lane& l, std::optional<failure> why)
{
    KUBECORO_EXPECT(runs_on(settings_.strand));
    const bool was = l.blocked.has_value();
    lanes_.block(l, std::move(why));
    if (!was && !l.blocked) return;
    if (l.blocked) {
        l.gate.fail(*l.blocked);
        if (!l.gate.is_open()) waiters_.fail(l.ns(), *l.blocked);
    } else {
        l.gate.retry();
    }
    tell_blocked();
}

void sync_monitor::tell_blocked()
{
    KUBECORO_EXPECT(runs_on(settings_.strand));
    if (synced_) return;
    const auto* blocked = lanes_.blocked();
    if (blocked == nullptr && !told_blocked_) return;
    told_blocked_ = blocked != nullptr;
    const auto tell = [&](const sync_gate& gate) {
        if (blocked != nullptr)
            gate.fail(*blocked->blocked);
        else
            gate.retry();
    };
    tell(gate_);
    for (const auto& listener : registry_.all()) tell(listener->gate());
}

void sync_monitor::tell_newcomer(const processor_listener& listener) const
{
    if (synced_) return;
    if (const auto* blocked = lanes_.blocked()) listener.gate().fail(*blocked->blocked);
}

void sync_monitor::stored(informer_lane& l, const store& content)
{
    if (l.gate.is_open()) return;
    l.gate.open();
    waiters_.filled(l.ns(), content);
}

void sync_monitor::settle(bool processed, std::size_t objects)
{
    KUBECORO_EXPECT(runs_on(settings_.strand));
    if (synced_ || !(processed || lanes_.empty())) return;
    duration took{};
    {
        std::lock_guard lock(mutex_);
        if (!started_) return;
        took = settings_.time->now() - *started_;
        took_ = took;
    }
    synced_ = true;
    listeners_.mark_initial();
    settings_.log.info("synced", {{"informer", settings_.label},
                                  {"objects", objects},
                                  {"seconds", std::chrono::duration<double>(took).count()}});
    gate_.open();
}

} // namespace kubecoro::detail
