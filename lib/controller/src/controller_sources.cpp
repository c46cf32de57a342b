// From events to keys.
#include "controller_engine.hpp"

#include <kubecoro/base/guard.hpp>
#include <kubecoro/base/timeout.hpp>

#include <boost/asio/strand.hpp>

#include <chrono>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {
namespace {

/// How often a source whose first list fails is asked whether it still does; the informer retries at its own pace.
constexpr auto ask_again = std::chrono::seconds{1};

} // namespace

bool controller_source::has_shown(object_key_view key, std::string_view version) const
{
    const auto content = informer.lister();
    if (const auto stored = content.get(key)) return not_behind(stored.resource_version(), version);
    // An object that is not there was deleted by then, if the store has come that far.
    return content.reached(version, key.ns);
}

/// Shared by the coroutines of one source; says that it has ended when the last of them has, also by being destroyed.
class controller_engine::source_mark
{
public:
    source_mark(controller_engine& engine, std::shared_ptr<controller_source> source)
        : engine_(engine), source_(std::move(source))
    {
    }
    source_mark(const source_mark&) = delete;
    source_mark& operator=(const source_mark&) = delete;
    ~source_mark() { engine_.note_ended(*source_); }

    controller_engine& engine() noexcept { return engine_; }
    controller_source& source() noexcept { return *source_; }

private:
    controller_engine& engine_;
    std::shared_ptr<controller_source> source_;
};

std::shared_ptr<controller_source> controller_engine::watch(shared_informer informer, enqueue map,
                                                            source_options options)
{
    if (options.name.empty()) options.name = informer.resource().display_name();
    auto source = std::make_shared<controller_source>(std::move(informer), std::move(map), std::move(options));
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
    return source;
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
}

void controller_engine::open(const std::shared_ptr<controller_source>& source)
{
    if (!source->open()) return;
    const auto mark = std::make_shared<source_mark>(*this, source);
    // One strand for both: neither does more than a batch at a time.
    const auto strand = asio::make_strand(executor_);
    following_.spawn("source " + source->options.name, strand, follow(mark));
    following_.spawn("first list of " + source->options.name, strand, await_first_list(mark));
}

asio::awaitable<result<>> controller_engine::follow(std::shared_ptr<source_mark> mark)
{
    auto& source = mark->source();
    for (;;) {
        auto batch = co_await source.events.pop();
        if (!batch) co_return result<>{};
        mark->engine().take_in(source, *batch);
    }
}

asio::awaitable<result<>> controller_engine::await_first_list(std::shared_ptr<source_mark> mark)
{
    auto& self = mark->engine();
    auto& source = mark->source();
    for (;;) {
        auto waiting = guard(source.events.has_synced());
        const auto synced = co_await std::move(waiting);
        if (synced) self.note_synced(source);
        if (synced || synced.error() == cond::cancelled) co_return result<>{};
        self.note_trouble(source, synced.error());
        auto pause = race(source.leaving.wait(), sleep_for(*self.time_, ask_again));
        co_await std::move(pause);
    }
}

void controller_engine::take_in(controller_source& source, const std::vector<notification>& events)
{
    auto& mapper = source.mapper;
    mapper.map(events);
    const auto add = [this](const key_batch& keys, int priority) {
        if (keys.size() == 0) return;
        queue_.add_batch(keys.places(), priority, [&keys](const key_batch::place& p) { return keys.key(p); });
    };
    add(mapper.changed(), source.options.priority);
    add(mapper.unchanged(), source.options.unchanged_priority);
    source.taken += events.size();
    source.failed += mapper.failed().size();
    for (const auto& f : mapper.failed()) {
        ledger_.event_failed();
        options_.log.error("the filter or the map function of a source failed", {{"controller", options_.name},
                                                                                 {"source", source.options.name},
                                                                                 {"object", to_string(f.key)},
                                                                                 {"failure", f.why.describe()}});
    }
    // After the adds: a key that was held back runs for these events as well.
    requeue(own_writes_.seen(source.id, events));
}

void controller_engine::requeue(const own_writes::released& keys)
{
    for (const auto& r : keys) queue_.add(r.key, r.priority);
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
    options_.log.warning("the first list of a source cannot be had",
                         {{"controller", options_.name}, {"source", source.options.name}, {"failure", why.describe()}});
}

void controller_engine::note_ended(controller_source& source)
{
    {
        std::lock_guard lock(mutex_);
        core_.source_ended(source.id);
        std::erase_if(sources_, [&source](const auto& s) { return s.get() == &source; });
    }
    requeue(own_writes_.source_gone(source.id));
    news_.notify();
    source.over.settle({});
}

} // namespace kubecoro
