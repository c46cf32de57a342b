#include "informer/informer_engine.hpp"

#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/detail/owner_end.hpp>
#include <kubecoro/base/try.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <chrono>
#include <compare>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Number of changes in a list from which it is applied to a copy of the tables.
constexpr std::size_t large_change = 512;

/// Minimum time between two updates of the metrics.
constexpr duration shortest_period = std::chrono::seconds{1};

informer_settings with_strand(informer_settings s)
{
    s.strand = make_kept_strand(s.executor);
    return s;
}

std::shared_ptr<object_encoding> new_encoding(const informer_settings& s)
{
    return make_object_encoding(encoding_for(s.resource, s.options.storage));
}

bool packs(const object_encoding& e) { return e.stats().policy == storage::compressed; }

/// Packing needs one strand for the decoders and the store, which packs objects again.
decode_strand first_decoder(const informer_settings& s)
{
    auto encoding = new_encoding(s);
    const bool shared = packs(*encoding);
    return {shared ? s.strand : make_kept_strand(s.executor), std::move(encoding)};
}

/// The encoding of what the informer's strand decodes itself, while the lanes decode on theirs.
std::shared_ptr<object_encoding> encoding_of_strand(const informer_settings& s, const decode_strand& first, bool needed)
{
    if (!needed) return nullptr;
    return packs(*first.encoding) ? first.encoding : new_encoding(s);
}

std::shared_ptr<const known_objects> known_by(const std::shared_ptr<store>& content,
                                              const std::shared_ptr<const share_selection>& selection)
{
    if (selection) return selection;
    return content;
}

} // namespace

informer_engine::informer_engine(informer_settings s)
    : settings_(with_strand(std::move(s))),
      turns_([this](std::function<void()> f) { post_turn(std::move(f)); }),
      decoder_(first_decoder(settings_)),
      store_(std::make_shared<store>(settings_.log, large_change, decoder_.encoding)),
      selection_(settings_.options.share ? std::make_shared<share_selection>(store_, settings_.options.share)
                                         : nullptr),
      fifo_({.max_batch = objects_a_turn}),
      registry_(settings_.log.with({{"informer", settings_.label}}),
                {.run =
                     [this](const auto& listener, event_handler<object> handler, const kept_executor& executor) {
                         for (auto& reading : listener->run(std::move(handler)))
                             handlers_.spawn("handler " + listener->name(), executor.get(), std::move(reading));
                     },
                 .resync =
                     [this](const auto& listener, duration period) {
                         on_strand(
                             [self = shared_from_this(), listener, period] { self->resync_every(period, listener); });
                     }}),
      listeners_(registry_.left()),
      transformer_(settings_.options.transform,
                   encoding_of_strand(settings_, decoder_, static_cast<bool>(settings_.options.transform)),
                   settings_.log),
      checker_(settings_, encoding_of_strand(settings_, decoder_, settings_.options.check_consistency)),
      alarms_(settings_.time),
      lanes_(settings_, decoder_, fifo_, store_, known_by(store_, selection_), watches_,
             [this](std::size_t scope, reflector_core::incident what, std::uint64_t lists) {
                 on_strand([self = shared_from_this(), scope, what = std::move(what), lists] {
                     self->report(scope, what, lists);
                 });
             }),
      sync_(settings_, lanes_, registry_, listeners_, waiters_),
      follower_(settings_.options.share ? std::make_shared<share_follower>() : nullptr),
      processor_({.settings = settings_,
                  .turns = turns_,
                  .fifo = fifo_,
                  .content = store_,
                  .lanes = lanes_,
                  .listeners = listeners_,
                  .waiters = waiters_,
                  .sync = sync_,
                  .checker = checker_,
                  .transformer = transformer_,
                  .follower = follower_}),
      keeper_(settings_, lanes_, processor_, follower_),
      handlers_(settings_.strand.get(), settings_.log,
                [this](const auto& task, const auto& why) { end_by(task, why); }),
      watches_(settings_.strand.get(), settings_.log, [this](const auto& task, const auto& why) { end_by(task, why); })
{
}

void informer_engine::post_turn(std::function<void()> f) noexcept
{
    try {
        post(std::move(f));
    } catch (...) {
        turns_.close();
        end_by("step", to_failure(std::current_exception()));
    }
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
        engine->turns_.close();
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
    sync_.start();
    registry_.start(); // first: waiting listeners must receive the first event
    run_parts();
    lanes_.start();
    // Without namespaces no list is pending.
    on_strand([self = shared_from_this()] { self->sync_.settle(false, 0); });
}

