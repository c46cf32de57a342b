#include "informer_engine.hpp"

#include <kubecoro/base/guard.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <set>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {
namespace {

/// Changes of a list from which on it is applied to a copy of the tables.
constexpr std::size_t large_change = 512;

/// Objects that are brought into a better form at a time: a few hundred microseconds.
constexpr std::size_t renewal_step = 32;

constexpr duration shortest_resync = std::chrono::seconds{1};

/// Failures that patience does not cure: whoever waits for the sync should know.
bool blocks_sync(cond c) noexcept
{
    switch (c) {
    case cond::forbidden:
    case cond::not_found:
    case cond::unauthorized:
    case cond::invalid:
    case cond::misconfigured:
        return true;
    default:
        return false;
    }
}

bool inside_metadata(std::string_view path) noexcept
{
    constexpr std::string_view metadata = "metadata";
    if (!path.starts_with(metadata)) return false;
    return path.size() == metadata.size() || path[metadata.size()] == '.' || path[metadata.size()] == '[';
}

/// What is not asked for is not kept either, whatever the server sends.
decode_options decode_for(const informer_options& o)
{
    decode_options decode = o.decode;
    if (o.storage.policy != storage::metadata_only) return decode;
    auto& keep = decode.prune.keep;
    if (keep.empty()) keep = {"metadata"};
    std::erase_if(keep, [](const std::string& path) { return !inside_metadata(path); });
    if (keep.empty()) keep = {"metadata.name"}; // is kept anyhow: nothing else was asked for
    return decode;
}

/// For namespaces of a kind that has none: nobody is asked, because the server would answer with every object there is
/// and each would be left out as one of another namespace.
class refused_source final : public list_watch_source
{
public:
    refused_source(std::string resource, std::string ns) : resource_(std::move(resource)), ns_(std::move(ns)) {}

    asio::awaitable<result<list_page>> list(list_options) override { co_return refusal(); }
    asio::awaitable<result<std::unique_ptr<watch_stream>>> watch(watch_options) override { co_return refusal(); }
    [[nodiscard]] std::string describe() const override { return resource_ + " in namespace " + ns_; }

private:
    [[nodiscard]] failure refusal() const
    {
        return failure(cond::misconfigured,
                       resource_ + " are not in namespaces: leave informer_options::namespaces empty");
    }

    std::string resource_;
    std::string ns_;
};

} // namespace

informer_engine::informer_engine(settings s)
    : settings_(std::move(s)),
      strand_(asio::make_strand(settings_.executor)),
      encoding_(make_object_encoding(encoding_for(settings_.resource, settings_.options.storage))),
      store_(std::make_shared<store>(settings_.log, large_change, encoding_)),
      handlers_(strand_, settings_.log),
      watches_(strand_, settings_.log)
{
    const std::set<std::string> namespaces(settings_.options.namespaces.begin(), settings_.options.namespaces.end());
    if (namespaces.empty() || namespaces.contains(""))
        make_lane({});
    else
        for (const auto& ns : namespaces) make_lane(ns);
}

void informer_engine::make_lane(std::string ns)
{
    const source_scope scope{.ns = ns,
                             .label_selector = settings_.options.label_selector,
                             .field_selector = settings_.options.field_selector,
                             .decode = decode_for(settings_.options),
                             .metadata_only = settings_.options.storage.policy == storage::metadata_only,
                             .encoding = encoding_,
                             .known = store_};
    const auto& policy = *settings_.options.policy;
    const std::size_t id = fifo_.add_scope();
    auto l = std::make_unique<lane>();
    if (settings_.resource.namespaced || ns.empty())
        l->source = settings_.provider->open(settings_.resource, scope);
    else
        l->source = std::make_shared<refused_source>(settings_.resource.display_name(), ns);
    l->runs = std::make_unique<reflector>(
        id, l->source,
        reflector_core(policy,
                       {.kind = settings_.resource.kind, .api_version = settings_.resource.api_version(), .ns = ns},
                       settings_.seed + 2 * id),
        policy, settings_.time, *this);
    l->ns = std::move(ns);
    lanes_.push_back(std::move(l));
}

// ---- start and stop

void informer_engine::start()
{
    std::lock_guard lock(mutex_);
    if (started_ || stopping_) return;
    started_ = true;
    started_at_ = settings_.time->now();
    for (auto& l : lanes_) watches_.spawn("reflector of " + l->source->describe(), l->runs->run());
    if (settings_.options.storage.policy == storage::compressed) watches_.spawn("renewal", renew_loop());
    for (auto& h : std::exchange(waiting_, {})) run_handler(std::move(h));
    for (auto& [listener, period] : std::exchange(waiting_resyncs_, {}))
        watches_.spawn("resync of handler " + listener->name(), resync_loop(listener, period));
}

