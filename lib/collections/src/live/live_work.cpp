// The work of live_queries on its strand: from changes of inputs to what readers see.
#include "live/live_engine.hpp"

#include <kubecoro/api/detail/kept_object.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/try.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Number of elements that a turn may handle: a few hundred microseconds, unless functions of the user are slow.
constexpr std::size_t elements_a_turn = 512;
/// Objects whose memory is asked for before it is read.
constexpr std::size_t objects_ahead = 8;

} // namespace

asio::awaitable<result<>> live_engine::feed(std::shared_ptr<live_engine> self, std::shared_ptr<live_table> t)
{
    auto& input = *t->input;
    for (;;) {
        auto changes = co_await input.stream.next();
        if (!changes) break;
        input.waiting = std::move(changes);
        self->ready_.push_back(t);
        self->wake_.notify();
        KUBECORO_TRY(co_await input.taken.wait());
    }
    latch news;
    {
        const std::lock_guard lock(self->board_->mutex);
        input.ended = input.stream.end_reason().error();
        news = std::exchange(self->board_->news, latch());
    }
    news.settle({});
    co_return result<>{};
}

bool live_engine::has_work()
{
    const std::lock_guard lock(mutex_);
    return !commands_.empty() || !ready_.empty();
}

std::deque<std::function<void()>> live_engine::take_commands()
{
    const std::lock_guard lock(mutex_);
    return std::exchange(commands_, {});
}

asio::awaitable<result<>> live_engine::work(std::shared_ptr<live_engine> self)
{
    for (;;) {
        KUBECORO_TRY(co_await self->wake_.wait());
        while (self->has_work()) {
            for (auto& f : self->take_commands()) f();
            for (const auto& t : std::exchange(self->ready_, {}))
                for (std::size_t next = 0; self->apply_some(*t, next);) co_await asio::post(asio::use_awaitable);
            for (std::size_t most = elements_a_turn; self->graph_.run(most); most = elements_a_turn)
                co_await asio::post(asio::use_awaitable);
            self->show();
            co_await asio::post(asio::use_awaitable);
        }
    }
}

namespace {

/// Brings the objects of a first list nearly into the order of their keys, in which trees grow several times as fast: by the eight
/// letters after those that all keys begin with.
void sort_roughly(std::vector<live_input::change>& changes)
{
    struct place
    {
        std::uint64_t begin;
        std::size_t at;
    };
    std::string_view same = changes.front().key;
    for (const auto& c : changes)
        same = same.substr(
            0, static_cast<std::size_t>(std::mismatch(same.begin(), same.end(), c.key.begin(), c.key.end()).first -
                                        same.begin()));
    std::vector<place> places;
    places.reserve(changes.size());
    for (const auto& c : changes) {
        std::uint64_t begin = 0;
        for (auto i = same.size(); i != same.size() + 8; ++i)
            begin = begin << 8 | (i < c.key.size() ? static_cast<unsigned char>(c.key[i]) : 0U);
        places.push_back({begin, places.size()});
    }
    std::sort(places.begin(), places.end(),
              [](const place& a, const place& b) { return a.begin != b.begin ? a.begin < b.begin : a.at < b.at; });
    std::vector<live_input::change> sorted;
    sorted.reserve(changes.size());
    for (const auto& p : places) sorted.push_back(std::move(changes[p.at]));
    changes = std::move(sorted);
}

} // namespace

bool live_engine::apply_some(live_table& t, std::size_t& next)
{
    auto& input = *t.input;
    auto& events = input.waiting->events;
    const auto count = events.size();
    input.changes.reserve(count);
    if (next == 0 && !t.core->synced()) t.core->reserve(count);
    auto most = elements_a_turn;
    // First the keys, for which objects are read in the order in which they came.
    for (auto& made = input.changes; made.size() != count && most != 0; --most) {
        const auto i = made.size();
        if (i + objects_ahead < count) prefetch_object(object_of(std::as_const(events[i + objects_ahead])).identity());
        const object& o = object_of(std::as_const(events[i]));
        made.push_back({to_string(o.key()), std::holds_alternative<deleted<object>>(events[i])
                                                ? nullptr
                                                : std::make_shared<const object>(o)});
        events[i] = {};
        if (made.size() == count && count > elements_a_turn && !t.core->synced()) sort_roughly(made);
    }
    for (; next != count && most != 0; ++next, --most) {
        auto& c = input.changes[next];
        graph_.set(*t.core, c.key, std::move(c.now));
    }
    if (next != count) return true;
    input.changes.clear();
    if (input.waiting->synced && !t.core->synced()) graph_.set_synced(*t.core);
    graph_.end_changes(*t.core);
    t.applied_number = input.waiting->number;
    input.waiting.reset();
    input.taken.notify();
    return false;
}

