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

/// Brings the objects of a first list into the order of their keys, in which trees grow several times as fast. Nearly always the eight
/// letters decide that come after those that all keys begin with.
void sort(std::vector<live_input::change>& changes)
{
    std::string_view same = changes.front().of->key();
    for (const auto& c : changes) {
        const auto key = c.of->key();
        const auto end = std::mismatch(same.begin(), same.end(), key.begin(), key.end()).first;
        same = same.substr(0, static_cast<std::size_t>(end - same.begin()));
    }
    std::vector<std::pair<std::uint64_t, std::size_t>> places;
    places.reserve(changes.size());
    for (const auto& c : changes) {
        const auto key = c.of->key();
        std::uint64_t begin = 0;
        for (auto i = same.size(); i != same.size() + 8; ++i)
            begin = begin << 8 | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0U);
        places.emplace_back(begin, places.size());
    }
    std::sort(places.begin(), places.end(), [&changes](const auto& a, const auto& b) {
        if (a.first != b.first) return a.first < b.first;
        const auto order = by_key::compare(changes[a.second].of, changes[b.second].of);
        return order == 0 ? a.second < b.second : order < 0;
    });
    std::vector<live_input::change> sorted;
    sorted.reserve(changes.size());
    for (const auto& [begin, at] : places) sorted.push_back(std::move(changes[at]));
    changes = std::move(sorted);
}

} // namespace

bool live_engine::apply_some(live_table& t, std::size_t& next)
{
    auto& input = *t.input;
    auto& events = input.waiting->events;
    auto& made = input.changes;
    const auto count = events.size();
    made.reserve(count);
    if (next == 0 && !t.core->synced()) t.core->reserve(count);
    auto most = elements_a_turn;
    // First the rows, for which objects are read in the order in which they came.
    for (; made.size() != count && most != 0; --most) {
        const auto i = made.size();
        if (i + objects_ahead < count) prefetch_object(object_of(std::as_const(events[i + objects_ahead])).identity());
        const bool gone = std::holds_alternative<deleted<object>>(events[i]);
        const object& o = object_of(std::as_const(events[i]));
        auto& of = t.core->row_of(to_string(o.key()));
        made.push_back({&of, gone ? live_item() : live_item(o)});
        events[i] = {};
        if (made.size() == count && count > elements_a_turn && !t.core->synced()) sort(made);
    }
    for (; next != count && most != 0; ++next, --most) {
        if (next + objects_ahead < count) prefetch_object(made[next + objects_ahead].now.identity());
        graph_.set(*t.core, *made[next].of, std::move(made[next].now));
    }
    if (next != count) return true;
    made.clear();
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
                const auto [first, last] = n.of->key_waits.equal_range(c.of->key());
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
    for (const auto& n : all) {
        std::erase_if(n.of->queues, [](const auto& q) { return q->over(); });
        for (const auto& q : n.of->queues)
            if (n.begins)
                q->begin(n.of->shown);
            else if (!n.changes.empty())
                q->add(n.changes);
    }
    report();
}

/// Notes the numbers of a collection for others. Returns whether it reads more than it did.
bool live_engine::note(live_table& t)
{
    t.numbers = graph_.stats(*t.core);
    t.numbers.elements = t.shown.rows.size();
    t.numbers.index_failures = t.core->index_failures();
    t.stale = graph_.stale(*t.core);
    const auto& inputs = graph_.inputs_of(*t.core);
    if (inputs.size() == t.inputs.size()) return false;
    t.inputs.clear();
    const auto every = tables(); // an input that was just found is not in the graph yet
    for (const auto i : inputs) t.inputs.push_back(every[i]);
    return true;
}

void live_engine::report()
{
    for (const auto& r : graph_.take_reports())
        if (failures_shown_.pass(log_, options_.time->now()))
            log_.error("a result could not be computed; the last one is kept",
                       {{"collection", r.collection}, {"key", r.key}, {"failure", r.why.describe()}});
}

// ---- metrics

live_meter::series live_meter::make(const std::string& collection) const
{
    const metric_labels of{{"collection", collection}};
    return {.elements = sink_->make_gauge("kubecoro_collection_elements", of),
            .waiting = sink_->make_gauge("kubecoro_collection_waiting", of),
            .stale = sink_->make_gauge("kubecoro_collection_stale", of),
            .synced = sink_->make_gauge("kubecoro_collection_synced", of),
            .computed = sink_->make_counter("kubecoro_collection_computations_total", of),
            .failed = sink_->make_counter("kubecoro_collection_failures_total", of),
            .equal = sink_->make_counter("kubecoro_collection_equal_total", of),
            .took = sink_->make_counter("kubecoro_collection_seconds_total", of)};
}

void live_meter::publish(const live_queries_stats& s)
{
    if (!edges_) edges_ = sink_->make_gauge("kubecoro_collection_edges");
    edges_->set(static_cast<double>(s.edges));
    for (const auto& now : s.collections) {
        auto at = of_.find(now.name);
        if (at == of_.end()) at = of_.emplace(now.name, make(now.name)).first;
        auto& [name, to] = *at;
        to.elements->set(static_cast<double>(now.elements));
        to.waiting->set(static_cast<double>(now.waiting));
        to.stale->set(static_cast<double>(now.stale));
        to.synced->set(now.synced ? 1 : 0);
        to.computed->add(static_cast<double>(now.computed - to.counted.computed));
        to.failed->add(static_cast<double>(now.failed - to.counted.failed));
        to.equal->add(static_cast<double>(now.equal - to.counted.equal));
        to.took->add(std::chrono::duration<double>(now.took - to.counted.took).count());
        to.counted = now;
    }
}

asio::awaitable<result<>> live_engine::measure(std::shared_ptr<live_engine> self)
{
    constexpr duration pause = std::chrono::seconds{5};
    for (;;) {
        self->meter_.publish(self->stats());
        KUBECORO_TRY(co_await sleep_for(*self->options_.time, pause));
    }
}

} // namespace kubecoro::detail
