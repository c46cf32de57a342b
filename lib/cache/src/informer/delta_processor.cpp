#include "informer/delta_processor.hpp"

#include <kubecoro/api/detail/kept_object.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/timeout.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <compare>
#include <optional>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Pauses before a batch is processed again. Short at first: most failures are transforms that throw once.
constexpr backoff_policy processing_backoff{
    .initial = std::chrono::milliseconds{100}, .factor = 2.0, .cap = std::chrono::seconds{30}, .jitter = 0.5};

/// Number of objects renewed at a time: a few hundred microseconds.
constexpr std::size_t renewal_step = 32;

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
    const struct visit
    {
        delta_processor& of;
        ~visit()
        {
            of.now_ = {};
            if (std::exchange(of.has_turn_, false)) of.with_.turns.give_back();
        }
    } here{*this};
    for (;;) {
        if (!with_.sync.synced()) with_.sync.settle(with_.fifo.synced(), with_.content->size());
        if (with_.content->wants_renewal()) renewal_.notify();
        std::optional<failure> refused; // by a transform
        const auto popped = co_await with_.fifo.pop([&](std::vector<delta>& batch) {
            auto processed = process(batch);
            if (!processed) refused = processed.error();
            return processed;
        });
        if (popped) {
            backoff_.reset();
            continue;
        }
        if (!refused) co_return popped;
        const bool more = std::exchange(unfinished_, false);
        if (const auto paused = co_await (more ? next_turn() : pause(*refused)); !paused) co_return paused;
    }
}

/// The next turn of this batch, or the first one after other work.
asio::awaitable<result<>> delta_processor::next_turn()
{
    if (has_turn_) {
        co_await asio::post(asio::use_awaitable);
        co_return result<>{};
    }
    if (const auto taken = co_await with_.turns.take(); !taken) co_return taken;
    // Not kept: the batch may have lost its namespace meanwhile, and then the FIFO waits for another one.
    with_.turns.give_back();
    is_next_ = true;
    co_return result<>{};
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
    tell_user(s.options.on_failure, why.because("changes of " + s.resource.display_name() + " could not be processed"));
    co_await race(sleep_for(*s.time, delay), hurry_.wait());
    co_return result<>{}; // a cancellation shows at the next pop
}

asio::awaitable<result<>> delta_processor::renew()
{
    for (;;) {
        if (const auto woken = co_await renewal_.wait(); !woken) co_return woken;
        for (bool more = true; more;) {
            if (const auto taken = co_await with_.turns.take(); !taken) co_return taken;
            const turn_end end(with_.turns);
            more = with_.content->renew(renewal_step);
            if (more) co_await asio::post(asio::use_awaitable);
        }
    }
}

// ---- a batch

/// A failure of a batch that needs a further turn keeps it in the FIFO, as any failure does.
result<> delta_processor::process(std::vector<delta>& batch)
{
    KUBECORO_EXPECT(runs_on(with_.settings.strand));
    has_turn_ = has_turn_ || with_.turns.try_take(std::exchange(is_next_, false));
    unfinished_ = true;
    if (!has_turn_) return failure(cond::retry_later, "other work is in progress");
    struct turn
    {
        delta_processor& of;
        std::vector<delta>& batch;
        bool more = false;
        ~turn()
        {
            if (more) return;
            of.unfinished_ = false;
            // Applied twice, an addition and its deletion would be announced twice.
            if (of.now_.applied) {
                const auto applied = batch.begin() + static_cast<std::ptrdiff_t>(*of.now_.applied);
                batch.erase(std::remove_if(batch.begin(), applied, is_change), applied);
            }
            of.now_ = {};
            of.has_turn_ = false;
            of.with_.turns.give_back();
        }
    } now{*this, batch};
    std::size_t most = objects_a_turn;
    const auto done = process_some(batch, most);
    if (!done) return done.error();
    now.more = !*done;
    if (now.more) return failure(cond::retry_later, "more turns are needed");
    return {};
}

