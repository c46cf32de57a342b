// Performs the steps of a member: requests, assignments, and the watch of its group.
#include "election/lease_watch.hpp"
#include "election/request_mark.hpp"
#include "shards/shard_engine.hpp"
#include "shards/shard_lease.hpp"

#include <kubecoro/api/edit.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/wait_for_news.hpp>
#include <kubecoro/base/timeout.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <utility>

namespace asio = boost::asio;
namespace step = kubecoro::detail::shard_step;

namespace kubecoro::detail {
namespace {

std::string selector_of(const std::string& group) { return std::string(group_label) + '=' + group; }

} // namespace

asio::awaitable<result<>> shard_engine::drive(shard_engine& self, membership& m)
{
    for (;;) {
        const auto cancel_at = self.look_after_runs(m);
        const auto list_at = self.share_->list_if_due(self.time_->now());
        self.report(m);
        const auto next = [&] {
            std::lock_guard lock(self.mutex_);
            return m.core.next(self.time_->now());
        }();
        if (const auto* w = std::get_if<step::wait>(&next)) {
            auto until = w->until;
            for (const auto& at : {cancel_at, list_at})
                if (at) until = std::min(until.value_or(*at), *at);
            co_await wait_for_news(self.share_->news, *self.time_, until);
        } else if (std::holds_alternative<step::finish>(next)) {
            self.finish(m);
            co_return result<>{};
        } else if (const auto* a = std::get_if<step::assign>(&next)) {
            self.assign(m, *a);
        } else {
            self.ask(m, next);
        }
    }
}

void shard_engine::assign(membership& m, const step::assign& step)
{
    share_->assign(step.share, time_after(time_->now(), step.patience));
    m.draining = step.epoch;
}

/// Cancels runs that have had their time, and reports when none is left. @return when runs are to be cancelled.
std::optional<time_point> shard_engine::look_after_runs(membership& m)
{
    if (!m.draining) return std::nullopt;
    if (share_->outside() == 0) {
        share_->drained();
        std::lock_guard lock(mutex_);
        m.core.drained(*m.draining);
        m.draining.reset();
        ++moves_;
        return std::nullopt;
    }
    const auto overdue = share_->cancel_overdue(time_->now());
    if (overdue.cancelled != 0)
        options_.log.warning("runs of keys that move are cancelled",
                             {{"group", options_.group}, {"runs", overdue.cancelled}});
    return overdue.next;
}

void shard_engine::ask(membership& m, const step::any& what)
{
    const auto mark = std::make_shared<request_mark>([this, &m](bool answered) { note_end(m, answered); });
    m.requesting.spawn("request of a member of " + options_.group, request(*this, m, mark, what));
}

void shard_engine::note_end(membership& m, bool answered)
{
    if (!answered) {
        std::lock_guard lock(mutex_);
        m.core.request_failed(time_->now(), failure());
    }
    share_->news.notify();
}

asio::awaitable<result<>> shard_engine::request(shard_engine& self, membership& m, std::shared_ptr<request_mark> mark,
                                                step::any what)
{
    const auto done = co_await self.sent(m, what);
    mark->answered = done.has_value();
    co_return result<>{};
}

asio::awaitable<result<>> shard_engine::sent(membership& m, const step::any& what)
{
    if (const auto* l = std::get_if<step::list>(&what)) return list(m, l->limit);
    if (const auto* c = std::get_if<step::create>(&what)) return write(m, c->view, true, c->limit);
    if (const auto* u = std::get_if<step::update>(&what)) return write(m, u->view, false, u->limit);
    return remove(m, std::get<step::remove>(what));
}

asio::awaitable<result<>> shard_engine::list(membership& m, duration limit)
{
    // Without a version: the answer is not older than any write that has been answered.
    list_options which;
    which.label_selector = selector_of(options_.group);
    const auto page = co_await with_timeout(*time_, limit, "list the group " + options_.group,
                                            cluster_.list_all(leases(), ns_, std::move(which)));
    result<shard_listing> found = failure(cond::internal);
    if (page)
        found = read(m, *page);
    else
        found = page.error();
    std::lock_guard lock(mutex_);
    m.core.listed(time_->now(), found);
    co_return result<>{};
}

shard_listing shard_engine::read(membership& m, const list_page& page) const
{
    shard_listing out;
    out.resource_version = page.resource_version;
    for (const auto& o : page.items) {
        auto lease = read_shard_lease(options_.group, o);
        if (!lease) continue;
        if (lease->record.holder == holder_) m.lease = o;
        out.leases.push_back(std::move(*lease));
    }
    return out;
}

asio::awaitable<result<>> shard_engine::write(membership& m, shard_view view, bool creates, duration limit)
{
    const object_key key{ns_, lease_name(options_.group, shard_hash(options_.identity))};
    auto text = creates ? new_object(leases(), key) : m.lease.to_json().as_object();
    write_shard_lease(text, options_.group, holder_, view, options_.lease_duration, options_.labels, time_->wall_now());
    json_text body{boost::json::value(std::move(text))};
    body.partial = !creates && m.lease.is_partial();
    const auto stored = co_await with_timeout(*time_, limit, "the lease " + to_string(key),
                                              creates ? cluster_.create(leases(), ns_, std::move(body))
                                                      : cluster_.update(leases(), ns_, key.name, std::move(body)));
    result<shard_lease> answer = failure(cond::corrupt, "an answer without the lease");
    if (!stored) {
        answer = stored.error();
    } else if (auto lease = read_shard_lease(options_.group, *stored)) {
        m.lease = *stored;
        answer = std::move(*lease);
    }
    std::lock_guard lock(mutex_);
    m.core.written(time_->now(), answer);
    co_return result<>{};
}

asio::awaitable<result<>> shard_engine::remove(membership& m, step::remove what)
{
    const auto name = lease_name(options_.group, what.id);
    delete_options which;
    which.uid = what.uid;
    which.resource_version = what.resource_version;
    const auto gone = co_await with_timeout(*time_, what.limit, "delete the lease " + name,
                                            cluster_.remove(leases(), ns_, name, std::move(which)));
    const bool is_own = what.id == shard_hash(options_.identity);
    if (gone && !is_own && m.deletions_shown.pass(options_.log, time_->now()))
        options_.log.warning("a member has not renewed its lease, which is deleted",
                             {{"group", options_.group}, {"lease", name}});
    std::lock_guard lock(mutex_);
    m.core.removed(time_->now(), gone ? result<>() : result<>(gone.error()));
    co_return result<>{};
}

asio::awaitable<result<>> shard_engine::follow(shard_engine& self, membership& m)
{
    lease_watch w{.cluster = self.cluster_,
                  .ns = self.ns_,
                  .which = {.label_selector = selector_of(self.options_.group)},
                  .time = self.time_,
                  .retry_period = self.options_.retry_period,
                  .seed = self.options_.seed,
                  .show = [&](std::span<const watch_event> events) { self.show(m, events); },
                  .ended = [&] { self.watch_ended(m); }};
    const auto refused = co_await follow_leases(std::move(w));
    self.options_.log.info("the group cannot be watched: it is listed from time to time",
                           {{"group", self.options_.group}, {"failure", refused.error().describe()}});
    co_return result<>{};
}

void shard_engine::watch_ended(membership& m)
{
    {
        std::lock_guard lock(mutex_);
        m.core.watched(false);
    }
    share_->news.notify();
}

void shard_engine::show(membership& m, std::span<const watch_event> events)
{
    for (const auto& event : events) show(m, event);
    share_->news.notify();
}

void shard_engine::show(membership& m, const watch_event& event)
{
    const bool is_gone = event.type == watch_event_type::deleted;
    const bool is_there = event.type == watch_event_type::added || event.type == watch_event_type::modified;
    auto lease = event.obj && (is_gone || is_there) ? read_shard_lease(options_.group, event.obj) : std::nullopt;
    std::lock_guard lock(mutex_);
    m.core.watched(true);
    if (!lease) return;
    if (is_there) m.core.seen(time_->now(), *lease);
    if (is_gone) m.core.seen_deleted(lease->id, lease->uid);
}

} // namespace kubecoro::detail
