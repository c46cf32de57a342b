// The coroutines that feed a handler.
#include "listener/call_outcome.hpp"
#include "listener/processor_listener.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/own_chain.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
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

/// Pause after a failure, for lack of memory.
constexpr auto after_a_failure = std::chrono::milliseconds{100};

} // namespace

std::vector<asio::awaitable<result<>>> processor_listener::run(event_handler<object> handler)
{
    {
        std::lock_guard lock(mutex_);
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

/// Starts a coroutine again that ends by an exception, for lack of memory.
template<class F>
asio::awaitable<result<>> processor_listener::persist(std::shared_ptr<processor_listener> self, F loop)
{
    for (;;) {
        // Not catch_failure(): there may be no memory for its coroutine.
        std::exception_ptr thrown;
        try {
            auto running = loop();
            co_return co_await std::move(running);
        } catch (...) {
            thrown = std::current_exception();
        }
        const auto why = to_failure(std::move(thrown));
        if (why == cond::cancelled) co_return why;
        self->settings_.log.error("the delivery to a handler failed and continues",
                                  {{"handler", self->settings_.name}});
        try {
            auto pause = sleep_for(*self->settings_.time, after_a_failure);
            co_await std::move(pause);
        } catch (...) { // no memory to pause, or cancelled: the next attempt shows it
        }
    }
}

asio::awaitable<result<>> processor_listener::run_in_order(std::shared_ptr<processor_listener> self,
                                                           std::shared_ptr<crew> with)
{
    delivery d;
    auto persisting = persist(self, [&] { return deliver(self, *with, d); });
    const auto ended = co_await std::move(persisting);
    if (ended) // not cancelled
        while (self->free_some()) co_await asio::post(asio::use_awaitable);
    co_return ended;
}

bool processor_listener::free_some()
{
    std::lock_guard lock(mutex_);
    return core_.free_some(freed_a_turn);
}

asio::awaitable<result<>> processor_listener::deliver(std::shared_ptr<processor_listener> self, const crew& with,
                                                      delivery& d)
{
    for (;;) {
        if (d.begun == d.batch.size()) {
            auto next = pop(self, self->settings_.max_batch);
            auto batch = co_await std::move(next);
            if (!batch) co_return result<>{};
            d = {.batch = std::move(*batch)};
        }
        auto now = self->settings_.time->now();
        while (d.begun != d.batch.size() && !self->cut_) {
            const auto& n = d.batch[d.begun];
            self->trace_.pass("handler begins", n);
            self->meter_.begin(0, now);
            ++d.begun;
            auto outcome = call_handler(with.handler, n);
            if (outcome.begun.rest.valid()) {
                outcome.done = co_await std::move(outcome.begun.rest);
                co_await own_filter();
                co_await own_throws();
            }
            now = self->settings_.time->now();
            self->called(0, n, outcome.done, now);
        }
        if (self->cut_) d = {};
    }
}

asio::awaitable<result<>> processor_listener::work(std::shared_ptr<processor_listener> self, std::shared_ptr<crew> with,
                                                   std::size_t slot)
{
    turn t;
    auto persisting = persist(self, [&] { return take_turns(self, *with, slot, t); });
    const auto ended = co_await std::move(persisting);
    if (ended)
        while (self->free_some()) co_await asio::post(asio::use_awaitable);
    co_return ended;
}

asio::awaitable<result<>> processor_listener::take_turns(std::shared_ptr<processor_listener> self, const crew& with,
                                                         std::size_t slot, turn& t)
{
    while (!self->cut_) {
        if (self->wants_turn() || self->assume_some()) {
            co_await asio::post(asio::use_awaitable);
            continue;
        }
        bool over = false;
        if (!t.event) t = {.event = self->take(slot, over)};
        self->open_gate();
        if (!t.event) {
            if (over) break;
            auto waiting = catch_failure(self->bells_[slot].wait());
            const auto woken = co_await std::move(waiting);
            if (!woken) throw error(woken.error()); // the end, or no memory
            continue;
        }
        if (!t.passed) t.begun = !self->passes(*t.event);
        t.passed = true;
        if (!t.begun) {
            self->trace_.pass("handler begins", *t.event);
            self->meter_.begin(slot, self->settings_.time->now());
            ++self->delivered_;
            t.begun = true;
            auto outcome = call_handler(with.handler, *t.event);
            if (outcome.begun.rest.valid()) {
                outcome.done = co_await std::move(outcome.begun.rest);
                co_await own_filter();
                co_await own_throws();
            }
            self->called(slot, *t.event, outcome.done, self->settings_.time->now());
        }
        self->done(object_of(*t.event));
        t = {};
    }
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
