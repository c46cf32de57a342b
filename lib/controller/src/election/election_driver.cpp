// Performs the steps of an election: requests, and the watch of its Lease.
#include "election/election_engine.hpp"
#include "election/lease_watch.hpp"
#include "election/request_mark.hpp"

#include <kubecoro/api/edit.hpp>
#include <kubecoro/api/selector.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/wait_for_news.hpp>
#include <kubecoro/base/timeout.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <utility>

namespace asio = boost::asio;
namespace step = kubecoro::detail::election_step;

namespace kubecoro::detail {
namespace {

duration limit_of(const step::any& what) noexcept
{
    if (const auto* get = std::get_if<step::get>(&what)) return get->limit;
    if (const auto* create = std::get_if<step::create>(&what)) return create->limit;
    return std::get<step::update>(what).limit;
}

} // namespace

asio::awaitable<result<>> election_engine::drive(election_engine& self, election& e)
{
    for (;;) {
        self.report(e);
        const auto next = [&] {
            std::lock_guard lock(self.mutex_);
            return e.core.next(self.time_->now());
        }();
        if (const auto* w = std::get_if<step::wait>(&next)) {
            auto until = w->until;
            if (const auto late = e.leaders_shown.late_at()) until = std::min(until.value_or(*late), *late);
            co_await wait_for_news(self.news_, *self.time_, until);
        } else if (const auto* end = std::get_if<step::finish>(&next)) {
            self.finish(e, end->outcome);
            co_return result<>{};
        } else {
            self.perform(e, next);
        }
    }
}

void election_engine::perform(election& e, const step::any& next)
{
    if (std::holds_alternative<step::abandon_request>(next))
        e.abandoned.settle({});
    else if (const auto* news = std::get_if<step::announce>(&next))
        announce(e, news->leader);
    else if (const auto* start = std::get_if<step::start_work>(&next))
        start_work(e, start->lease);
    else if (const auto* end = std::get_if<step::end_work>(&next))
        end_work(e, end->why);
    else if (std::holds_alternative<step::cancel_work>(next))
        e.working.stop();
    else if (std::holds_alternative<step::step_down>(next))
        step_down(e);
    else
        ask(e, next);
}

void election_engine::ask(election& e, const step::any& what)
{
    e.abandoned = latch();
    const auto mark = std::make_shared<request_mark>([this, &e](bool answered) { note_end(e, answered); });
    e.requesting.spawn("request for lease " + options_.lease, request(*this, e, mark, what, e.abandoned));
}

void election_engine::note_end(election& e, bool answered)
{
    if (!answered) {
        std::lock_guard lock(mutex_);
        e.core.unanswered(time_->now());
    }
    news_.notify();
}

asio::awaitable<result<>> election_engine::request(election_engine& self, election& e,
                                                   std::shared_ptr<request_mark> mark, step::any what, latch abandoned)
{
    const auto answer =
        co_await unless(abandoned.wait(), with_timeout(*self.time_, limit_of(what), "the lease " + to_string(self.key_),
                                                       self.operation(e, what)));
    self.take_answer(e, answer);
    mark->answered = true;
    co_return result<>{};
}

asio::awaitable<result<object>> election_engine::operation(const election& e, const step::any& what) const
{
    if (std::holds_alternative<step::get>(what)) co_return co_await cluster_.get(leases(), key_.ns, key_.name);
    const auto* made = std::get_if<step::create>(&what);
    auto lease = made != nullptr ? new_object(leases(), key_) : e.lease.to_json().as_object();
    write_lease(lease, made != nullptr ? made->what : std::get<step::update>(what).what, options_.labels,
                time_->wall_now());
    json_text body{boost::json::value(std::move(lease))};
    if (made != nullptr) co_return co_await cluster_.create(leases(), key_.ns, std::move(body));
    body.partial = e.lease.is_partial();
    co_return co_await cluster_.update(leases(), key_.ns, key_.name, std::move(body));
}

void election_engine::take_answer(election& e, const result<object>& answer)
{
    result<lease_state> read = failure(cond::internal);
    try {
        read = answer ? result<lease_state>(read_lease(*answer)) : result<lease_state>(answer.error());
        if (answer) e.lease = *answer;
    } catch (...) {
        read = to_failure(std::current_exception());
    }
    std::lock_guard lock(mutex_);
    e.core.answered(time_->now(), read);
}

asio::awaitable<result<>> election_engine::follow(election_engine& self, election& e)
{
    lease_watch w{.cluster = self.cluster_,
                  .ns = self.key_.ns,
                  .which = {.field_selector = field_selector({{"metadata.name", true, self.key_.name}}).to_string()},
                  .time = self.time_,
                  .retry_period = self.options_.retry_period,
                  .seed = self.options_.seed,
                  .show = [&](std::span<const watch_event> events) { self.show(e, events); },
                  .ended = [&] { self.watch_ended(e); }};
    const auto refused = co_await follow_leases(std::move(w));
    self.options_.log.info("the lease cannot be watched: it is read from time to time",
                           {{"lease", to_string(self.key_)}, {"failure", refused.error().describe()}});
    co_return result<>{};
}

void election_engine::watch_ended(election& e)
{
    {
        std::lock_guard lock(mutex_);
        e.core.watched(false);
    }
    news_.notify();
}

void election_engine::show(election& e, std::span<const watch_event> events)
{
    for (const auto& event : events) show(e, event);
    news_.notify();
}

void election_engine::show(election& e, const watch_event& event)
{
    const auto now = time_->now();
    const bool is_there = event.type == watch_event_type::added || event.type == watch_event_type::modified;
    const auto lease = is_there && event.obj ? read_lease(event.obj) : lease_state();
    std::lock_guard lock(mutex_);
    e.core.watched(true);
    if (is_there && event.obj) e.core.seen(now, lease);
    if (event.type == watch_event_type::deleted) e.core.seen_deleted(now);
}

} // namespace kubecoro::detail