void informer_engine::run_parts()
{
    KUBECORO_EXPECT(mutex_.held_here());
    watches_.spawn("delta processor", process());
    if (follower_) watches_.spawn("share", keeper_.run());
    if (packs(*decoder_.encoding)) watches_.spawn("renewal", processor_.renew());
    if (settings_.metrics && settings_.metrics != null_metrics()) {
        meter_.emplace(settings_.metrics, settings_.label, settings_.resource.display_name());
        watches_.spawn("metrics", meter_loop());
    }
    if (settings_.options.check_consistency) watches_.spawn("consistency check", checker_.run());
}

/** Ends the handlers with the last event once a stop is requested, since nobody need await it. */
class informer_engine::end_of_events
{
public:
    explicit end_of_events(informer_engine& of) : of_(&of) {}
    end_of_events(end_of_events&&) = delete;
    end_of_events& operator=(end_of_events&&) = delete;
    ~end_of_events()
    {
        if (of_->note_last_event()) of_->end_handlers();
    }

private:
    informer_engine* of_;
};

asio::awaitable<result<>> informer_engine::process()
{
    const end_of_events end(*this);
    co_return co_await processor_.run();
}

/// Returns whether the informer is stopping.
bool informer_engine::note_last_event()
{
    std::lock_guard lock(mutex_);
    events_over_ = true;
    return stopping_;
}

void informer_engine::end_by(const std::string& task, const failure& why)
{
    const auto cause = why.because("the informer of " + settings_.label + " has ended: its " + task + " failed");
    bool first = false;
    {
        std::lock_guard lock(mutex_);
        first = !stopping_ && !ended_by_;
        if (first) ended_by_ = cause;
    }
    if (!first) return settings_.log.debug("a task failed", {{"task", task}, {"failure", why.describe()}});
    request_stop();
    show_end(settings_.log, settings_.metrics.get(), "informer", settings_.label, task, why);
    tell_user(settings_.options.on_failure, cause);
    tell_user(settings_.on_end, cause);
    on_strand([self = shared_from_this()] {
        if (self->meter_) self->publish();
    });
}

void informer_engine::request_stop()
{
    bool events_come = false;
    std::optional<failure> cause;
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
        events_come = started_ && !events_over_;
        cause = ended_by_;
    }
    const auto why = cause.value_or(failure(cond::cancelled, "the informer was stopped"));
    lanes_.close(why);
    registry_.refuse(cause);
    watches_.stop();
    waiters_.close(why);
    // Readers and waiters end now: the caller of stop() may be one of them.
    registry_.end_subscriptions();
    if (cause)
        sync_.gate().end(*cause);
    else
        sync_.gate().close();
    store_->versions()->close(why);
    if (!events_come) end_handlers();
}

asio::awaitable<result<>> informer_engine::stop(std::shared_ptr<informer_engine> self)
{
    self->request_stop();
    if (const auto ended = co_await catch_failure(self->watches_.join()); !ended) co_return ended;
    self->end_handlers();
    if (const auto ended = co_await catch_failure(self->handlers_.join()); !ended) co_return ended;
    const bool first = [&self] {
        std::lock_guard lock(self->mutex_);
        return !std::exchange(self->stopped_, true);
    }();
    if (first) self->log_end();
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
    const auto strand = self->settings_.strand.get();
    // The context may be destroyed before it runs the coroutine below, and the child tasks after it.
    self->watches_.keep_until_ended(self);
    self->handlers_.keep_until_ended(self);
    auto ending = stop(std::move(self));
    asio::co_spawn(strand, std::move(ending),
                   asio::detached); // rule aside: no owner is left, and it ends with the last child task
}

void informer_engine::log_end()
{
    if (meter_) publish();
    const auto s = stats();
    settings_.log.info("stopped", {{"informer", settings_.label},
                                   {"objects", s.objects},
                                   {"lists", s.reflector.lists},
                                   {"watches", s.reflector.watches}});
}

/// A sink that throws is asked again with the next update: metrics that stay the same look like those of a healthy
/// informer.
void informer_engine::publish() noexcept
{
    try {
        meter_->publish(stats());
    } catch (...) {
        const auto why = to_failure(std::current_exception());
        settings_.log.write(meter_fails_ ? log_level::debug : log_level::error, "metrics could not be updated",
                            {{"informer", settings_.label}, {"failure", why.message()}});
        meter_fails_ = true;
        return;
    }
    meter_fails_ = false;
}

asio::awaitable<result<>> informer_engine::meter_loop()
{
    const auto period = std::max<duration>(settings_.metrics_period, shortest_period);
    for (;;) {
        publish();
        KUBECORO_TRY(co_await sleep_for(*settings_.time, period));
    }
}

// ---- snapshots

informer_state informer_engine::state() const
{
    {
        std::lock_guard lock(mutex_);
        if (ended_by_ && !stopped_) return informer_state::failed;
        if (stopped_ || (stopping_ && !started_)) return informer_state::stopped;
        if (!started_) return informer_state::created;
    }
    return lanes_.state();
}

