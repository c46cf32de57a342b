#include "informer/informer_engine.hpp"

#include "listener/listener_settings.hpp"

#include <kubecoro/base/catch_failure.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Number of changes in a list from which it is applied to a copy of the tables.
constexpr std::size_t large_change = 512;

} // namespace

informer_engine::informer_engine(informer_settings s)
    : settings_(std::move(s)),
      trace_(settings_.log, "informer", settings_.label),
      strand_(make_kept_strand(settings_.executor)),
      encoding_(make_object_encoding(encoding_for(settings_.resource, settings_.options.storage))),
      store_(std::make_shared<store>(settings_.log, large_change, encoding_)),
      transformer_(settings_.options.transform, encoding_, settings_.log),
      checker_(settings_, encoding_),
      registry_(settings_.log.with({{"informer", settings_.label}}),
                {.run =
                     [this](const auto& listener, event_handler handler, const kept_executor& executor) {
                         for (auto& reading : listener->run(std::move(handler)))
                             handlers_.spawn("handler " + listener->name(), executor.get(), std::move(reading));
                     },
                 .resync =
                     [this](const auto& listener, duration period) {
                         on_strand(
                             [self = shared_from_this(), listener, period] { self->resync_every(period, listener); });
                     }}),
      fifo_({.sequence = settings_.options.sequence}),
      processor_(registry_.left()),
      alarms_(settings_.time),
      wanted_(settings_.options.namespaces),
      handlers_(strand_.get(), settings_.log),
      watches_(strand_.get(), settings_.log)
{
    for (const auto& ns : wanted_.watched()) add_lane(ns);
}

// ---- start and stop

/** Destroyed with the context: ends all waits for the informer elsewhere. */
class informer_engine::end_of_context
{
public:
    explicit end_of_context(std::weak_ptr<informer_engine> of) : of_(std::move(of)) {}
    end_of_context(end_of_context&& other) noexcept : of_(std::exchange(other.of_, {})) {}
    end_of_context& operator=(end_of_context&&) = delete;
    ~end_of_context()
    {
        const auto engine = of_.lock();
        if (!engine) return;
        engine->request_stop();
        engine->end_handlers();
    }

private:
    std::weak_ptr<informer_engine> of_;
};

void informer_engine::end_with_context()
{
    const auto executor = settings_.executor.get();
    if (executor) context_end_ = context_bound<end_of_context>(executor, end_of_context(weak_from_this()));
}

void informer_engine::start()
{
    std::lock_guard lock(mutex_);
    if (started_ || stopping_) return;
    started_ = true;
    started_at_ = settings_.time->now();
    registry_.start(); // first: waiting listeners must receive the first event
    for (const auto& [id, l] : lanes_) run(l);
    if (settings_.options.storage.policy == storage::compressed) watches_.spawn("renewal", renew_loop());
    if (settings_.metrics) {
        meter_.emplace(settings_.metrics, settings_.label, settings_.resource.display_name());
        watches_.spawn("metrics", meter_loop());
    }
    if (settings_.options.check_consistency) watches_.spawn("consistency check", checker_.run());
    // Without namespaces no list is pending.
    if (lanes_.empty()) on_strand([self = shared_from_this()] { self->settle_sync(); });
}

void informer_engine::request_stop()
{
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
        for (const auto& [id, l] : lanes_) l->gate.close();
    }
    registry_.refuse();
    watches_.stop();
    waiters_.close(failure(cond::cancelled, "the informer was stopped"));
    // Readers and waiters end now: the caller of stop() may be one of them.
    registry_.end_subscriptions();
    gate_.close();
    store_->versions()->close();
}

asio::awaitable<result<>> informer_engine::stop(std::shared_ptr<informer_engine> self)
{
    self->request_stop();
    auto watching = catch_failure(self->watches_.join());
    if (const auto ended = co_await std::move(watching); !ended) co_return ended;
    self->end_handlers();
    auto handling = catch_failure(self->handlers_.join());
    if (const auto ended = co_await std::move(handling); !ended) co_return ended;
    const bool first = [&self] {
        std::lock_guard lock(self->mutex_);
        return !std::exchange(self->stopped_, true);
    }();
    if (first) self->tell_end();
    co_return result<>{};
}

void informer_engine::end_handlers()
{
    registry_.end();
    handlers_.stop();
}

void informer_engine::abandon(std::shared_ptr<informer_engine> self)
{
    const auto running = self->watches_.running() + self->handlers_.running();
    self->request_stop();
    if (running == 0) return self->end_handlers();
    self->settings_.log.error("an informer_factory was destroyed while its informers run: await stop() first",
                              {{"resource", self->settings_.resource.display_name()}});
    const auto strand = self->strand_.get();
    // The context may be destroyed before it runs the coroutine below, and the child tasks after it.
    self->watches_.keep_until_ended(self);
    self->handlers_.keep_until_ended(self);
    auto ending = stop(std::move(self));
    asio::co_spawn(strand, std::move(ending),
                   asio::detached); // rule aside: no owner is left, and it ends with the last child task
}

// ---- listeners

std::shared_ptr<processor_listener> informer_engine::add_handler(event_handler handler, handler_options options)
{
    listener_registry::admission a;
    a.handler = std::move(handler);
    a.executor = make_kept_strand(options.executor ? kept_executor(options.executor) : settings_.executor);
    a.resync = options.resync;
    a.settings = settings_of(std::move(options), a.executor, settings_.time);
    return admit(std::move(a));
}

std::shared_ptr<processor_listener> informer_engine::add_subscription(subscription_options options)
{
    listener_registry::admission a;
    a.resync = options.resync;
    a.settings = settings_of(std::move(options), settings_.time);
    return admit(std::move(a));
}

std::shared_ptr<processor_listener> informer_engine::admit(listener_registry::admission a)
{
    if (a.resync == duration::zero()) a.resync = settings_.options.resync;
    auto listener = registry_.admit(std::move(a));
    if (listener->over()) return listener;
    if (!on_strand([self = shared_from_this(), listener] { self->join(listener); })) listener->informer_stopped();
    return listener;
}

result<> informer_engine::add_index(std::string name, index_function f)
{
    return store_->add_index(std::move(name), std::move(f));
}

} // namespace kubecoro::detail
