// The coroutines that feed a handler.
#include "listener/call_outcome.hpp"
#include "listener/processor_listener.hpp"

#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/detail/own_chain.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

call_outcome call_handler(const event_handler<object>& handler, const notification<object>& n)
{
    if (const auto* a = std::get_if<added<object>>(&n)) return call(handler.on_add, *a);
    if (const auto* u = std::get_if<updated<object>>(&n)) return call(handler.on_update, *u);
    return call(handler.on_delete, std::get<deleted<object>>(n));
}

/// Number of events freed at a time that a handler that was removed has not got.
constexpr std::size_t freed_a_turn = 512;

} // namespace

std::vector<asio::awaitable<result<>>> processor_listener::run(event_handler<object> handler)
{
    {
        std::lock_guard lock(mutex_);
        KUBECORO_EXPECT(!has_run_);
        has_run_ = true;
    }
    const auto with = std::make_shared<crew>(std::move(handler), run_ended_);
    std::vector<asio::awaitable<result<>>> loops;
    if (settings_.concurrency == 1)
        loops.push_back(run_in_order(shared_from_this(), with));
    else
        for (std::size_t slot = 0; slot < settings_.concurrency; ++slot)
            loops.push_back(work(shared_from_this(), with, slot));
    return loops;
}

asio::awaitable<result<>> processor_listener::run_in_order(std::shared_ptr<processor_listener> self,
                                                           std::shared_ptr<crew> with)
{
    for (;;) {
        const auto batch = co_await pop(self, self->settings_.max_batch);
        if (!batch) break;
        auto now = self->settings_.time->now();
        for (const auto& n : *batch) {
            if (self->cut_) break;
            self->trace_.pass("handler begins", n);
            self->meter_.begin(0, now);
            auto outcome = call_handler(with->handler, n);
            if (outcome.begun.rest.valid()) {
                outcome.done = co_await std::move(outcome.begun.rest);
                co_await own_filter();
                co_await own_throws();
            }
            now = self->settings_.time->now();
            self->called(0, n, outcome.done, now);
        }
    }
    while (self->free_some()) co_await asio::post(asio::use_awaitable);
    co_return result<>{};
}

bool processor_listener::free_some()
{
    std::lock_guard lock(mutex_);
    return core_.free_some(freed_a_turn);
}

asio::awaitable<result<>> processor_listener::work(std::shared_ptr<processor_listener> self, std::shared_ptr<crew> with,
                                                   std::size_t slot)
{
    while (!self->cut_) {
        if (self->wants_turn() || self->assume_some()) {
            co_await asio::post(asio::use_awaitable);
            continue;
        }
        bool over = false;
        auto event = self->take(slot, over);
        self->open_gate();
        if (!event) {
            if (over) break;
            if (const auto woken = co_await self->bells_[slot].wait(); !woken) co_return woken;
            continue;
        }
        if (self->passes(*event)) {
            self->trace_.pass("handler begins", *event);
            self->meter_.begin(slot, self->settings_.time->now());
            ++self->delivered_;
            auto outcome = call_handler(with->handler, *event);
            if (outcome.begun.rest.valid()) {
                outcome.done = co_await std::move(outcome.begun.rest);
                co_await own_filter();
                co_await own_throws();
            }
            self->called(slot, *event, outcome.done, self->settings_.time->now());
        }
        self->done(object_of(*event));
    }
    while (self->free_some()) co_await asio::post(asio::use_awaitable);
    co_return result<>{};
}

/// Requires that open_gate() follows.
std::optional<notification<object>> processor_listener::take(std::size_t slot, bool& over)
{
    std::lock_guard lock(mutex_);
    auto n = core_.take();
    over = over_;
    synced_ = core_.initial_finished();
    if (!n && !over && std::find(idle_.begin(), idle_.end(), slot) == idle_.end()) idle_.push_back(slot);
    if (n) ++since_turn_;
    return n;
}

void processor_listener::done(const object& o)
{
    std::lock_guard lock(mutex_);
    core_.done(o.key());
}

} // namespace kubecoro::detail
