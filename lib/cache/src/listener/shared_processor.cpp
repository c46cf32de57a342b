#include "listener/shared_processor.hpp"

#include <algorithm>
#include <utility>

namespace kubecoro::detail {

void shared_processor::join(std::shared_ptr<processor_listener> listener, bool synced)
{
    sweep();
    if (listener->over()) return;
    listener->end_change();
    if (synced) listener->mark_initial();
    listeners_.push_back({joined_ + 1, std::move(listener)});
    ++joined_;
}

void shared_processor::sweep()
{
    const auto left = left_.count();
    if (left == std::exchange(swept_, left)) return;
    std::erase_if(listeners_, [](const auto& m) { return m.listener->over(); });
}

bool shared_processor::distribute(std::span<const notification<object>> batch, delivery& to, std::size_t& most)
{
    if (batch.empty()) return true;
    sweep();
    const auto next = std::upper_bound(listeners_.begin(), listeners_.end(), to.done,
                                       [](std::uint64_t done, const member& m) { return done < m.number; });
    for (auto m = next; m != listeners_.end() && m->number <= to.last; ++m) {
        if (most == 0 || !m->listener->add(batch, to.taken, most)) return false;
        to.taken = 0;
        to.done = m->number;
    }
    return true;
}

void shared_processor::end_change()
{
    for (const auto& m : listeners_) m.listener->end_change();
}

void shared_processor::mark_initial()
{
    for (const auto& m : listeners_) m.listener->mark_initial();
}

processor_listener* shared_processor::find(std::uint64_t id) const
{
    for (const auto& m : listeners_)
        if (m.listener->id() == id) return m.listener.get();
    return nullptr;
}

} // namespace kubecoro::detail
