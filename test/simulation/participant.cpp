#include "participant.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/try.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace kubecoro::simulation {

namespace asio = boost::asio;

namespace {

constexpr std::size_t unreachable_bound = 1'000'000;

bool in_the_shop(const object& o) { return o.labels()["app"].as_string() == "shop"; }

handler_options options_of(const participant_options& options, const std::string& name)
{
    handler_options out;
    if (options.how == manner::slow || options.how == manner::concurrent) out.max_pending = 3;
    out.policy = options.policy;
    if (options.policy == coalesce::never) out.max_pending = unreachable_bound;
    if (options.filtered) out.filter = in_the_shop;
    out.resync = options.resync;
    out.name = name;
    return out;
}

promises promises_of(const participant_options& options, const scope& covered)
{
    return {options.resyncs, covered.namespaces.size() < 2, options.filtered};
}

scope heard_by(const participant_options& options, scope covered)
{
    if (options.filtered) covered.label = "app";
    if (options.filtered) covered.value = "shop";
    return covered;
}

} // namespace

participant::participant(std::string name, participant_options options, shared_informer<object> informer, scope covered,
                         const server_history& real, testing::runner& runner, journal& notes, std::uint64_t seed)
    : options_(options),
      runner_(&runner),
      notes_(&notes),
      random_(seed),
      view_(std::move(name), heard_by(options, covered), promises_of(options, covered), real, informer.lister(), notes)
{
    notes.note(view_.name(), "joins");
    join(informer);
    waiting_for_sync_ = runner.spawn(wait_for_sync());
}

void participant::join(const shared_informer<object>& informer)
{
    if (options_.how == manner::pulling) {
        handler_options o;
        o.policy = options_.policy;
        o.max_pending = options_.policy == coalesce::never ? unreachable_bound : 8;
        if (options_.filtered) o.filter = in_the_shop;
        o.resync = options_.resync;
        o.name = view_.name();
        subscription_ = std::make_unique<subscription<object>>(informer.subscribe(std::move(o)));
        pulling_ = runner_->spawn(pull());
        return;
    }
    event_handler<object> handler;
    if (options_.how == manner::plain || options_.how == manner::throwing) {
        const auto f = [this](const auto& e) { call(e); };
        handler = {f, f, f};
    } else {
        const auto f = [this](const auto& e) { return call_slowly(e); };
        handler = {f, f, f};
    }
    if (options_.how == manner::concurrent) handler.concurrency = 3;
    registration_ = informer.add_event_handler(std::move(handler), options_of(options_, view_.name()));
}

bool participant::says_synced() const
{
    // A subscription is synced as soon as it has delivered the last initial event, which this call is about to check.
    return registration_ && registration_.synced();
}

void participant::enter(const notification<object>& n)
{
    if (gone_) broken("called after removed() had completed");
    if (leaving_) broken("called after remove()");
    if (ended_ && !subscription_) broken("called after stop() had completed");
    if (busy() && options_.how != manner::concurrent) broken("two calls at once");
    const auto* a = std::get_if<added<object>>(&n);
    const auto [at, alone] = inside_.emplace(object_of(n).key(), a != nullptr && a->initial);
    if (!alone) broken("two calls at once for " + to_string(at->first));
    view_.hear(n, says_synced());
    if (++calls_ == options_.own_end) {
        notes_->note(view_.name(), "removes itself");
        leave();
    }
}

void participant::leave_call(const notification<object>& n) { inside_.erase(object_key(object_of(n).key())); }

void participant::call(const notification<object>& n)
{
    enter(n);
    leave_call(n);
    if (options_.how == manner::throwing && one_in(random_, 3)) throw std::runtime_error("simulated");
}

asio::awaitable<result<>> participant::call_slowly(notification<object> n)
{
    enter(n);
    auto slept = result<>{};
    if (!one_in(random_, 3))
        slept = co_await sleep_for(runner_->clock(), std::chrono::milliseconds(below(random_, 3000)));
    leave_call(n);
    if (!slept) co_return slept;
    if (options_.how == manner::failing && one_in(random_, 3)) co_return failure(cond::internal, "simulated");
    co_return result<>{};
}

asio::awaitable<result<>> participant::pull()
{
    for (;;) {
        auto batch = co_await subscription_->pop();
        if (!batch) break;
        for (const auto& n : *batch) {
            if (leaving_) co_return result<>{};
            enter(n);
            leave_call(n);
        }
        if (one_in(random_, 4)) {
            KUBECORO_TRY(co_await sleep_for(runner_->clock(), std::chrono::milliseconds(below(random_, 5000))));
        }
    }
    if (!disturbed_ && !leaving_ && !end_expected_) broken("the subscription ended by itself");
    co_return result<>{};
}

asio::awaitable<result<>> participant::wait_for_sync()
{
    auto synced = result<>{};
    for (;;) {
        if (registration_) {
            synced = co_await registration_.has_synced();
        } else {
            synced = co_await subscription_->has_synced();
        }
        // An answer that is no list ends the wait, and the informer goes on.
        if (synced || synced.error() != cond::corrupt || leaving_ || end_expected_) break;
        KUBECORO_TRY(co_await sleep_for(runner_->clock(), std::chrono::seconds(1)));
    }
    notes_->note(view_.name(), synced ? "has synced" : "will not sync: " + synced.error().describe());
    const bool in_initial = std::any_of(inside_.begin(), inside_.end(), [](const auto& i) { return i.second; });
    if (synced && in_initial) broken("synced while an initial add is being handled");
    if (!synced && !leaving_ && !end_expected_) broken("has_synced() failed: " + synced.error().describe());
    co_return synced;
}

asio::awaitable<result<>> participant::wait_for_removal()
{
    auto removed = co_await registration_.removed();
    notes_->note(view_.name(), "is removed");
    if (!removed && !end_expected_) broken("removed() failed: " + removed.error().describe());
    if (busy()) broken("removed() completed while a call was in progress");
    gone_ = true;
    co_return removed;
}

void participant::leave()
{
    if (leaving_) return;
    leaving_ = true;
    notes_->note(view_.name(), "leaves");
    if (subscription_) {
        subscription_->close();
        gone_ = true;
        return;
    }
    registration_.remove();
    waiting_for_removal_ = runner_->spawn(wait_for_removal());
}

void participant::disturb()
{
    if (!subscription_ || pulling_.done()) return;
    notes_->note(view_.name(), "is cancelled");
    disturbed_ = true;
    runner_->cancel_after(below(random_, 40), pulling_, boost::asio::cancellation_type::total);
}

void participant::go_on()
{
    if (!disturbed_ || !pulling_.done()) return;
    disturbed_ = false;
    if (!leaving_ && !end_expected_) pulling_ = runner_->spawn(pull());
}

bool participant::quiet() const
{
    const bool pulls = subscription_ && !pulling_.done();
    const bool leaves = registration_ && leaving_ && !waiting_for_removal_.done();
    return !busy() && !pulls && !leaves && waiting_for_sync_.done();
}

handler_stats participant::stats() const { return subscription_ ? subscription_->stats() : registration_.stats(); }

} // namespace kubecoro::simulation
