#include "informer/delta_processor.hpp"

#include <kubecoro/api/detail/prefetch.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/timeout.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Pauses before a batch is processed again. Short at first: most failures are transforms that throw once.
constexpr backoff_policy processing_backoff{
    .initial = std::chrono::milliseconds{100}, .factor = 2.0, .cap = std::chrono::seconds{30}, .jitter = 0.5};

/// Number of objects renewed at a time: a few hundred microseconds.
constexpr std::size_t renewal_step = 32;

/// Pause after an allocation has failed.
constexpr auto after_a_failed_renewal = std::chrono::seconds{1};

/// Number of objects removed at a time that have left the share.
constexpr std::size_t sweep_step = 256;

bool is_change(const delta& d) noexcept { return d.type != delta_type::version; }
bool is_state(const delta& d) noexcept { return d.type == delta_type::added || d.type == delta_type::updated; }

} // namespace

delta_processor::delta_processor(parts p)
    : with_(std::move(p)),
      trace_(with_.settings.log, "informer", with_.settings.label),
      backoff_(processing_backoff, with_.settings.seed)
{
}

asio::awaitable<result<>> delta_processor::run()
{
    for (;;) {
        auto working = catch_failure(process_batches());
        const auto ended = co_await std::move(working);
        if (ended.error() == cond::cancelled) co_return ended;
        ++failures_;
        with_.settings.log.error("the processing of changes was interrupted, and goes on",
                                 {{"informer", with_.settings.label}, {"failure", ended.error().describe()}});
        auto pausing = sleep_for(*with_.settings.time, processing_backoff.initial);
        if (const auto paused = co_await std::move(pausing); !paused) co_return paused;
    }
}

/// Ends by a cancellation, or by an exception between two batches.
asio::awaitable<result<>> delta_processor::process_batches()
{
    for (;;) {
        if (!with_.sync.synced()) with_.sync.settle(with_.fifo.synced(), with_.content->size());
        if (with_.content->wants_renewal()) renewal_.notify();
        auto popping = with_.fifo.pop([this](std::vector<delta>& batch) { return process(batch); });
        const auto popped = co_await std::move(popping);
        if (!popped && popped.error() == cond::cancelled) co_return popped;
        if (popped) {
            backoff_.reset();
            continue;
        }
        auto pausing = pause(popped.error());
        if (const auto paused = co_await std::move(pausing); !paused) co_return paused;
    }
}

asio::awaitable<result<>> delta_processor::pause(failure why)
{
    const auto& s = with_.settings;
    ++failures_;
    const duration delay = backoff_.next();
    s.log.warning("changes could not be processed, and are kept for another attempt",
                  {{"informer", s.label},
                   {"failure", why.describe()},
                   {"waiting", with_.fifo.size()},
                   {"seconds", std::chrono::duration<double>(delay).count()}});
    tell_user(s, why.because("changes of " + s.resource.display_name() + " could not be processed"));
    auto pausing = sleep_for(*s.time, delay);
    auto hurrying = hurry_.wait();
    auto either = race(std::move(pausing), std::move(hurrying));
    co_await std::move(either);
    co_return result<>{}; // a cancellation shows at the next pop
}

asio::awaitable<result<>> delta_processor::renew()
{
    for (;;) {
        auto renewing = catch_failure(renew_when_asked());
        const auto ended = co_await std::move(renewing);
        if (ended.error() == cond::cancelled) co_return ended;
        with_.settings.log.error("objects could not be compressed again; another attempt follows",
                                 {{"informer", with_.settings.label}, {"failure", ended.error().describe()}});
        auto pausing = sleep_for(*with_.settings.time, after_a_failed_renewal);
        if (const auto paused = co_await std::move(pausing); !paused) co_return paused;
        renewal_.notify();
    }
}

/// An exception ends it.
asio::awaitable<result<>> delta_processor::renew_when_asked()
{
    for (;;) {
        auto waiting = renewal_.wait();
        if (const auto woken = co_await std::move(waiting); !woken) co_return woken;
        while (with_.content->renew(renewal_step)) co_await asio::post(asio::use_awaitable);
    }
}

// ---- a batch

