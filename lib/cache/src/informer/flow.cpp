// The part of informer_engine that runs on the strand: from the reflectors to the store and the listeners.

#include "informer/informer_engine.hpp"

#include <kubecoro/base/saturating_time.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Number of objects renewed at a time: a few hundred microseconds.
constexpr std::size_t renewal_step = 32;

/// Minimum time between two updates of the metrics.
constexpr duration shortest_period = std::chrono::seconds{1};

} // namespace

result<> informer_engine::replace(std::size_t scope, std::vector<object> items, std::string resource_version,
                                  const std::vector<left_out_object>& left_out)
{
    informer_lane* l = lane(scope);
    if (!l) return {}; // the lane was removed
    // Before the store is filled: a handler's gate must not report a failure that is over.
    set_blocked(*l, {});
    if (transformer_)
        for (auto& o : items) transform(o);
    for (const auto& o : left_out) {
        object stored = store_->get(o.key);
        if (stored && (o.uid.empty() || stored.has_uid(o.uid))) items.push_back(std::move(stored));
    }
    if (trace_.on())
        for (const auto& o : items) trace_.pass("pushed", o);
    fifo_.replace(scope, std::move(items), std::move(resource_version));
    pump();
    return {};
}

result<> informer_engine::apply(std::size_t scope, std::vector<delta> changes, std::string resource_version)
{
    if (!lane(scope)) return {};
    for (auto& c : changes) {
        if (transformer_) transform(c.obj);
        if (fifo_.full()) pump();
        trace_.pass("pushed", c.obj);
        fifo_.push(c.type, std::move(c.obj));
    }
    fifo_.version(scope, std::move(resource_version));
    pump();
    return {};
}

void informer_engine::transform(object& o) const
{
    object stored = store_->get(o.key());
    o = stored && same_version(stored, o) ? std::move(stored) : transformer_.apply(o);
}

void informer_engine::vanished(std::size_t scope)
{
    informer_lane* l = lane(scope);
    if (!l) return;
    pump();
    {
        std::lock_guard lock(mutex_);
        l->version.clear();
    }
    announce_gone(store_->replace(l->ns, {}, false), departure::kind_gone);
}

// The store and the handlers' queues accept everything at once, so the FIFO is empty before the reflector continues. If
// the store could ever wait, full() would be the place to hold the reader.
void informer_engine::pump()
{
    while (!fifo_.empty()) {
        const auto batch = fifo_.pop();
        process(batch);
        fifo_.processed();
        if (batch.front().type == delta_type::replaced_all) lane_filled(*lanes_.at(batch.front().scope));
        settle_sync();
    }
    if (store_->wants_renewal()) renewal_.notify();
}

asio::awaitable<result<>> informer_engine::renew_loop()
{
    for (;;) {
        auto waiting = renewal_.wait();
        const auto woken = co_await std::move(waiting);
        if (!woken) co_return woken;
        while (store_->renew(renewal_step)) co_await asio::post(asio::use_awaitable);
    }
}

asio::awaitable<result<>> informer_engine::meter_loop()
{
    const auto period = std::max(settings_.metrics_period, shortest_period);
    for (;;) {
        meter_->publish(stats());
        auto pause = sleep_for(*settings_.time, period);
        const auto woken = co_await std::move(pause);
        if (!woken) co_return woken;
    }
}

void informer_engine::process(const std::vector<delta>& batch)
{
    const delta& first = batch.front();
    if (first.type == delta_type::sync_all) return resync(first.target);
    if (first.type == delta_type::replaced_all) {
        announce(store_->replace(lanes_.at(first.scope)->ns, std::move(first.all->items), first.all->initial));
        set_version(first.scope, first.resource_version);
        if (settings_.options.check_consistency) {
            const std::string& ns = lanes_.at(first.scope)->ns;
            checker_.ask(ns, first.resource_version, store_->keep(ns));
        }
        return;
    }
    announce(store_->apply(batch));
    for (const auto& d : batch)
        if (d.type == delta_type::version) set_version(d.scope, d.resource_version, batch);
}

void informer_engine::resync(std::uint64_t target)
{
    auto* listener = processor_.find(target);
    if (!listener) return;
    std::vector<notification> again;
    for (const auto& o : fifo_.to_show(store_->list({}))) again.emplace_back(updated{o, o});
    if (!again.empty()) listener->add_resync(again);
}

informer_lane* informer_engine::lane(std::size_t scope) const
{
    const auto at = lanes_.find(scope);
    return at == lanes_.end() ? nullptr : at->second.get();
}

void informer_engine::announce_gone(std::vector<notification> gone, departure why)
{
    for (auto& n : gone)
        if (auto* d = std::get_if<deleted>(&n)) d->why = why;
    announce(gone);
}

void informer_engine::for_trace(std::string_view station, const std::vector<notification>& batch) const
{
    if (!trace_.on()) return;
    for (const auto& n : batch) trace_.pass(station, n);
}

void informer_engine::announce(const std::vector<notification>& batch)
{
    if (batch.empty()) return;
    std::array<std::uint64_t, 3> count{};
    for (const auto& n : batch) ++count[n.index()];
    {
        std::lock_guard lock(mutex_);
        added_ += count[0];
        updated_ += count[1];
        deleted_ += count[2];
    }
    for_trace("stored", batch);
    processor_.distribute(batch);
    waiters_.tell(batch);
    for_trace("distributed", batch);
}

void informer_engine::set_version(std::size_t scope, const std::string& version, std::span<const delta> by)
{
    const auto now = settings_.time->now();
    informer_lane& l = *lanes_.at(scope);
    {
        std::lock_guard lock(mutex_);
        l.version = version;
        l.heard = now;
    }
    store_->versions()->reach(l.ns, version, by);
}

void informer_engine::settle_sync()
{
    if (filled_ || !(lanes_.empty() || fifo_.synced())) return;
    {
        std::lock_guard lock(mutex_);
        if (!started_) return;
        time_to_sync_ = settings_.time->now() - started_at_;
    }
    filled_ = true;
    processor_.mark_initial();
    settings_.log.info("synced", {{"informer", settings_.label},
                                  {"objects", store_->size()},
                                  {"seconds", std::chrono::duration<double>(*time_to_sync_).count()}});
    gate_.open();
}

void informer_engine::join(std::shared_ptr<processor_listener> listener)
{
    for (const auto& [id, l] : lanes_)
        if (l->blocked && !filled_) listener->gate().fail(*l->blocked);
    processor_.join(std::move(listener), store_->list({}), filled_);
}

void informer_engine::resync_every(duration period, const std::shared_ptr<processor_listener>& listener)
{
    set_alarm(time_after(settings_.time->now(), period), listener, [this, period, to = std::weak_ptr(listener)] {
        const auto alive = to.lock();
        if (!alive || alive->over()) return;
        resync_every(period, alive); // independent of the outcome of this one
        fifo_.sync(alive->id());
        pump();
    });
}

} // namespace kubecoro::detail
