// Delays keys until the sources show what their last run wrote.
#include "controller/source_mark.hpp"

#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/timeout.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// True when the object itself has reached the version; its namespace as a whole may still be behind.
bool has_shown(const lister<object>& content, const noted_write& w)
{
    const auto stored = content.get(w.key);
    return (stored && is_at_least(stored.resource_version(), w.version)) || content.reached(w.version, w.key.ns);
}

/// The writes of a run: those that its client noted, and those that the run has named.
std::vector<noted_write> all_writes(const reconcile_context& context, write_notes* notes)
{
    auto all = notes ? notes->take() : std::vector<noted_write>();
    for (const auto& w : context.writes())
        all.push_back(
            {.group = w.group, .kind = w.kind, .key = w.key, .version = w.resource_version, .removed_uid = {}});
    return all;
}

} // namespace

/// Watches one place of own_writes; when the watching coroutine ends for any reason, the place is given up and its keys
/// are released.
class controller_engine::write_watch
{
public:
    write_watch(std::shared_ptr<source_mark> mark, own_writes::place place)
        : mark_(std::move(mark)), place_(std::move(place))
    {
    }
    write_watch(const write_watch&) = delete;
    write_watch& operator=(const write_watch&) = delete;
    ~write_watch()
    {
        try {
            engine().own_writes_.give_up(place_.where.id);
        } catch (...) { // the rest is released when its time is over
        }
        (void)engine().requeue();
    }

    [[nodiscard]] controller_engine& engine() noexcept { return mark_->engine(); }
    [[nodiscard]] controller_source& source() noexcept { return mark_->source(); }
    [[nodiscard]] const boost::asio::any_io_executor& strand() const noexcept { return mark_->strand(); }
    [[nodiscard]] const own_writes::place& place() const noexcept { return place_; }

private:
    std::shared_ptr<source_mark> mark_;
    own_writes::place place_;
};

void controller_engine::show_writes_of(const noted_write& w)
{
    if (!options_.own_writes_shown_by) return;
    {
        std::lock_guard lock(mutex_);
        const auto shows = [&w](const auto& s) { return s->covers(w.group, w.kind); };
        if (std::any_of(sources_.begin(), sources_.end(), shows) || shown_.contains({w.group, w.kind})) return;
    }
    const auto informer = options_.own_writes_shown_by(w.group, w.kind);
    if (!informer) return;
    {
        std::lock_guard lock(mutex_);
        if (!shown_.emplace(w.group, w.kind).second) return;
    }
    const source_options named{.name = informer->resource().display_name() + ", for own writes"};
    const auto source = std::make_shared<controller_source>(
        *informer, [](const auto&, key_sink) {}, named);
    source->queues_keys = false;
    add(source);
}

void controller_engine::remember_writes(object_key_view key, const reconcile_context& context, write_notes* notes)
{
    const auto written = all_writes(context, notes);
    if (written.empty() || options_.own_write_wait == duration::zero()) return;
    for (const auto& w : written) show_writes_of(w);
    std::vector<std::shared_ptr<controller_source>> all;
    {
        std::lock_guard lock(mutex_);
        all = sources_;
    }
    // Sources held here cannot end before their watch begins.
    std::map<std::uint32_t, std::shared_ptr<source_mark>> marks;
    std::vector<own_writes_core::write> writes;
    std::vector<own_writes_core::removal> removals;
    for (const auto& s : all) {
        const auto mark = std::static_pointer_cast<source_mark>(s->presence());
        if (!mark) continue;
        for (const auto& w : written) {
            if (!s->covers(w.group, w.kind)) continue;
            marks.emplace(s->id, mark);
            if (!w.removed_uid.empty())
                removals.push_back({.source = s->id, .key = w.key, .uid = w.removed_uid, .entirely = w.was_marked});
            else if (!has_shown(s->informer.lister(), w))
                writes.push_back({.source = s->id, .ns = w.key.ns, .version = w.version});
        }
    }
    if (writes.empty() && removals.empty()) return;
    const auto added = own_writes_.add(key, writes, removals, time_after(time_->now(), options_.own_write_wait));
    if (added.first) news_.notify(); // the supervisor handles expiry
    // Afterwards, because the store changes before the source gets its event.
    for (const auto& r : removals) look_for_removal(marks.at(r.source)->source(), r.key);
    for (const auto& place : added.places) {
        auto watch = std::make_unique<write_watch>(marks.at(place.where.source), place);
        auto name = "own writes in " + watch->source().options.name;
        const auto strand = watch->strand();
        following_.spawn(std::move(name), strand, watch_writes(std::move(watch)));
    }
}

asio::awaitable<result<>> controller_engine::watch_writes(std::unique_ptr<write_watch> watch)
{
    auto& self = watch->engine();
    auto& source = watch->source();
    const auto& place = watch->place().where;
    const auto content = source.informer.lister();
    while (!source.leaving.settled()) {
        const auto next = self.own_writes_.next(place.id);
        if (!next) break;
        if (!content.reached(*next, place.ns)) {
            const bool answered = co_await race(content.wait_until(*next, place.ns), watch->place().changed.wait());
            const bool in_vain = answered && !content.reached(*next, place.ns);
            if (in_vain) break; // the source does not watch that namespace, or has ended
            if (!answered) continue;
            // The events up to that version become keys first, so that they and the waiting key share one run.
            co_await asio::post(asio::use_awaitable);
        }
        self.own_writes_.reached(place.id, *next);
        (void)self.requeue();
    }
    co_return result<>{};
}

void controller_engine::look_for_removal(const controller_source& source, object_key_view key)
{
    if (!own_writes_.awaits_removal(source.id, key)) return;
    const auto stored = source.informer.lister().get(key);
    if (stored)
        own_writes_.shows(source.id, key, stored.uid(), stored.being_deleted());
    else
        own_writes_.shows(source.id, key, {}, false);
    (void)requeue();
}

/// Called in destructors. @return false after an exception: the supervisor queues the rest, or ends the controller.
bool controller_engine::requeue() noexcept
{
    auto keys = own_writes_.take_released();
    std::size_t queued = 0;
    try {
        for (; queued != keys.size(); ++queued) // no event, which has to be quiet
            queue_.add_after(keys[queued].key, duration::zero(), keys[queued].priority);
        return true;
    } catch (...) {
        keys.erase(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(queued));
        own_writes_.put_back(std::move(keys));
        news_.notify();
        return false;
    }
}

} // namespace kubecoro::detail