informer_stats informer_engine::stats() const
{
    informer_stats s;
    lanes_.add_to(s);
    processor_.add_to(s);
    s.state = state();
    {
        std::lock_guard lock(mutex_);
        s.ended_by = ended_by_;
    }
    s.synced = gate().is_open();
    s.objects = store_->size();
    s.bytes = store_->bytes();
    s.resource_version = lanes_.version();
    s.time_to_sync = sync_.time_to_sync();
    if (!packs(*decoder_.encoding)) s.storage.shared_bytes += transformer_.shared_bytes();
    s.transform_failures = transformer_.failures();
    if (selection_) s.passed_over = selection_->passed_over();
    s.index_failures = store_->index_failures();
    s.indexed_labels = store_->indexed_labels();
    s.consistency = checker_.stats();
    for (const auto& l : registry_.all())
        if (!l->over()) s.handlers.push_back(l->stats());
    return s;
}

std::string informer_engine::describe() const { return describe_informer(settings_, lanes_, stats()); }

// ---- deadlines and waiters

void informer_engine::end_after(duration limit, std::weak_ptr<void> whose, std::function<void()> call)
{
    const auto when = time_after(settings_.time->now(), limit);
    on_strand([self = shared_from_this(), when, whose = std::move(whose), call = std::move(call)] {
        self->set_alarm(when, whose, call);
    });
}

void informer_engine::set_alarm(time_point when, std::weak_ptr<void> whose, std::function<void()> call)
{
    KUBECORO_EXPECT(runs_on(settings_.strand));
    if (!alarms_run_) alarms_run_ = watches_.spawn("deadlines", alarms_.run());
    alarms_.set(when, std::move(whose), std::move(call));
}

namespace {

/// A waiter on its way to the strand. Its wait ends if it never arrives because the context ends first.
class newcomer
{
public:
    explicit newcomer(std::shared_ptr<object_waiter> w) : waiter_(std::move(w)) {}
    newcomer(const newcomer&) = delete;
    newcomer& operator=(const newcomer&) = delete;
    ~newcomer()
    {
        if (waiter_) waiter_->end(failure(cond::cancelled, "the informer or its context has ended"));
    }
    [[nodiscard]] const std::shared_ptr<object_waiter>& waiter() const noexcept { return waiter_; }
    void arrived() noexcept { waiter_ = nullptr; }

private:
    std::shared_ptr<object_waiter> waiter_;
};

} // namespace

void informer_engine::admit_waiter(const std::shared_ptr<object_waiter>& waiter, duration limit)
{
    // The posted function shares ownership, so that either side may release the waiter first.
    on_strand([self = shared_from_this(), comes = std::make_shared<newcomer>(waiter)] {
        self->admit(comes->waiter());
        comes->arrived();
    });
    if (limit == duration::zero()) return;
    end_after(limit, waiter, [w = waiter.get()] { w->end(failure(cond::timed_out)); });
}

void informer_engine::admit(const std::shared_ptr<object_waiter>& waiter)
{
    KUBECORO_EXPECT(runs_on(settings_.strand));
    const auto* lane = lanes_.covering(waiter->key().ns);
    if (lane == nullptr)
        return waiter->end(
            failure(cond::misconfigured, "the informer does not cover the namespace of " + to_string(waiter->key())));
    const bool filled = lane->gate.is_open();
    if (lane->blocked && !filled) return waiter->end(*lane->blocked);
    waiters_.add(waiter);
    if (filled) waiter->tell(store_->get(waiter->key()));
}

// ---- lanes

void informer_engine::retry_now() const
{
    for (const auto& l : lanes_.all()) informer_lane::retry_now(l);
}

void informer_engine::report(std::size_t scope, const reflector_core::incident& what, std::uint64_t lists)
{
    KUBECORO_EXPECT(runs_on(settings_.strand));
    informer_lane* const l = lanes_.find(scope);
    if (l == nullptr) return; // the lane was removed
    const bool news =
        l->current().state != informer_state::parked && l->told.is_news(what.what, what.why, settings_.time->now());
    const auto level = !news ? log_level::debug : what.detour ? log_level::info : log_level::warning;
    settings_.log.write(level, what.what,
                        {{"informer", settings_.label}, {"source", l->describe()}, {"failure", what.why.describe()}});
    if (what.detour || (what.skipped && !what.outdated)) return;
    const auto why = what.why.because(std::string(what.what) + ": " + l->describe());
    tell_user(settings_.options.on_failure, why);
    if (!what.skipped && !what.passing && lists >= l->stored_lists) sync_.failed(*l, why);
}

} // namespace kubecoro::detail