void informer_engine::request_stop()
{
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
        waiting_.clear();
        waiting_resyncs_.clear();
    }
    watches_.stop();
    // Whoever waits for a sync may be what the caller of stop() waits for.
    gate_.close();
}

asio::awaitable<result<>> informer_engine::stop(std::shared_ptr<informer_engine> self)
{
    self->request_stop();
    auto watching = guard(self->watches_.join());
    if (const auto ended = co_await std::move(watching); !ended) co_return ended;
    self->end_handlers();
    auto handling = guard(self->handlers_.join());
    if (const auto ended = co_await std::move(handling); !ended) co_return ended;
    std::lock_guard lock(self->mutex_);
    self->stopped_ = true;
    co_return result<>{};
}

void informer_engine::end_handlers()
{
    std::vector<std::shared_ptr<processor_listener>> listeners;
    {
        std::lock_guard lock(mutex_);
        listeners.swap(listeners_);
    }
    for (const auto& l : listeners) l->informer_stopped();
    handlers_.stop();
}

void informer_engine::abandon(std::shared_ptr<informer_engine> self)
{
    const auto running = self->watches_.running() + self->handlers_.running();
    self->request_stop();
    if (running == 0) return self->end_handlers();
    self->settings_.log.error("an informer_factory was destroyed while its informers run: await stop() first",
                              {{"resource", self->settings_.resource.display_name()}});
    auto strand = self->strand_;
    // The context may be destroyed before it has run what follows, and the children after it.
    self->watches_.keep_until_ended(self);
    self->handlers_.keep_until_ended(self);
    auto ending = stop(std::move(self));
    asio::co_spawn(strand, std::move(ending),
                   asio::detached); // rule aside: nobody is left to own it, and it ends with the last child
}

// ---- handlers

std::shared_ptr<processor_listener> informer_engine::add_handler(event_handler handler, handler_options options)
{
    processor_listener::settings s;
    s.name = std::move(options.name);
    s.max_pending = options.max_pending;
    waiting_handler h;
    h.handler = std::move(handler);
    h.executor = asio::make_strand(options.executor ? options.executor : settings_.executor);
    return admit(std::move(s), options.resync, std::move(h));
}

std::shared_ptr<processor_listener> informer_engine::add_subscription(subscription_options options)
{
    processor_listener::settings s;
    s.name = std::move(options.name);
    s.max_pending = options.max_pending;
    s.max_batch = std::max<std::size_t>(1, options.max_batch);
    s.drains = true;
    return admit(std::move(s), options.resync, {});
}

std::shared_ptr<processor_listener> informer_engine::admit(processor_listener::settings s, duration resync,
                                                           std::optional<waiting_handler> handler)
{
    std::lock_guard lock(mutex_);
    s.id = next_listener_++;
    s.log = settings_.log;
    if (s.name.empty()) s.name = std::to_string(s.id);
    auto listener = std::make_shared<processor_listener>(std::move(s));
    if (stopping_) {
        listener->informer_stopped();
        return listener;
    }
    std::erase_if(listeners_, [](const auto& l) { return l->over(); });
    listeners_.push_back(listener);
    if (handler) {
        handler->listener = listener;
        if (started_)
            run_handler(std::move(*handler));
        else
            waiting_.push_back(std::move(*handler));
    }
    if (resync == duration::zero()) resync = settings_.options.resync;
    if (resync != duration::zero()) {
        resync = std::max(resync, shortest_resync);
        if (started_)
            watches_.spawn("resync of handler " + listener->name(), resync_loop(listener, resync));
        else
            waiting_resyncs_.emplace_back(listener, resync);
    }
    asio::post(strand_, [self = shared_from_this(), listener]() mutable { self->join(std::move(listener)); });
    return listener;
}

void informer_engine::run_handler(waiting_handler h)
{
    auto reading = h.listener->run(std::move(h.handler));
    handlers_.spawn("handler " + h.listener->name(), h.executor, std::move(reading));
}

void informer_engine::join(std::shared_ptr<processor_listener> listener)
{
    for (const auto& l : lanes_)
        if (l->blocked && !filled_) listener->gate().fail(*l->blocked);
    processor_.join(std::move(listener), store_->list({}), filled_);
}

asio::awaitable<result<>> informer_engine::resync_loop(std::shared_ptr<processor_listener> listener, duration period)
{
    for (;;) {
        auto pause = sleep_for(*settings_.time, period);
        const auto woken = co_await std::move(pause);
        if (!woken) co_return woken;
        if (listener->over()) co_return result<>{};
        fifo_.sync(listener->id());
        pump();
    }
}

result<> informer_engine::add_index(std::string name, index_function f)
{
    return store_->add_index(std::move(name), std::move(f));
}

// ---- from the reflectors to the store and the listeners