void live_engine::show()
{
    struct news_of
    {
        std::shared_ptr<live_table> of;
        std::vector<table_core::change> changes;
        bool begins = false;
        /// Then the former one, which ends without the lock.
        table_content content;
    };
    auto touched = graph_.take_touched();
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    std::vector<news_of> all;
    for (const auto number : touched) {
        const auto& t = in_graph_[number];
        if (t->core->synced() && (!t->synced || t->core->changed()))
            all.push_back(
                {.of = t, .changes = t->core->take_changes(), .begins = !t->synced, .content = t->core->content()});
    }

    std::optional<latch> news;
    {
        const std::lock_guard lock(board_->mutex);
        bool is_news = false;
        for (auto& n : all) {
            std::swap(n.of->shown, n.content);
            n.of->synced = true;
            is_news = is_news || n.begins;
            if (n.begins)
                for (const auto& [key, wake] : n.of->key_waits) wake.notify();
            if (n.of->key_waits.empty()) continue;
            for (const auto& c : n.changes) {
                const auto [first, last] = n.of->key_waits.equal_range(c.of->key);
                for (auto w = first; w != last; ++w) w->second.notify();
            }
        }
        for (const auto number : touched) {
            const auto& t = in_graph_[number];
            if (t->input && t->input->shown_number != t->applied_number) {
                t->input->shown_number = t->applied_number;
                is_news = true;
            }
            is_news = note(*t) || is_news;
        }
        edges_ = graph_.edges();
        edge_bytes_ = graph_.edge_bytes();
        if (is_news) news = std::exchange(board_->news, latch());
    }
    if (news) news->settle({});
    for (auto& n : all) deliver(*n.of, n.changes, n.begins);
    report();
}

/// Notes the numbers of a collection for others. Returns whether it reads more than it did.
bool live_engine::note(live_table& t)
{
    const auto s = graph_.stats(*t.core);
    auto& n = t.numbers;
    n.elements = t.shown.rows.size();
    n.waiting = s.waiting;
    n.computed = s.computed;
    n.failed = s.failed;
    n.equal = s.equal;
    n.took = s.took;
    n.index_failures = t.core->index_failures();
    n.stale = graph_.stale(*t.core).size();
    if (s.stale_changes != t.seen_stale_changes) {
        t.seen_stale_changes = s.stale_changes;
        t.stale = std::make_shared<const stale_keys>(graph_.stale(*t.core));
    }
    const auto& inputs = graph_.inputs_of(*t.core);
    if (inputs.size() == t.inputs.size()) return false;
    t.inputs.clear();
    const auto every = tables(); // an input that was just found is not in the graph yet
    for (const auto i : inputs) t.inputs.push_back(every[i]);
    return true;
}

void live_engine::deliver(live_table& t, const std::vector<table_core::change>& changes, bool begins)
{
    std::erase_if(t.queues, [](const auto& q) { return q->over(); });
    for (const auto& q : t.queues)
        if (begins)
            q->begin(t.shown);
        else if (!changes.empty())
            q->add(changes);
}

void live_engine::report()
{
    for (const auto& r : graph_.take_reports())
        if (failures_shown_.pass(log_, options_.time->now()))
            log_.error("a result could not be computed; the last one is kept",
                       {{"collection", r.collection}, {"key", r.key}, {"failure", r.why.describe()}});
}

asio::awaitable<result<>> live_engine::measure(std::shared_ptr<live_engine> self)
{
    constexpr duration pause = std::chrono::seconds{5};
    for (;;) {
        self->publish_metrics();
        KUBECORO_TRY(co_await sleep_for(*self->options_.time, pause));
    }
}

void live_engine::publish_metrics() { meter_.publish(stats()); }

} // namespace kubecoro::detail