result<> delta_processor::process(std::vector<delta>& batch)
{
    announce(); // left over when the last attempt failed
    const delta& first = batch.front();
    switch (first.type) {
    case delta_type::sync_all:
        resync(first.target);
        return {};
    case delta_type::vanished:
        empty(*with_.lanes.find(first.scope));
        return {};
    case delta_type::replaced_all:
        return replace(first);
    default:
        return apply(batch);
    }
}

result<> delta_processor::apply(std::vector<delta>& batch)
{
    result<> outcome;
    // Decoded before they left the share.
    if (with_.follower) std::erase_if(batch, [this](const delta& d) { return is_state(d) && is_foreign(d.obj.key()); });
    if (batch.empty()) return outcome;
    const std::size_t ready = with_.transformer ? transform(batch, outcome) : batch.size();
    if (ready == 0) return outcome;
    apply_first(batch, ready);
    backoff_.reset(); // the next failure is another one
    if (!outcome) batch.erase(batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(ready));
    return outcome;
}

void delta_processor::apply_first(std::vector<delta>& batch, std::size_t count)
{
    const auto deltas = std::span<const delta>(batch).first(count);
    std::size_t done = 0;
    try {
        with_.content->apply(deltas, done, begin_announcement());
        announce();
        pass_versions(deltas);
    } catch (...) {
        // Applied twice, an addition and its deletion would be announced twice.
        const auto applied = batch.begin() + static_cast<std::ptrdiff_t>(done);
        batch.erase(std::remove_if(batch.begin(), applied, is_change), applied);
        throw;
    }
}

result<> delta_processor::replace(const delta& list)
{
    informer_lane& l = *with_.lanes.find(list.scope);
    // Before the store is filled: a handler's gate must not report a failure that is over.
    with_.sync.listed(l);
    if (with_.follower) drop_foreign(*list.all);
    if (with_.transformer)
        if (const auto transformed = transform(*list.all); !transformed) return transformed;
    keep_left_out(*list.all);
    with_.content->replace(l.ns(), list.all->items, list.all->initial, begin_announcement());
    announce();
    set_version(l, list.resource_version, {});
    if (with_.settings.options.check_consistency)
        with_.checker.ask(l.ns(), list.resource_version, with_.content->keep(l.ns()));
    with_.sync.stored(l, *with_.content);
    note_stored(l);
    return {};
}

void delta_processor::note_stored(informer_lane& l) const
{
    l.note_stored();
    if (with_.follower) with_.follower->news.notify();
}

bool delta_processor::is_foreign(object_key_view key) const noexcept
{
    const auto& share = with_.settings.options.share;
    return share && !share->keeps(key);
}

void delta_processor::drop_foreign(replaced_list& list) const
{
    std::size_t kept = 0;
    std::size_t prepared = 0;
    for (std::size_t i = 0; i != list.items.size(); ++i) {
        if (is_foreign(list.items[i].key())) continue;
        if (i < list.prepared) ++prepared;
        if (kept != i) list.items[kept] = std::move(list.items[i]);
        ++kept;
    }
    list.items.resize(kept);
    list.prepared = prepared;
}

void delta_processor::keep_left_out(replaced_list& list) const
{
    list.items.reserve(list.items.size() + list.left_out.size());
    for (const auto& o : list.left_out) {
        object stored = with_.content->get(o.key);
        if (stored && (o.uid.empty() || stored.has_uid(o.uid))) list.items.push_back(std::move(stored));
    }
    list.left_out.clear();
}

void delta_processor::empty(informer_lane& l)
{
    l.set_version({});
    with_.content->replace(l.ns(), {}, false, begin_announcement(departure::kind_gone));
    announce();
    if (with_.follower) with_.follower->news.notify();
}

void delta_processor::take_out(const std::set<std::string>& left)
{
    announce(); // left over when an attempt failed
    std::vector<std::string> leaving(left.begin(), left.end());
    if (left.contains("")) leaving = with_.content->namespaces();
    std::erase_if(leaving, [this](const std::string& stored) {
        return with_.lanes.wants(stored) || with_.lanes.covering(stored) != nullptr;
    });
    with_.content->remove(leaving, begin_announcement(departure::namespace_left));
    hurry_.notify(); // its changes may have been those that fail
    announce();
}

