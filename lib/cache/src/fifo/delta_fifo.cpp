#include "fifo/delta_fifo_core.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/wake_signal.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {

using detail::delta_fifo_core;

namespace {

/// The part of the limits that some deltas use up.
struct load
{
    std::size_t deltas = 0;
    std::size_t bytes = 0;

    load& operator+=(const load& other) noexcept
    {
        deltas += other.deltas;
        bytes += other.bytes;
        return *this;
    }
    load& operator-=(const load& other) noexcept
    {
        deltas -= other.deltas;
        bytes -= other.bytes;
        return *this;
    }
};

// The bytes of a list do not count: its producer waits until the list has been processed, whatever its size.
load load_of(const delta& d) noexcept
{
    if (d.all) return {std::max<std::size_t>(1, d.all->items.size()), 0};
    return {1, d.obj ? d.obj.bytes() : 0};
}

load load_of(const std::vector<delta>& deltas) noexcept
{
    load sum;
    for (const auto& d : deltas) sum += load_of(d);
    return sum;
}

/// True for what room() waits for.
bool is_content(const delta& d) noexcept
{
    return d.type == delta_type::replaced_all || d.type == delta_type::vanished;
}

failure closed_failure() { return failure(cond::cancelled, "the FIFO was closed"); }

} // namespace

/** Producers leave deltas in the inbox, under the lock. The consumer moves them to the core, which only its strand
    touches, so that neither side waits for the work of the other. */
struct delta_fifo::state
{
    explicit state(delta_fifo_options o) : options(o), core(o.max_batch) {}

    void arrive(std::vector<delta> deltas);
    void arrive(delta d)
    {
        std::vector<delta> one;
        one.push_back(std::move(d));
        arrive(std::move(one));
    }
    /// Requires the mutex.
    [[nodiscard]] bool has_room(std::size_t scope) const
    {
        return waiting.deltas < options.max_pending && waiting.bytes < options.max_pending_bytes &&
               !lists.contains(scope);
    }

    /// Moves everything that was pushed to the core.
    void take_in();
    void feed_core();
    void take_next_batch();
    void finish_batch();
    /// Gives back the room of deltas that were processed or dropped.
    /// @param list_of  The scope, if they are a list.
    void release(const load& gone, std::optional<std::size_t> list_of);

    static asio::awaitable<result<>> room(std::shared_ptr<state> self, std::size_t scope);
    static asio::awaitable<result<>> pop(std::shared_ptr<state> self, processor process);

    const delta_fifo_options options;

    mutable std::mutex mutex;
    // Guarded by the mutex:
    std::vector<std::vector<delta>> inbox;
    /// Everything between a push and the end of its processing.
    load waiting;
    /// Number of lists of a scope between push and the end of their processing.
    std::map<std::size_t, std::size_t> lists;
    /// Wakes producers that are held back.
    std::map<std::size_t, wake_signal> held;
    bool closed = false;

    wake_signal arrived;

    // Used by the consumer only:
    std::size_t next_scope = 0;
    delta_fifo_core core;
    /// Taken from the inbox; what comes before these two positions is in the core.
    std::vector<std::vector<delta>> arrivals;
    std::size_t next_arrival = 0;
    std::size_t next_delta = 0;
    /// The batch that is being processed, or comes again after a failure.
    std::vector<delta> in_hand;
    load in_hand_load;
    bool in_hand_list = false;
    std::size_t in_hand_scope = 0;
    /// Deltas processed since the consumer last let other work run.
    std::size_t since_turn = 0;
};

delta_fifo::delta_fifo(delta_fifo_options options) : state_(std::make_shared<state>(options)) {}

// ---- producers

void delta_fifo::state::arrive(std::vector<delta> deltas)
{
    const load more = load_of(deltas);
    {
        std::lock_guard lock(mutex);
        if (closed) return;
        inbox.reserve(inbox.size() + 1);
        for (const auto& d : deltas)
            if (is_content(d)) ++lists[d.scope];
        inbox.push_back(std::move(deltas));
        waiting += more;
    }
    arrived.notify();
}

void delta_fifo::push(std::size_t scope, std::vector<delta> changes, std::string resource_version)
{
    for (auto& c : changes) c.scope = scope;
    delta mark{.type = delta_type::version, .scope = scope};
    mark.resource_version = std::move(resource_version);
    changes.push_back(std::move(mark));
    state_->arrive(std::move(changes));
}

void delta_fifo::replace(std::size_t scope, std::vector<object> items, std::string resource_version,
                         std::vector<left_out_object> left_out)
{
    delta d{.type = delta_type::replaced_all, .scope = scope};
    d.resource_version = std::move(resource_version);
    d.all = std::make_shared<replaced_list>(replaced_list{.items = std::move(items), .left_out = std::move(left_out)});
    state_->arrive(std::move(d));
}

void delta_fifo::vanish(std::size_t scope) { state_->arrive(delta{.type = delta_type::vanished, .scope = scope}); }

