#include "listener/listener_registry.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace kubecoro::detail {
namespace {

constexpr duration shortest_resync = std::chrono::seconds{1};

} // namespace

std::shared_ptr<processor_listener> listener_registry::admit(admission a)
{
    std::vector<waiting> ended; // destroys handlers and filters, with their captures, outside the lock
    std::lock_guard lock(mutex_);
    a.settings.id = next_id_++;
    a.settings.log = log_;
    a.settings.left = left_;
    if (a.settings.name.empty()) a.settings.name = std::to_string(a.settings.id);
    auto listener = std::make_shared<processor_listener>(std::move(a.settings));
    if (phase_ == phase::refusing) {
        listener->informer_stopped(why_ ? &*why_ : nullptr);
        return listener;
    }
    sweep(ended);
    listeners_.push_back(listener);
    if (a.resync != duration::zero()) a.resync = std::max<duration>(a.resync, shortest_resync);
    if (phase_ == phase::running)
        begin({listener, std::move(a)});
    else
        waiting_.push_back({listener, std::move(a)});
    return listener;
}

void listener_registry::sweep(std::vector<waiting>& ended)
{
    const auto left = left_.count();
    if (left == std::exchange(swept_, left)) return;
    const auto over = [](const waiting& w) { return w.listener->over(); };
    const auto kept = std::stable_partition(waiting_.begin(), waiting_.end(), std::not_fn(over));
    std::move(kept, waiting_.end(), std::back_inserter(ended));
    waiting_.erase(kept, waiting_.end());
    std::erase_if(listeners_, [&ended](const auto& l) {
        const bool gone = l->over();
        if (gone) ended.push_back({l, {}});
        return gone;
    });
}

void listener_registry::begin(waiting w)
{
    if (w.listener->over()) return;
    if (w.wish.handler) starter_.run(w.listener, std::move(*w.wish.handler), w.wish.executor);
    if (w.wish.resync != duration::zero()) starter_.resync(w.listener, w.wish.resync);
}

void listener_registry::start()
{
    std::lock_guard lock(mutex_);
    if (phase_ != phase::waiting) return;
    phase_ = phase::running;
    for (auto& w : std::exchange(waiting_, {})) begin(std::move(w));
}

void listener_registry::refuse(std::optional<failure> why)
{
    std::vector<waiting> dropped; // destroys handlers, with their captures, outside the lock
    std::lock_guard lock(mutex_);
    if (std::exchange(phase_, phase::refusing) != phase::refusing) why_ = std::move(why);
    dropped.swap(waiting_);
}

void listener_registry::end_subscriptions()
{
    auto ending = all();
    std::erase_if(ending, [](const auto& l) { return !l->drains(); });
    note_end(ending);
}

void listener_registry::end()
{
    std::vector<std::shared_ptr<processor_listener>> listeners;
    {
        std::lock_guard lock(mutex_);
        listeners.swap(listeners_);
    }
    note_end(listeners);
}

void listener_registry::note_end(const std::vector<std::shared_ptr<processor_listener>>& of) const
{
    const auto why = [this] {
        std::lock_guard lock(mutex_);
        return why_;
    }();
    for (const auto& l : of) l->informer_stopped(why ? &*why : nullptr);
}

std::vector<std::shared_ptr<processor_listener>> listener_registry::all() const
{
    std::lock_guard lock(mutex_);
    return listeners_;
}

} // namespace kubecoro::detail
