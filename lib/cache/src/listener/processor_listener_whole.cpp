// Reading changes of the store as a whole.
#include "listener/processor_listener.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/expect.hpp>

#include <limits>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {

whole_changes processor_listener::take_whole()
{
    whole_changes out{.events = core_.pop(std::numeric_limits<std::size_t>::max()), .number = changes_};
    core_.finished();
    out.synced = core_.initial_finished();
    return out;
}

/// Without this a reader could wait for ever, if another change always begins before it has run. Once something is set aside, the queue
/// waits for the end of a later change.
void processor_listener::begin_whole_change()
{
    KUBECORO_EXPECT(mutex_.held_here());
    if (!std::exchange(in_change_, true) && !aside_ && core_.pending() != 0) aside_ = take_whole();
}

void processor_listener::end_whole_change()
{
    std::lock_guard lock(mutex_);
    if (!std::exchange(in_change_, false)) return;
    ++changes_;
    wake(1);
}

std::uint64_t processor_listener::changes() const
{
    std::lock_guard lock(mutex_);
    return changes_;
}

asio::awaitable<std::optional<whole_changes>> processor_listener::pop_whole() { return pop_whole(shared_from_this()); }

asio::awaitable<std::optional<whole_changes>> processor_listener::pop_whole(std::shared_ptr<processor_listener> self)
{
    for (;;) {
        {
            std::lock_guard lock(self->mutex_);
            self->last_pop_ = {};
            std::optional<whole_changes> out;
            if (self->aside_) {
                out = std::exchange(self->aside_, std::nullopt);
                self->wake(1);
            } else if (!self->in_change_) {
                out = self->take_whole();
            }
            if (out && (out->number != self->told_number_ || out->synced != self->told_synced_)) {
                self->told_synced_ = out->synced;
                self->told_number_ = out->number;
                self->delivered_ += out->events.size();
                co_return out;
            }
            if (self->over_) {
                self->last_pop_ = self->why_over_;
                co_return std::nullopt;
            }
        }
        const auto woken = co_await catch_failure(self->wake_.wait());
        if (woken) continue;
        if (woken.error() != cond::cancelled) throw error(woken.error());
        std::lock_guard lock(self->mutex_);
        self->last_pop_ = woken;
        co_return std::nullopt;
    }
}

} // namespace kubecoro::detail