void delta_fifo::sync(std::uint64_t target)
{
    delta d{.type = delta_type::sync_all};
    d.target = target;
    state_->arrive(std::move(d));
}

bool delta_fifo::has_room(std::size_t scope) const
{
    std::lock_guard lock(state_->mutex);
    return state_->has_room(scope);
}

asio::awaitable<result<>> delta_fifo::room(std::size_t scope) const { return state::room(state_, scope); }

asio::awaitable<result<>> delta_fifo::state::room(std::shared_ptr<state> self, std::size_t scope)
{
    struct stay
    {
        state& of;
        std::size_t scope;
        ~stay()
        {
            std::lock_guard lock(of.mutex);
            of.held.erase(scope);
        }
    };
    const stay s{*self, scope};
    for (;;) {
        std::optional<wake_signal> freed;
        {
            std::lock_guard lock(self->mutex);
            if (self->closed) co_return closed_failure();
            if (self->has_room(scope)) co_return result<>{};
            freed = self->held[scope];
        }
        auto waiting = freed->wait();
        if (const auto woken = co_await std::move(waiting); !woken) co_return woken;
    }
}

void delta_fifo::close()
{
    {
        std::lock_guard lock(state_->mutex);
        state_->closed = true;
        for (const auto& [scope, signal] : state_->held) signal.notify();
    }
    state_->arrived.notify();
}

// ---- the consumer

std::size_t delta_fifo::add_scope()
{
    state_->core.add_scope(state_->next_scope);
    return state_->next_scope++;
}

void delta_fifo::remove_scope(std::size_t scope)
{
    state_->core.remove_scope(scope);
    std::erase_if(state_->in_hand,
                  [scope](const delta& d) { return d.scope == scope && d.type != delta_type::sync_all; });
}

void delta_fifo::state::take_in()
{
    feed_core();
    {
        std::lock_guard lock(mutex);
        arrivals.swap(inbox);
    }
    feed_core();
}

/// Without memory for a delta, that one and the later ones are left for the next call.
void delta_fifo::state::feed_core()
{
    for (; next_arrival != arrivals.size(); ++next_arrival, next_delta = 0) {
        auto& deltas = arrivals[next_arrival];
        for (; next_delta != deltas.size(); ++next_delta) {
            delta& d = deltas[next_delta];
            if (!core.push(d)) release(load_of(d), {});
        }
    }
    arrivals.clear();
    next_arrival = 0;
}

void delta_fifo::state::take_next_batch()
{
    finish_batch();
    std::vector<delta> dropped;
    in_hand = core.pop(dropped);
    in_hand_load = load_of(in_hand);
    in_hand_list = !in_hand.empty() && is_content(in_hand.front());
    in_hand_scope = in_hand.empty() ? 0 : in_hand.front().scope;
    since_turn += in_hand.size();
    for (const auto& d : dropped) release(load_of(d), is_content(d) ? std::optional(d.scope) : std::nullopt);
}

void delta_fifo::state::finish_batch()
{
    if (in_hand_load.deltas == 0) return;
    core.processed();
    release(std::exchange(in_hand_load, {}), in_hand_list ? std::optional(in_hand_scope) : std::nullopt);
    std::vector<delta>().swap(in_hand); // objects that left the store are freed now
}

void delta_fifo::state::release(const load& gone, std::optional<std::size_t> list_of)
{
    std::lock_guard lock(mutex);
    waiting -= gone;
    if (list_of)
        if (const auto at = lists.find(*list_of); --at->second == 0) lists.erase(at);
    for (const auto& [scope, signal] : held)
        if (has_room(scope)) signal.notify();
}

asio::awaitable<result<>> delta_fifo::pop(processor process)
{
    return catch_failure(state::pop(state_, std::move(process)));
}

asio::awaitable<result<>> delta_fifo::state::pop(std::shared_ptr<state> self, processor process)
{
    if (self->since_turn >= self->options.max_batch) {
        self->since_turn = 0;
        co_await asio::post(asio::use_awaitable);
    }
    for (;;) {
        self->take_in();
        if (self->in_hand.empty()) self->take_next_batch();
        if (!self->in_hand.empty()) break;
        {
            std::lock_guard lock(self->mutex);
            if (self->closed) co_return closed_failure();
        }
        auto waiting = self->arrived.wait();
        if (const auto woken = co_await std::move(waiting); !woken) co_return woken;
        self->since_turn = 0;
    }
    const auto processed = process(self->in_hand);
    if (!processed) co_return processed;
    self->finish_batch();
    co_return result<>{};
}

std::size_t delta_fifo::size() const
{
    std::lock_guard lock(state_->mutex);
    return state_->waiting.deltas;
}

bool delta_fifo::has_pending(object_key_view key)
{
    state_->take_in();
    return state_->core.has_pending(key);
}

std::vector<object> delta_fifo::to_show(std::vector<object> stored)
{
    state_->take_in();
    return state_->core.to_show(std::move(stored));
}

bool delta_fifo::synced() { return state_->core.synced(); }

} // namespace kubecoro
