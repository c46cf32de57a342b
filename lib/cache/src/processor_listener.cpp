#include "processor_listener.hpp"

#include <kubecoro/base/guard.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {
namespace {

/// Calls a plain function, or gives the coroutine to await.
struct call_outcome
{
    result<> done;
    std::optional<asio::awaitable<result<>>> rest;
};

template<class Event>
call_outcome call(const handler_slot<Event>& slot, const Event& event)
{
    using slot_type = handler_slot<Event>;
    call_outcome out;
    try {
        const auto& f = slot.get();
        if (const auto* plain = std::get_if<typename slot_type::function>(&f))
            (*plain)(event);
        else if (const auto* coroutine = std::get_if<typename slot_type::coroutine>(&f))
            out.rest = guard((*coroutine)(event));
        else if (const auto* failing = std::get_if<typename slot_type::failing_coroutine>(&f))
            out.rest = guard((*failing)(event));
    } catch (...) {
        out.done = to_failure(std::current_exception());
    }
    return out;
}

call_outcome call(const event_handler& handler, const notification& n)
{
    if (const auto* a = std::get_if<added>(&n)) return call(handler.on_add, *a);
    if (const auto* u = std::get_if<updated>(&n)) return call(handler.on_update, *u);
    return call(handler.on_delete, std::get<deleted>(n));
}

} // namespace

processor_listener::processor_listener(settings s) : settings_(std::move(s)), core_(settings_.max_pending) {}

processor_listener::~processor_listener() { gate_.close(); }

void processor_listener::add(std::span<const notification> batch)
{
    {
        std::lock_guard lock(mutex_);
        if (over_) return;
        core_.add(batch);
    }
    wake_.notify();
}

void processor_listener::mark_initial()
{
    bool finished = false;
    {
        std::lock_guard lock(mutex_);
        if (over_) return;
        core_.mark_initial();
        finished = core_.initial_finished();
    }
    if (finished) gate_.open();
}

void processor_listener::close(bool drain)
{
    if (!drain) cut_ = true;
    {
        std::lock_guard lock(mutex_);
        over_ = true;
        if (!drain) core_.clear();
    }
    gate_.close();
    wake_.notify();
}

bool processor_listener::has_pending() const
{
    std::lock_guard lock(mutex_);
    return core_.pending() != 0;
}

bool processor_listener::over() const
{
    std::lock_guard lock(mutex_);
    return over_;
}

asio::awaitable<std::optional<std::vector<notification>>> processor_listener::pop() { return pop(shared_from_this()); }

asio::awaitable<std::optional<std::vector<notification>>>
processor_listener::pop(std::shared_ptr<processor_listener> self)
{
    // Under load there is always a next batch: let others on this executor have their turn in between. Before anything is
    // taken, so that a cancellation loses nothing.
    if (self->has_pending()) co_await asio::post(asio::use_awaitable);
    for (;;) {
        std::vector<notification> batch;
        bool synced = false;
        bool over = false;
        {
            std::lock_guard lock(self->mutex_);
            batch = self->core_.pop(self->settings_.max_batch);
            synced = self->core_.initial_finished();
            over = self->over_;
            self->ended_ = batch.empty() ? result<>(failure(cond::cancelled, "the subscription is over")) : result<>();
        }
        if (synced) self->gate_.open();
        if (!batch.empty()) {
            self->delivered_ += batch.size();
            co_return batch;
        }
        if (over) co_return std::nullopt;
        auto waiting = guard(self->wake_.wait());
        const auto woken = co_await std::move(waiting);
        if (!woken) {
            std::lock_guard lock(self->mutex_);
            self->ended_ = woken;
            co_return std::nullopt;
        }
    }
}

result<> processor_listener::ended() const
{
    std::lock_guard lock(mutex_);
    return ended_;
}

asio::awaitable<result<>> processor_listener::run(event_handler handler)
{
    {
        std::lock_guard lock(mutex_);
        has_run_ = true;
    }
    return run(shared_from_this(), std::move(handler), running(run_ended_));
}

asio::awaitable<result<>> processor_listener::run(std::shared_ptr<processor_listener> self, event_handler handler,
                                                  [[maybe_unused]] running mark)
{
    for (;;) {
        auto batch = co_await pop(self);
        if (!batch) co_return self->ended();
        for (const auto& n : *batch) {
            if (self->cut_) break;
            auto called = call(handler, n);
            if (called.rest) called.done = co_await std::move(*called.rest);
            if (!called.done) self->report(n, called.done.error());
        }
    }
}

void processor_listener::report(const notification& n, const failure& why)
{
    // A stop ends a handler in the middle of its work: that is no failure of the handler.
    if (why == cond::cancelled && cut_) return;
    ++failed_;
    settings_.log.error(
        "a handler failed",
        {{"handler", settings_.name}, {"object", to_string(object_of(n).key())}, {"failure", why.describe()}});
}

void processor_listener::remove()
{
    close(false);
    std::lock_guard lock(mutex_);
    if (!has_run_) run_ended_.settle({});
}

asio::awaitable<result<>> processor_listener::removed()
{
    remove();
    return run_ended_.wait();
}

handler_stats processor_listener::stats() const
{
    handler_stats s;
    s.name = settings_.name;
    s.delivered = delivered_;
    s.failed = failed_;
    s.synced = gate_.is_open();
    std::lock_guard lock(mutex_);
    s.pending = core_.pending();
    s.coalesced = core_.coalesced();
    return s;
}

bool processor_listener::initial_popped() const
{
    std::lock_guard lock(mutex_);
    return core_.initial_popped();
}

// ---- the handles

asio::awaitable<result<>> of_nothing(std::string what) { co_return failure(cond::misconfigured, std::move(what)); }

asio::awaitable<result<>> registration::has_synced() const
{
    if (!listener_) return of_nothing("an empty registration was awaited");
    return listener_->gate().wait();
}
bool registration::synced() const noexcept { return listener_ && listener_->gate().is_open(); }
void registration::remove() const
{
    if (listener_) listener_->remove();
}
asio::awaitable<result<>> registration::removed() const
{
    if (!listener_) return of_nothing("an empty registration was awaited");
    return listener_->removed();
}
handler_stats registration::stats() const { return listener_ ? listener_->stats() : handler_stats{}; }

} // namespace kubecoro
