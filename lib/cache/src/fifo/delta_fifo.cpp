#include "fifo/delta_fifo_core.hpp"

#include <kubecoro/api/detail/kept_object.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/try.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {

using detail::delta_fifo_core;
using detail::delta_load;

namespace {

/// Number of objects freed before other work gets a turn.
constexpr std::size_t freed_at_a_time = 512;

delta_load load_of(const std::vector<delta>& deltas) noexcept
{
    delta_load sum;
    for (const auto& d : deltas) sum += detail::load_of(d);
    return sum;
}

bool below(std::size_t n, std::size_t limit) noexcept { return limit == 0 || n < limit; }

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
    [[nodiscard]] bool has_room(std::size_t scope) const
    {
        KUBECORO_EXPECT(mutex.held_here());
        const auto own = lists.find(scope);
        return !is_full() && (own == lists.end() || own->second == 0);
    }
    [[nodiscard]] bool is_full() const noexcept
    {
        KUBECORO_EXPECT(mutex.held_here());
        return !below(waiting.deltas, options.max_pending) || !below(waiting.bytes, options.max_pending_bytes);
    }
    /// Wakes one producer: of thousands, each list wakes only its own.
    void wake(std::size_t scope) const
    {
        KUBECORO_EXPECT(mutex.held_here());
        if (const auto at = held.find(scope); at != held.end()) at->second.notify();
    }

    /// Moves everything that was pushed to the core.
    void take_in();
    void feed_core();
    void take_next_batch();
    /// True when the batch in hand has a change of this key.
    [[nodiscard]] bool keeps(object_key_view key) const
    {
        return std::any_of(in_hand.begin(), in_hand.end(),
                           [key](const delta& d) { return d.obj && d.obj.key() == key; });
    }
    void sift_batch();
    void finish_batch();
    /// Frees items of the last list, which may have left the store. Returns whether more are left.
    [[nodiscard]] bool free_some() noexcept;
    /// Gives back the room of deltas that were processed or dropped.
    void release(const delta_load& gone);

    static asio::awaitable<result<>> room(std::shared_ptr<state> self, std::size_t scope);
    static asio::awaitable<result<>> pop(std::shared_ptr<state> self, processor process);

    const delta_fifo_options options;

    mutable detail::checked_mutex mutex;
    // Guarded by the mutex:
    std::vector<std::vector<delta>> inbox;
    /// Everything between a push and the end of its processing.
    delta_load waiting;
    /// The scopes, with the number of their lists between push and the end of processing.
    std::map<std::size_t, std::size_t> lists;
    /// Handlers with a resync between push and the end of processing.
    std::set<std::uint64_t> syncs;
    /// Wakes producers that are held back.
    std::map<std::size_t, detail::wake_signal> held;
    bool closed = false;

    detail::wake_signal arrived;

    // Used by the consumer only:
    std::size_t next_scope = 0;
    delta_fifo_core core;
    /// Taken from the inbox; what comes before these two positions is in the core.
    std::vector<std::vector<delta>> arrivals;
    std::size_t next_arrival = 0;
    std::size_t next_delta = 0;
    /// The batch that is being processed, or comes again after a failure.
    std::vector<delta> in_hand;
    delta_load in_hand_load;
    /// The items of the last list.
    std::vector<object> left_over;
    /// Type, scope and target of its first delta, whatever the processor does with it.
    delta first_in_hand;
    /// Deltas processed since the consumer last let other work run.
    std::size_t since_turn = 0;
};

delta_fifo::delta_fifo(delta_fifo_options options) : state_(std::make_shared<state>(options)) {}

// ---- producers

