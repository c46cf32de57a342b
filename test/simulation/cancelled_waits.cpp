#include "cancelled_waits.hpp"

#include "operations.hpp"
#include "roaming_informer.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/try.hpp>

#include <array>
#include <limits>
#include <stdexcept>
#include <utility>

namespace kubecoro::simulation {

namespace asio = boost::asio;

namespace {

constexpr std::size_t most_attempts = 12;
constexpr auto never = std::numeric_limits<std::size_t>::max();

workqueue_options queue_options(const testing::runner& runner)
{
    workqueue_options o;
    o.time = runner.shared_clock();
    return o;
}

} // namespace

cancelled_waits::cancelled_waits(std::vector<shared_informer<object>> informers, informer_factory& factory,
                                 const network& way, testing::runner& runner, journal& notes, std::uint64_t seed)
    : informers_(std::move(informers)),
      factory_(&factory),
      remote_(way.unreliable()),
      runner_(&runner),
      notes_(&notes),
      random_(seed),
      queue_(runner.executor(), queue_options(runner))
{
}

void cancelled_waits::one()
{
    std::erase_if(attempts_, [](const attempt& a) { return a.task.done(); });
    if (attempts_.size() >= most_attempts) return;
    if (one_in(random_, 20)) return race_for_key();
    std::string name;
    auto body = any(name);
    begin(std::move(name), std::move(body));
}

void cancelled_waits::race_for_key()
{
    const auto key = static_cast<int>(below(random_, 20));
    for (const auto* name : {"first", "second"}) attempts_.push_back({name, runner_->spawn(wait_for_key()), never});
    const auto first = attempts_.end() - 2;
    runner_->run_until_idle();
    queued_.insert(key);
    queue_.add(key);
    const auto handlers = below(random_, 4);
    runner_->cancel_after(handlers, first->task, asio::cancellation_type::terminal);
    first->cancelled_at = runner_->handlers() + handlers;
}

void cancelled_waits::begin(std::string name, waiting_for body)
{
    static constexpr std::array kinds{asio::cancellation_type::terminal, asio::cancellation_type::partial,
                                      asio::cancellation_type::total};
    // Most waits are short: half of the cancellations come in the first steps.
    const auto handlers = below(random_, one_in(random_, 2) ? 12 : 600);
    // By its documentation a request or a wait for several informers does not support every kind of cancellation.
    const bool every_way = name != "get" && name != "list" && name != "wait_for_cache_sync";
    const auto which = below(random_, every_way ? kinds.size() : 1);
    const auto how = kinds[which];
    name += " " + std::to_string(++begun_);
    notes_->note("impatient", name + " for " + std::to_string(handlers) + " handlers, way " + std::to_string(which));
    auto task = runner_->spawn(std::move(body));
    runner_->cancel_after(handlers, task, how);
    attempts_.push_back({std::move(name), std::move(task), runner_->handlers() + handlers});
}

cancelled_waits::waiting_for cancelled_waits::any(std::string& name)
{
    const auto& informer = informers_[below(random_, informers_.size())];
    const auto& all = operations::namespaces();
    object_key key{all[below(random_, all.size())], "o" + std::to_string(below(random_, 6))};
    const duration limit = std::chrono::seconds(below(random_, 3) * below(random_, 100));
    const auto version = std::to_string(below(random_, 300));
    switch (below(random_, 15)) {
    case 0:
        name = "has_synced";
        return informer.has_synced();
    case 1:
        name = "wait_for_cache_sync";
        return wait_for_cache_sync(informers_);
    case 2:
        name = "factory.has_synced";
        return factory_->has_synced();
    case 3:
        name = "handler";
        return handler_life(informer);
    case 4:
        name = "pop";
        return pop(informer);
    case 5:
        name = "for_each";
        return for_each(informer);
    case 6:
        name = "wait_for";
        return for_object(informer, std::move(key), limit);
    case 7:
        name = "wait_for_any";
        return for_any(informer, limit);
    case 8:
        name = "get_after";
        return after(informer, std::move(key), version);
    case 9:
        name = "wait_until";
        return informer.wait_until(version, key.ns);
    case 10:
        name = "informer";
        return informer_life();
    case 11:
        name = "take_key";
        return take_key();
    case 12:
        name = "take_keys";
        return take_keys();
    case 13:
        name = "get";
        return get(std::move(key));
    default:
        name = "list";
        return list(informer.resource());
    }
}

void cancelled_waits::check_idle()
{
    for (const auto& a : attempts_)
        if (!a.task.done() && runner_->handlers() >= a.cancelled_at)
            broken(a.name + " was cancelled and has not ended");
    if (queue_.len() != 0 && queue_.stats().waiting_workers != 0) broken("a key is ready while a worker waits");
}

void cancelled_waits::end()
{
    for (const auto& a : attempts_) a.task.cancel();
    runner_->run_until_idle();
    for (const auto& a : attempts_)
        if (!a.task.done()) broken(a.name + " has not ended");
    check_queue();
    begin("drain", drain());
    runner_->run_until_idle();
    attempts_.back().task.cancel();
    runner_->run_until_idle();
    if (!attempts_.back().task.done()) broken("a drain has not ended");
}

cancelled_waits::waiting_for cancelled_waits::handler_life(shared_informer<object> informer)
{
    const auto nothing = [](const auto&) {};
    const auto mine = informer.add_event_handler({.on_add = nothing, .on_update = nothing, .on_delete = nothing});
    const auto synced = co_await catch_failure(mine.has_synced());
    mine.remove();
    if (!synced) co_return synced;
    KUBECORO_TRY(co_await catch_failure(mine.removed()));
    const auto ended = co_await mine.ended();
    if (ended) broken("the life of a removed handler ended with success");
    co_return result<>{};
}

cancelled_waits::waiting_for cancelled_waits::pop(shared_informer<object> informer)
{
    auto mine = informer.subscribe();
    for (auto n = 1 + below(random_, 4); n > 0; --n) {
        const auto batch = co_await mine.pop();
        if (!batch) co_return mine.end_reason();
    }
    co_return result<>{};
}

cancelled_waits::waiting_for cancelled_waits::for_each(shared_informer<object> informer)
{
    auto mine = informer.subscribe();
    auto left = 1 + below(random_, 20);
    auto each = [&left](const notification<object>&) {
        if (--left == 0) throw std::runtime_error("enough");
    };
    const auto ended = co_await mine.for_each(each);
    if (ended) broken("for_each() ended with success");
    co_return ended;
}

cancelled_waits::waiting_for cancelled_waits::for_object(shared_informer<object> informer, object_key key,
                                                         duration limit)
{
    object_condition met("in the shop", [](const object& o) { return o && o.labels()["app"].as_string() == "shop"; });
    KUBECORO_TRY(co_await informer.wait_for(std::move(key), std::move(met), limit));
    co_return result<>{};
}

cancelled_waits::waiting_for cancelled_waits::for_any(shared_informer<object> informer, duration limit)
{
    std::function<result<bool>(const notification<object>&)> met = [](const notification<object>& n) {
        return std::holds_alternative<deleted<object>>(n);
    };
    KUBECORO_TRY(co_await informer.wait_for_any(std::move(met), limit));
    co_return result<>{};
}

cancelled_waits::waiting_for cancelled_waits::after(shared_informer<object> informer, object_key key,
                                                    std::string version)
{
    KUBECORO_TRY(co_await informer.lister().get_after(std::move(key), std::move(version)));
    co_return result<>{};
}

/// The life of a private informer, from its first list to its release.
cancelled_waits::waiting_for cancelled_waits::informer_life()
{
    informer_options own;
    own.label_selector = "impatient!=" + std::to_string(begun_);
    const auto mine = factory_->get(roaming_informer::gadgets(), std::move(own));
    factory_->start();
    const auto synced = co_await catch_failure(mine.has_synced());
    co_await finish_despite_cancellation();
    auto released = co_await factory_->release(mine);
    if (!released && released.error() == cond::cancelled) released = co_await factory_->release(mine);
    if (!released && !end_expected_) broken("release() failed: " + released.error().describe());
    co_return synced;
}

cancelled_waits::waiting_for cancelled_waits::take_key()
{
    const auto key = static_cast<int>(below(random_, 20));
    queued_.insert(key);
    queue_.add_after(key, std::chrono::milliseconds(below(random_, 3) * 500));
    co_return co_await wait_for_key();
}

cancelled_waits::waiting_for cancelled_waits::wait_for_key()
{
    KUBECORO_TRY(auto got, co_await queue_.get());
    queued_.erase(got.key());
    got.done();
    co_return result<>{};
}

cancelled_waits::waiting_for cancelled_waits::take_keys()
{
    for (auto n = below(random_, 4); n > 0; --n) {
        const auto key = static_cast<int>(below(random_, 20));
        queued_.insert(key);
        queue_.add(key);
    }
    KUBECORO_TRY(auto got, co_await queue_.get_batch(1 + below(random_, 3)));
    for (auto& item : got) {
        queued_.erase(item.key());
        item.done();
    }
    co_return result<>{};
}

void cancelled_waits::check_queue()
{
    runner_->advance(std::chrono::seconds(2));
    while (auto item = queue_.try_get()) {
        queued_.erase(item->key());
        item->done();
    }
    if (!queued_.empty()) broken("the queue has lost " + std::to_string(queued_.size()) + " keys");
}

cancelled_waits::waiting_for cancelled_waits::drain()
{
    queue_.add(1);
    const auto in_hand = queue_.try_get();
    co_return co_await queue_.shut_down_with_drain();
}

cancelled_waits::waiting_for cancelled_waits::get(object_key key)
{
    KUBECORO_TRY(co_await remote_.get(untyped::pod::resource(), std::move(key.ns), std::move(key.name)));
    co_return result<>{};
}

cancelled_waits::waiting_for cancelled_waits::list(resource_type resource)
{
    list_options options;
    options.limit = 3;
    KUBECORO_TRY(co_await remote_.list_all(std::move(resource), {}, std::move(options)));
    co_return result<>{};
}

} // namespace kubecoro::simulation
