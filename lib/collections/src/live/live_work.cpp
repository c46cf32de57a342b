// The work of live_queries on its strand: from changes of inputs to what readers see.
#include "live/live_engine.hpp"

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

} // namespace

asio::awaitable<result<>> live_engine::feed(std::shared_ptr<live_engine> self, std::shared_ptr<live_table> t)
{
    auto& input = *t->input;
    for (;;) {
        auto changes = co_await input.stream.next();
        if (!changes) break;
        input.waiting = std::move(changes);
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
    if (!commands_.empty()) return true;
    return std::any_of(inputs_.begin(), inputs_.end(),
                       [](const auto& i) { return i.second->input->waiting.has_value(); });
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
            for (const auto& t : self->tables()) {
                if (!t->input || !t->input->waiting) continue;
                for (std::size_t next = 0; self->apply_some(*t, next);) co_await asio::post(asio::use_awaitable);
            }
            for (std::size_t most = elements_a_turn; self->graph_.run(most); most = elements_a_turn)
                co_await asio::post(asio::use_awaitable);
            self->show();
            co_await asio::post(asio::use_awaitable);
        }
    }
}

namespace {

/// Brings the objects of a first list nearly into the order of their keys, in which trees grow several times as fast.
void sort_roughly(std::vector<notification<object>>& events)
{
    struct place
    {
        std::string_view ns;
        std::uint64_t begin;
        std::size_t at;
    };
    const auto name_of = [&events](std::size_t i) { return object_of(std::as_const(events[i])).name(); };
    std::string_view same = name_of(0);
    for (std::size_t i = 1; i != events.size(); ++i) {
        const auto name = name_of(i);
        same =
            same.substr(0, static_cast<std::size_t>(
                               std::mismatch(same.begin(), same.end(), name.begin(), name.end()).first - same.begin()));
    }
    std::vector<place> places;
    places.reserve(events.size());
    for (std::size_t i = 0; i != events.size(); ++i) {
        std::uint64_t begin = 0;
        const auto rest = name_of(i).substr(same.size(), 8);
        for (std::size_t c = 0; c != 8; ++c)
            begin = begin << 8 | (c < rest.size() ? static_cast<unsigned char>(rest[c]) : 0U);
        places.push_back({object_of(std::as_const(events[i])).ns(), begin, i});
    }
    std::sort(places.begin(), places.end(), [](const place& a, const place& b) {
        if (a.ns != b.ns) return a.ns < b.ns;
        return a.begin != b.begin ? a.begin < b.begin : a.at < b.at;
    });
    std::vector<notification<object>> sorted;
    sorted.reserve(events.size());
    for (const auto& p : places) sorted.push_back(std::move(events[p.at]));
    events = std::move(sorted);
}

} // namespace

bool live_engine::apply_some(live_table& t, std::size_t& next)
{
    auto& changes = *t.input->waiting;
    if (next == 0 && changes.events.size() > elements_a_turn && !t.core->synced()) sort_roughly(changes.events);
    const auto end = std::min(changes.events.size(), next + elements_a_turn);
    for (; next != end; ++next) {
        const auto& n = changes.events[next];
        const object& o = object_of(n);
        auto now = std::holds_alternative<deleted<object>>(n) ? nullptr : std::make_shared<const object>(o);
        graph_.set(*t.core, to_string(o.key()), std::move(now));
        changes.events[next] = {};
    }
    if (next != changes.events.size()) return true;
    if (changes.synced && !t.core->synced()) graph_.set_synced(*t.core);
    t.applied_number = changes.number;
    t.input->waiting.reset();
    t.input->taken.notify();
    return false;
}

void live_engine::show()
{
    struct news_of
    {
        std::shared_ptr<live_table> of;
        std::vector<table_core::change> changes;
        table_content before;
        bool begins = false;
    };
    std::vector<news_of> all;
    for (const auto& t : tables())
        if (t->core->synced() && (!t->synced || t->core->changed()))
            all.push_back({.of = t, .changes = t->core->take_changes(), .before = {}, .begins = !t->synced});

    const auto every = tables();
    std::optional<latch> news;
    {
        const std::lock_guard lock(board_->mutex);
        bool is_news = false;
        for (auto& n : all) {
            n.before = std::exchange(n.of->shown, n.of->core->content());
            n.of->synced = true;
            is_news = is_news || n.begins;
            if (n.of->key_waits.empty()) continue;
            for (const auto& c : n.changes) {
                const auto [first, last] = n.of->key_waits.equal_range(c.of->key);
                for (auto w = first; w != last; ++w) w->second.notify();
            }
        }
        for (const auto& t : every) {
            if (t->input && t->input->shown_number != t->applied_number) {
                t->input->shown_number = t->applied_number;
                is_news = true;
            }
            is_news = note(*t, every) || is_news;
        }
        if (is_news) news = std::exchange(board_->news, latch());
    }
    if (news) news->settle({});
    for (auto& n : all) deliver(*n.of, n.changes, n.begins);
    report();
}

/// Notes the numbers of a collection for others. Returns whether it reads more than it did.
bool live_engine::note(live_table& t, const std::vector<std::shared_ptr<live_table>>& every)
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
    edges_ = graph_.edges();
    edge_bytes_ = graph_.edge_bytes();
    const auto& inputs = graph_.inputs_of(*t.core);
    if (inputs.size() == t.inputs.size()) return false;
    t.inputs.clear();
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
    const auto pause = std::max<duration>(self->options_.metrics_period, std::chrono::seconds{1});
    for (;;) {
        self->publish_metrics();
        KUBECORO_TRY(co_await sleep_for(*self->options_.time, pause));
    }
}

void live_engine::publish_metrics() { meter_.publish(stats()); }

} // namespace kubecoro::detail
