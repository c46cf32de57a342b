// Takes the events of sources and adds their keys to the queue.
#include "controller/own_key.hpp"
#include "controller/source_mark.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/timeout.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Interval at which a failing first list is checked again; the informer retries at its own pace.
constexpr auto ask_again = std::chrono::seconds{1};

} // namespace

std::shared_ptr<controller_source> controller_engine::watch(shared_informer<object> informer, enqueue map,
                                                            source_options options)
{
    if (options.name.empty()) options.name = informer.resource().display_name();
    const auto why = misfit(informer, map);
    auto source = std::make_shared<controller_source>(std::move(informer), std::move(map), std::move(options));
    add(source);
    if (why) {
        std::lock_guard lock(mutex_);
        core_.refuse(*why);
    }
    return source;
}

/// Why some keys would get no runs, or runs in which their objects seem to be gone.
std::optional<failure> controller_engine::misfit(const shared_informer<object>& informer, const enqueue& map) const
{
    if (!map)
        return failure(cond::misconfigured, "controller " + options_.name + ": the source of " +
                                                informer.resource().display_name() + " has no map function");
    const auto& kept = informer.share();
    if (!kept) return std::nullopt;
    const auto wrong = [&](const char* what) {
        return failure(cond::misconfigured, "controller " + options_.name + ": the informer of " +
                                                informer.resource().display_name() +
                                                " keeps the objects of a share only: " + what);
    };
    if (kept != share_state::of(options_.share)) return wrong("give the same share to controller_options");
    if (kept->by_namespace() || map.target<own_key>() != nullptr) return std::nullopt;
    return wrong("keys that are mapped need shard_by::ns, or an informer without a share");
}

void controller_engine::add(const std::shared_ptr<controller_source>& source)
{
    bool begun = false;
    bool late = false;
    {
        std::lock_guard lock(mutex_);
        late = core_.closing();
        begun = core_.phase() != controller_phase::created;
        source->id = core_.add_source(source->options.name);
        sources_.push_back(source);
    }
    if (late)
        remove(*source);
    else if (begun)
        open(source);
}

void controller_engine::remove(controller_source& source)
{
    {
        std::lock_guard lock(mutex_);
        core_.source_removed(source.id);
    }
    if (source.close())
        note_ended(source);
    else
        news_.notify();
    own_writes_.wake(source.id);
}

void controller_engine::open(const std::shared_ptr<controller_source>& source)
{
    // A single strand, because no coroutine of the source does more than one batch at a time.
    const auto mark = std::make_shared<source_mark>(*this, source, make_kept_strand(executor_).get());
    const auto share = gate_ ? gate_->current() : run_gate::picture{};
    if (!source->open(mark)) return mark->withdraw();
    following_.spawn("source " + source->options.name, mark->strand(), follow(mark));
    following_.spawn("first list of " + source->options.name, mark->strand(), await_first_list(mark));
    if (gate_ && source->queues_keys)
        following_.spawn("share of " + source->options.name, mark->strand(), follow_share(mark, share));
}

asio::awaitable<result<>> controller_engine::follow(std::shared_ptr<source_mark> mark)
{
    auto& self = mark->engine();
    auto& source = mark->source();
    for (;;) {
        const auto batch = co_await source.events.pop();
        if (!batch) co_return source.events.end_reason(); // a failure of the informer is the controller's
        std::optional<share_gain> ours;
        if (self.gate_) ours = share_gain{self.gate_->current().share};
        self.take_in(source, *batch, ours);
        source.taken += batch->size();
    }
}

asio::awaitable<result<>> controller_engine::await_first_list(std::shared_ptr<source_mark> mark)
{
    auto& self = mark->engine();
    auto& source = mark->source();
    for (;;) {
        const auto synced = co_await catch_failure(source.events.has_synced());
        if (synced) self.note_synced(source);
        if (synced || synced.error() == cond::cancelled) co_return result<>{};
        self.note_trouble(source, synced.error());
        co_await race(source.leaving.wait(), sleep_for(*self.time_, ask_again));
    }
}

void controller_engine::enqueue_batch(const key_batch& keys, int priority, const std::optional<share_gain>& which)
{
    const auto key_of = [&keys](const key_batch::place& p) { return keys.key(p); };
    if (keys.size() == 0) return;
    if (!which) return queue_.add_batch(keys.places(), priority, key_of);
    auto places = keys.places();
    std::erase_if(places, [&](const auto& p) { return !which->has(key_of(p)); });
    queue_.add_batch(places, priority, key_of);
}

/// @param keys  Those that are queued; empty = all.
void controller_engine::take_in(controller_source& source, std::span<const notification<object>> events,
                                const std::optional<share_gain>& keys)
{
    auto& mapper = source.mapper;
    const auto arrived = traces_ ? traces_->now() : time_point{};
    mapper.map(events, traces_ != nullptr);
    std::vector<span> until_queued;
    if (traces_) {
        std::function<bool(object_key_view)> ours;
        if (keys) ours = [&keys](object_key_view key) { return keys->has(key); };
        until_queued = traces_->note(mapper, events, source.options.name, arrived, ours);
    }
    enqueue_batch(mapper.changed(), source.options.priority, keys);
    enqueue_batch(mapper.unchanged(), priority::low, keys);
    until_queued.clear();
    for (const auto& e : events) look_for_removal(source, object_of(e).key());
    source.failed += mapper.failed().size();
    for (const auto& f : mapper.failed()) {
        ledger_.event_failed();
        if (!source.failures_shown.pass(options_.log, time_->now())) continue;
        options_.log.error("the filter or the map function of a source failed", {{"controller", options_.name},
                                                                                 {"source", source.options.name},
                                                                                 {"object", to_string(f.key)},
                                                                                 {"failure", f.why.describe()}});
    }
}

void controller_engine::note_synced(controller_source& source)
{
    source.synced = true;
    {
        std::lock_guard lock(mutex_);
        core_.source_synced(source.id);
    }
    news_.notify();
}

void controller_engine::note_trouble(const controller_source& source, const failure& why)
{
    {
        std::lock_guard lock(mutex_);
        const auto known = core_.trouble(source.id);
        core_.source_in_trouble(source.id, why);
        if (known && known->condition() == why.condition()) return;
    }
    options_.log.warning("the first list of a source failed",
                         {{"controller", options_.name}, {"source", source.options.name}, {"failure", why.describe()}});
}

void controller_engine::note_ended(controller_source& source)
{
    {
        std::lock_guard lock(mutex_);
        core_.source_ended(source.id);
        std::erase_if(sources_, [&source](const auto& s) { return s.get() == &source; });
    }
    news_.notify();
    own_writes_.give_up_removals(source.id);
    (void)requeue();
    source.over.settle({});
}

} // namespace kubecoro::detail
