#include "listener/shared_processor.hpp"

#include <utility>

namespace kubecoro::detail {

void shared_processor::join(std::shared_ptr<processor_listener> listener, const std::vector<object>& stored,
                            bool synced)
{
    sweep();
    if (listener->over()) return;
    std::vector<notification<object>> initial;
    initial.reserve(stored.size());
    for (const auto& o : stored) initial.emplace_back(added<object>{o, true});
    if (!initial.empty()) listener->add(initial);
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

void shared_processor::distribute(std::span<const notification<object>> batch, delivery& to)
{
    if (batch.empty()) return;
    sweep();
    for (const auto& m : listeners_) {
        if (m.number <= to.done || m.number > to.last) continue;
        m.listener->add(batch, to.taken);
        to.taken = 0;
        to.done = m.number;
    }
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