result<bool> delta_processor::process_some(std::vector<delta>& batch, std::size_t& most)
{
    if (!announce(most)) return false; // events of this batch, or those that a failed attempt left
    const delta& first = batch.front();
    switch (first.type) {
    case delta_type::sync_all:
        return resync(first.target, most);
    case delta_type::vanished:
        return empty(*with_.lanes.find(first.scope), most);
    case delta_type::replaced_all:
        return replace(first, most);
    default:
        return apply(batch, most);
    }
}

result<bool> delta_processor::apply(std::vector<delta>& batch, std::size_t& most)
{
    if (!now_.applied) {
        // Decoded before they left the share.
        if (with_.follower)
            std::erase_if(batch, [this](const delta& d) { return is_state(d) && is_foreign(d.obj.key()); });
        if (batch.empty()) return true;
        const std::size_t ready = with_.transformer ? transform(batch, now_.outcome) : batch.size();
        if (ready == 0) return now_.outcome.error();
        apply_first(batch, ready);
    }
    if (!announce(most)) return false;
    const std::size_t ready = *now_.applied;
    pass_versions(std::span<const delta>(batch).first(ready));
    now_.applied.reset();
    backoff_.reset(); // the next failure is another one
    if (now_.outcome) return true;
    for (const auto& d : std::span<const delta>(batch).first(ready)) note_unmarked(d);
    batch.erase(batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(ready));
    return now_.outcome.error();
}

/// Its version may be beyond those that were passed.
void delta_processor::note_unmarked(const delta& d)
{
    if (!d.obj || !is_comparable_version(d.obj.resource_version())) return;
    if (newest_unmarked_.empty() || std::is_lt(compare_versions(newest_unmarked_, d.obj.resource_version())))
        newest_unmarked_ = d.obj.resource_version();
}

void delta_processor::apply_first(std::vector<delta>& batch, std::size_t count)
{
    now_.applied = 0; // grows with what is applied, also before an exception
    with_.content->apply(std::span<const delta>(batch).first(count), *now_.applied, begin_announcement());
}

bool delta_processor::is_foreign(object_key_view key) const noexcept
{
    const auto& share = with_.settings.options.share;
    return share && !share->keeps(key);
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
    if (!newest_unmarked_.empty() && is_at_least(version, newest_unmarked_)) newest_unmarked_.clear();
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

bool delta_processor::announce(std::size_t& most)
{
    for (; !unannounced_.empty(); unannounced_.pop_front()) {
        auto& a = unannounced_.front();
        while (a.at != a.news.size()) {
            if (a.begun == a.at) begin(a);
            const auto some = std::span<const notification<object>>(a.news).subspan(a.at, a.begun - a.at);
            if (!with_.listeners.distribute(some, a.to, most)) return false;
            end(a);
        }
        with_.listeners.end_change();
    }
    return true;
}

/// Makes the next notifications ready for distribution.
void delta_processor::begin(announcement& a)
{
    a.begun += std::min(objects_a_turn, a.news.size() - a.at);
    const auto some = std::span(a.news).subspan(a.at, a.begun - a.at);
    for (auto& n : some)
        if (auto* d = std::get_if<deleted<object>>(&n)) note_reason(*d, a.why);
    trace("stored", some);
}

/// They are distributed.
void delta_processor::end(announcement& a)
{
    const auto some = std::span(a.news).subspan(a.at, a.begun - a.at);
    with_.waiters.tell(some);
    trace("distributed", some);
    for (std::size_t i = 0; i != some.size(); ++i) {
        if (i + ahead < some.size()) prefetch_object(object_of(some[i + ahead]).identity());
        announced_[some[i].index()].fetch_add(1, std::memory_order_relaxed);
        some[i] = {};
    }
    a.at = a.begun;
    a.to.done = 0;
}

void delta_processor::trace(std::string_view station, std::span<const notification<object>> news) const
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