result<> informer_engine::replace(std::size_t scope, std::vector<object> items, std::string resource_version)
{
    // Before the store is filled: a handler's gate must not go on telling of a failure that is over.
    set_blocked(*lanes_[scope], {});
    fifo_.replace(scope, std::move(items), std::move(resource_version));
    pump();
    return {};
}

result<> informer_engine::apply(std::size_t scope, std::vector<delta> changes, std::string resource_version)
{
    for (auto& c : changes) {
        if (fifo_.full()) pump();
        fifo_.push(c.type, std::move(c.obj));
    }
    fifo_.version(scope, std::move(resource_version));
    pump();
    return {};
}

// Store and handlers' queues take everything at once, so the fifo is empty again before the reflector goes on. Were the
// store ever to wait, full() is where the reader would be held.
void informer_engine::pump()
{
    while (!fifo_.empty()) {
        const auto batch = fifo_.pop();
        process(batch);
        fifo_.processed();
        settle_sync();
    }
    if (store_->wants_renewal()) renewal_.notify();
}

asio::awaitable<result<>> informer_engine::renew_loop()
{
    for (;;) {
        auto waiting = renewal_.wait();
        const auto woken = co_await std::move(waiting);
        if (!woken) co_return woken;
        while (store_->renew(renewal_step)) co_await asio::post(strand_, asio::use_awaitable);
    }
}

void informer_engine::process(const std::vector<delta>& batch)
{
    const delta& first = batch.front();
    if (first.type == delta_type::sync_all) return resync(first.target);
    if (first.type == delta_type::replaced_all) {
        announce(store_->replace(lanes_[first.scope]->ns, std::move(first.all->items), first.all->initial));
        return set_version(first.scope, first.resource_version);
    }
    announce(store_->apply(batch));
    for (const auto& d : batch)
        if (d.type == delta_type::version) set_version(d.scope, d.resource_version);
}

void informer_engine::resync(std::uint64_t target)
{
    auto* listener = processor_.find(target);
    if (!listener) return;
    std::vector<notification> again;
    for (auto& o : store_->list({}))
        if (!fifo_.has_pending(o.key())) again.emplace_back(updated{o, o});
    if (!again.empty()) listener->add(again);
}

void informer_engine::announce(const std::vector<notification>& batch)
{
    if (batch.empty()) return;
    std::array<std::uint64_t, 3> count{};
    for (const auto& n : batch) ++count[n.index()];
    {
        std::lock_guard lock(mutex_);
        added_ += count[0];
        updated_ += count[1];
        deleted_ += count[2];
    }
    processor_.distribute(batch);
}

void informer_engine::set_version(std::size_t scope, const std::string& version)
{
    std::lock_guard lock(mutex_);
    lanes_[scope]->version = version;
}

void informer_engine::settle_sync()
{
    if (filled_ || !fifo_.synced()) return;
    filled_ = true;
    processor_.mark_initial();
    {
        std::lock_guard lock(mutex_);
        time_to_sync_ = settings_.time->now() - started_at_;
    }
    settings_.log.info("synced", {{"resource", settings_.resource.display_name()}, {"objects", store_->size()}});
    gate_.open();
}

// ---- what people should know

void informer_engine::report(std::size_t scope, const reflector_core::incident& what)
{
    lane& l = *lanes_[scope];
    const bool news = l.told.is_news(what.what, what.why, settings_.time->now());
    settings_.log.write(news ? log_level::warning : log_level::debug, what.what,
                        {{"source", l.source->describe()}, {"failure", what.why.describe()}});
    if (what.skipped) return;
    if (settings_.options.on_failure) {
        try {
            settings_.options.on_failure(what.why);
        } catch (...) { // documented: it is for showing only
        }
    }
    set_blocked(l, blocks_sync(what.why.condition())
                       ? std::optional(what.why.because(std::string(what.what) + ": " + l.source->describe()))
                       : std::nullopt);
}

void informer_engine::set_blocked(lane& l, std::optional<failure> why)
{
    const bool was = l.blocked.has_value();
    l.blocked = std::move(why);
    if (filled_ || (!was && !l.blocked)) return;
    std::vector<std::shared_ptr<processor_listener>> listeners;
    {
        std::lock_guard lock(mutex_);
        listeners = listeners_;
    }
    const auto blocked = std::find_if(lanes_.begin(), lanes_.end(), [](const auto& x) { return x->blocked; });
    const auto tell = [&](const sync_gate& gate) {
        if (blocked != lanes_.end())
            gate.fail(*(*blocked)->blocked);
        else
            gate.retry();
    };
    tell(gate_);
    for (const auto& listener : listeners) tell(listener->gate());
}

void informer_engine::progress(std::size_t scope, const reflector_core& core)
{
    std::lock_guard lock(mutex_);
    lanes_[scope]->state = core.state();
    lanes_[scope]->stats = core.stats();
}

} // namespace kubecoro
