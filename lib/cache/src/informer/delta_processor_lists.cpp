// Batches that concern any number of objects: lists, removals and resyncs. They go on in turns.
#include "informer/delta_processor.hpp"

#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/expect.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Number of objects removed at a time that have left the share.
constexpr std::size_t sweep_step = 256;

} // namespace

result<bool> delta_processor::replace(const delta& list, std::size_t& most)
{
    informer_lane& l = *with_.lanes.find(list.scope);
    if (!now_.over) {
        // Before the store is filled: a handler's gate must not report a failure that is over.
        if (!std::exchange(now_.begun, true)) with_.sync.listed(l);
        if (!now_.change) {
            if (with_.follower && !now_.sifted && !drop_foreign(*list.all, most)) return false;
            now_.sifted = true;
            if (with_.transformer && !now_.transformed)
                if (const auto all = transform(*list.all, most); !all || !*all) return all;
            now_.transformed = true;
            if (!keep_left_out(*list.all, most)) return false;
            now_.change = std::make_unique<list_change>(*with_.content, l.ns(), list.all->items, list.all->initial);
        }
        if (!make(*now_.change, now_.made, departure::deleted, most)) return false;
        if (with_.settings.options.check_consistency && !check(l, list.resource_version, most)) return false;
        set_version(l, list.resource_version, {});
        with_.sync.stored(l, *with_.content);
        note_stored(l);
        now_.over = true;
    }
    return !now_.change->let_go(most);
}

bool delta_processor::make(list_change& change, bool& made, departure why, std::size_t& most)
{
    while (!made) {
        if (change.prepare(most)) return false;
        made = change.make(begin_announcement(why));
    }
    return announce(most);
}

bool delta_processor::check(informer_lane& l, const std::string& version, std::size_t& most)
{
    if (!now_.walk) now_.walk = std::make_unique<store_walk>(*with_.content, l.ns());
    if (now_.walk->some(most, [this](const object& o) { now_.kept.emplace_back(o); })) return false;
    now_.walk.reset();
    with_.checker.ask(l.ns(), version, std::move(now_.kept));
    return true;
}

void delta_processor::note_stored(informer_lane& l) const
{
    l.note_stored();
    if (with_.follower) with_.follower->news.notify();
}

bool delta_processor::drop_foreign(delta::replaced_list& list, std::size_t& most)
{
    auto& items = list.items;
    for (; most != 0 && now_.looked_at != items.size(); ++now_.looked_at, --most) {
        if (is_foreign(items[now_.looked_at].key())) continue;
        if (now_.looked_at < list.prepared) ++now_.prepared;
        std::swap(items[now_.ours++], items[now_.looked_at]);
    }
    if (most == 0) return false;
    list.prepared = std::min(list.prepared, now_.prepared);
    for (; most != 0 && items.size() != now_.ours; --most) items.pop_back();
    now_.looked_at = items.size();
    return items.size() == now_.ours;
}

result<bool> delta_processor::transform(delta::replaced_list& list, std::size_t& most)
{
    for (; most != 0 && list.prepared != list.items.size(); ++list.prepared, --most) {
        const auto outcome = transform(list.items[list.prepared]);
        if (!outcome) return outcome.error();
        backoff_.reset(); // the next failure is another one
    }
    return list.prepared == list.items.size();
}

bool delta_processor::keep_left_out(delta::replaced_list& list, std::size_t& most) const
{
    for (; most != 0 && !list.left_out.empty(); --most) {
        const auto& o = list.left_out.back();
        object stored = with_.content->get(o.key);
        if (stored && (o.uid.empty() || stored.has_uid(o.uid))) list.items.push_back(std::move(stored));
        list.left_out.pop_back();
    }
    return list.left_out.empty();
}

bool delta_processor::empty(informer_lane& l, std::size_t& most)
{
    if (!now_.change) {
        l.set_version({});
        now_.change = std::make_unique<list_change>(*with_.content, l.ns(), no_items_, false);
    }
    if (!now_.over) {
        if (!make(*now_.change, now_.made, departure::kind_gone, most)) return false;
        if (with_.follower) with_.follower->news.notify();
        now_.over = true;
    }
    return !now_.change->let_go(most);
}

std::function<bool()> delta_processor::take_out(const std::vector<std::string>& left)
{
    KUBECORO_EXPECT(runs_on(with_.settings.strand));
    auto leaving = left;
    if (std::find(left.begin(), left.end(), "") != left.end()) leaving = with_.content->namespaces();
    std::erase_if(leaving, [this](const std::string& stored) {
        return with_.lanes.wants(stored) || with_.lanes.covering(stored) != nullptr;
    });
    const auto change = std::make_shared<list_change>(*with_.content, leaving);
    return [this, change, made = false]() mutable {
        std::size_t most = objects_a_turn;
        if (!announce(most)) return true; // left over when an attempt failed
        if (!make(*change, made, departure::namespace_left, most)) return true;
        hurry_.notify(); // its changes may have been those that fail
        return change->let_go(most);
    };
}

asio::awaitable<result<>> delta_processor::sweep()
{
    std::vector<object_key> foreign;
    {
        if (const auto taken = co_await with_.turns.take(); !taken) co_return taken;
        const turn_end end(with_.turns);
        store_walk all(*with_.content, std::string_view());
        for (bool more = true; more;) {
            std::size_t most = objects_a_turn;
            more = all.some(most, [&](const object& o) {
                if (is_foreign(o.key())) foreign.emplace_back(o.key());
            });
            if (more) co_await asio::post(asio::use_awaitable);
        }
    }
    for (std::size_t i = 0; i < foreign.size();) {
        if (const auto taken = co_await with_.turns.take(); !taken) co_return taken;
        const turn_end end(with_.turns);
        std::vector<delta> gone;
        for (const auto next = std::min(foreign.size(), i + sweep_step); i != next; ++i)
            if (auto o = with_.content->get(foreign[i]); o && is_foreign(foreign[i]))
                gone.push_back({.type = delta_type::deleted, .obj = std::move(o)});
        std::size_t done = 0;
        with_.content->apply(gone, done, begin_announcement(departure::share_left));
        for (std::size_t most = objects_a_turn; !announce(most); most = objects_a_turn)
            co_await asio::post(asio::use_awaitable);
        co_await asio::post(asio::use_awaitable);
    }
    co_return result<>{};
}

bool delta_processor::resync(std::uint64_t target, std::size_t& most)
{
    auto* const listener = with_.listeners.find(target);
    if (listener == nullptr || listener->over()) return true;
    if (!now_.walk) {
        if (!listener->takes_resync()) return true;
        now_.walk = std::make_unique<store_walk>(*with_.content, std::string_view());
    }
    if (!listener->index_some(most)) return false;
    std::vector<object> some;
    some.reserve(std::min(most, with_.content->size()));
    const bool more = now_.walk->some(most, [&some](const object& o) { some.push_back(o); });
    std::vector<notification<object>> again;
    again.reserve(some.size());
    for (const auto& o : with_.fifo.to_show(std::move(some))) again.emplace_back(updated<object>{o, o});
    if (!again.empty()) listener->add(again);
    return !more;
}

} // namespace kubecoro::detail