asio::awaitable<result<>> delta_processor::sweep()
{
    announce(); // left over when an attempt failed
    std::vector<object_key> foreign;
    with_.content->visit({}, [&](const object& o) {
        if (is_foreign(o.key())) foreign.emplace_back(o.key());
    });
    for (std::size_t i = 0; i < foreign.size();) {
        std::vector<delta> gone;
        for (const auto end = std::min(foreign.size(), i + sweep_step); i != end; ++i)
            if (auto o = with_.content->get(foreign[i]); o && is_foreign(foreign[i]))
                gone.push_back({.type = delta_type::deleted, .obj = std::move(o)});
        std::size_t done = 0;
        with_.content->apply(gone, done, begin_announcement(departure::share_left));
        announce();
        co_await asio::post(asio::use_awaitable);
    }
    co_return result<>{};
}

void delta_processor::resync(std::uint64_t target)
{
    auto* const listener = with_.listeners.find(target);
    if (listener == nullptr) return;
    std::vector<notification<object>> again;
    for (const auto& o : with_.fifo.to_show(with_.content->list({}))) again.emplace_back(updated<object>{o, o});
    if (!again.empty()) listener->add_resync(again);
}

void delta_processor::pass_versions(std::span<const delta> deltas)
{
    std::size_t begin = 0;
    for (std::size_t i = 0; i < deltas.size(); ++i) {
        const delta& d = deltas[i];
        if (d.type != delta_type::version) continue;
        set_version(*with_.lanes.find(d.scope), d.resource_version, deltas.subspan(begin, i - begin));
        begin = i + 1;
    }
}

void delta_processor::set_version(informer_lane& l, const std::string& version, std::span<const delta> by)
{
    l.set_version(version);
    with_.content->versions()->reach(l.ns(), l.gate, version, by);
}

// ---- transforms

std::size_t delta_processor::transform(std::vector<delta>& batch, result<>& outcome)
{
    std::size_t done = 0;
    for (; done != batch.size(); ++done) {
        delta& d = batch[done];
        if (!is_change(d) || d.prepared) continue;
        outcome = transform(d.obj);
        if (!outcome) break;
        d.prepared = true;
    }
    return done;
}

result<> delta_processor::transform(replaced_list& list)
{
    for (const std::size_t begin = list.prepared; list.prepared != list.items.size(); ++list.prepared) {
        const auto outcome = transform(list.items[list.prepared]);
        if (outcome) continue;
        if (list.prepared != begin) backoff_.reset(); // another item than the last time
        return outcome;
    }
    return {};
}

result<> delta_processor::transform(object& o)
{
    object stored = with_.content->get(o.key());
    if (stored && same_version(stored, o)) {
        o = std::move(stored);
        return {};
    }
    auto made = with_.transformer.apply(o, with_.settings.time->now());
    if (!made) return made.error().because("the transform of " + to_string(o.key()));
    o = std::move(*made);
    return {};
}

// ---- announcements

std::vector<notification<object>>& delta_processor::begin_announcement(departure why)
{
    return unannounced_.emplace_back(announcement{with_.listeners.to_all(), why}).news;
}

/// An object that a list lacks may have left the share meanwhile.
void delta_processor::note_reason(deleted<object>& d, departure why) const
{
    const bool is_elsewhere = why == departure::deleted && is_foreign(d.obj.key());
    d.why = is_elsewhere ? departure::share_left : why;
    if (d.why == departure::share_left) d.final_state_unknown = true;
}

void delta_processor::announce()
{
    for (; !unannounced_.empty(); unannounced_.pop_front()) {
        auto& a = unannounced_.front();
        if (a.news.empty()) continue;
        for (auto& n : a.news)
            if (auto* d = std::get_if<deleted<object>>(&n)) note_reason(*d, a.why);
        trace("stored", a.news);
        with_.listeners.distribute(a.news, a.to);
        with_.waiters.tell(a.news);
        trace("distributed", a.news);
        for (const auto& n : a.news) announced_[n.index()].fetch_add(1, std::memory_order_relaxed);
        drop_all(a.news, [](const notification<object>& n) -> const object& { return object_of(n); });
    }
}

void delta_processor::trace(std::string_view station, const std::vector<notification<object>>& news) const
{
    if (!trace_.on()) return;
    for (const auto& n : news) trace_.pass(station, n);
}

void delta_processor::add_to(informer_stats& s) const
{
    s.pending = with_.fifo.size();
    s.processing_failures = failures_;
    s.added = announced_[0];
    s.updated = announced_[1];
    s.deleted = announced_[2];
}

} // namespace kubecoro::detail
