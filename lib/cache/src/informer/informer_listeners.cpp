// Handlers and subscriptions of an informer.
#include "informer/informer_engine.hpp"

#include "listener/listener_settings.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/expect.hpp>

#include <utility>

namespace kubecoro::detail {

std::shared_ptr<processor_listener> informer_engine::add_handler(event_handler<object> handler, handler_options options)
{
    listener_registry::admission a;
    a.executor = make_kept_strand(handler.executor ? kept_executor(handler.executor) : settings_.executor);
    a.resync = options.resync;
    a.settings = settings_of(handler, std::move(options), a.executor, settings_.time);
    a.handler = std::move(handler);
    return admit(std::move(a));
}

std::shared_ptr<processor_listener> informer_engine::add_subscription(handler_options options)
{
    listener_registry::admission a;
    a.resync = options.resync;
    a.settings = settings_of(std::move(options), settings_.time);
    return admit(std::move(a));
}

std::shared_ptr<processor_listener> informer_engine::add_stream(std::string name)
{
    listener_registry::admission a;
    a.settings = settings_of(handler_options{.name = std::move(name)}, settings_.time);
    a.settings.whole = true;
    return admit(std::move(a));
}

std::shared_ptr<processor_listener> informer_engine::admit(listener_registry::admission a)
{
    if (a.resync == duration::zero() && !a.settings.whole) a.resync = settings_.options.resync;
    auto listener = registry_.admit(std::move(a));
    if (listener->over()) return listener;
    if (!on_strand([self = shared_from_this(), listener] { self->join(listener); })) listener->informer_stopped();
    return listener;
}

result<> informer_engine::add_index(std::string name, index_function f)
{
    return store_->add_index(std::move(name), std::move(f));
}

void informer_engine::join(const std::shared_ptr<processor_listener>& listener)
{
    KUBECORO_EXPECT(runs_on(settings_.strand));
    sync_.tell_newcomer(*listener);
    if (!listener->wants_stored() || store_->size() == 0) return listeners_.join(listener, sync_.synced());
    // The store and the other listeners stay as they are until it has joined.
    const auto stored = std::make_shared<store_walk>(*store_, std::string_view());
    turns_.work([this, listener, stored] { return join_some(listener, *stored); });
}

bool informer_engine::join_some(const std::shared_ptr<processor_listener>& listener, store_walk& stored)
{
    std::vector<notification<object>> some;
    some.reserve(objects_a_turn);
    std::size_t most = objects_a_turn;
    const auto add = [&some](const object& o) { some.emplace_back(added<object>{o, true}); };
    const bool more = !listener->over() && stored.some(most, add);
    listener->add(some);
    if (!more) listeners_.join(listener, sync_.synced());
    return more;
}

void informer_engine::resync_every(duration period, const std::shared_ptr<processor_listener>& listener)
{
    const auto resync = [this, period, to = std::weak_ptr(listener)] {
        const auto alive = to.lock();
        if (!alive || alive->over()) return;
        resync_every(period, alive); // independent of the outcome of this one
        fifo_.sync(alive->id());
    };
    set_alarm(time_after(settings_.time->now(), period), listener, resync);
}

} // namespace kubecoro::detail