void delta_fifo::state::arrive(std::vector<delta> deltas)
{
    const delta_load more = load_of(deltas);
    const delta& first = deltas.front();
    const bool is_sync = first.type == delta_type::sync_all;
    const std::size_t scope = first.scope;
    const bool content = is_content(first);
    {
        std::lock_guard lock(mutex);
        const auto own = lists.find(scope);
        if (closed || (own == lists.end() && !is_sync)) return;
        if (is_sync && syncs.contains(first.target)) return;
        inbox.emplace_back();
        if (is_sync) syncs.insert(first.target); // an empty place in the inbox does no harm
        inbox.back() = std::move(deltas);
        waiting += more;
        if (content) ++own->second;
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
    d.all = std::make_shared<delta::replaced_list>(
        delta::replaced_list{.items = std::move(items), .left_out = std::move(left_out)});
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
        std::optional<detail::wake_signal> freed;
        {
            std::lock_guard lock(self->mutex);
            if (self->closed) co_return closed_failure();
            if (self->has_room(scope)) co_return result<>{};
            freed = self->held[scope];
        }
        if (const auto woken = co_await freed->wait(); !woken) co_return woken;
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
    const std::size_t scope = state_->next_scope++;
    {
        std::lock_guard lock(state_->mutex);
        state_->lists.emplace(scope, 0);
    }
    state_->core.add_scope(scope);
    return scope;
}

void delta_fifo::remove_scope(std::size_t scope)
{
    state_->core.remove_scope(scope);
    std::lock_guard lock(state_->mutex);
    state_->lists.erase(scope);
    state_->wake(scope);
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
            const delta_load its = detail::load_of(d);
            if (!core.push(d)) release(its);
        }
    }
    arrivals.clear();
    next_arrival = 0;
}

void delta_fifo::state::take_next_batch()
{
    finish_batch();
    auto next = core.pop();
    if (next.dropped.deltas != 0) release(next.dropped);
    in_hand = std::move(next.batch);
    in_hand_load = load_of(in_hand);
    if (in_hand.empty()) return;
    first_in_hand = {.type = in_hand.front().type, .scope = in_hand.front().scope};
    first_in_hand.target = in_hand.front().target;
    since_turn += in_hand_load.deltas;
}

/// Drops from a batch that failed what belongs to removed scopes.
void delta_fifo::state::sift_batch()
{
    std::erase_if(in_hand,
                  [this](const delta& d) { return d.type != delta_type::sync_all && !core.has_scope(d.scope); });
}

void delta_fifo::state::finish_batch()
{
    if (in_hand_load.deltas == 0) return;
    core.processed();
    {
        std::lock_guard lock(mutex);
        if (first_in_hand.type == delta_type::sync_all) syncs.erase(first_in_hand.target);
        const auto own = lists.find(first_in_hand.scope);
        if (is_content(first_in_hand) && own != lists.end() && --own->second == 0) wake(first_in_hand.scope);
    }
    for (delta& d : in_hand)
        if (d.all.use_count() == 1) left_over = std::move(d.all->items);
    std::vector<delta>().swap(in_hand);
    // Last, as there may be no memory to wake a producer: a batch that is still in hand would be processed for ever.
    release(std::exchange(in_hand_load, {}));
}

bool delta_fifo::state::free_some() noexcept
{
    for (std::size_t n = 0; n != freed_at_a_time && !left_over.empty(); ++n) {
        if (left_over.size() > detail::ahead)
            detail::prefetch_object(left_over[left_over.size() - 1 - detail::ahead].identity());
        left_over.pop_back();
    }
    return !left_over.empty();
}

void delta_fifo::state::release(const delta_load& gone)
{
    std::lock_guard lock(mutex);
    const bool was_full = is_full();
    waiting -= gone;
    if (!was_full || is_full()) return;
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
        // A cancellation may arrive together with what ended the wait.
        const auto cancellation = co_await asio::this_coro::cancellation_state;
        if (cancellation.cancelled() != asio::cancellation_type::none) co_return failure(cond::cancelled);
        self->take_in();
        self->sift_batch();
        if (self->in_hand.empty()) self->take_next_batch();
        if (!self->in_hand.empty()) break;
        {
            std::lock_guard lock(self->mutex);
            if (self->closed) co_return closed_failure();
        }
        if (const auto woken = co_await self->arrived.wait(); !woken) co_return woken;
        self->since_turn = 0;
    }
    KUBECORO_TRY(process(self->in_hand));
    self->finish_batch();
    while (self->free_some()) co_await asio::post(asio::use_awaitable);
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
    return state_->core.has_pending(key) || state_->keeps(key);
}

std::vector<object> delta_fifo::to_show(std::vector<object> stored)
{
    state_->take_in();
    if (!state_->in_hand.empty()) std::erase_if(stored, [this](const object& o) { return state_->keeps(o.key()); });
    return state_->core.to_show(std::move(stored));
}

bool delta_fifo::synced() { return state_->core.synced(); }

} // namespace kubecoro
