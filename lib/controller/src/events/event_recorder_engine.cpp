// Sends events.
#include "events/event_recorder_engine.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/detail/owner_end.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

using ending = event_correlator_core::ending;

/// Between two log lines about refused events.
constexpr auto complaint_interval = std::chrono::minutes{1};

/// Requests in progress at once.
constexpr std::size_t requests_at_once = 4;

event_recorder_options completed(event_recorder_options o, const client& c)
{
    // The clock lives as long as its client.
    if (!o.time) o.time = std::shared_ptr<time_source>(std::make_shared<client>(c), &c.time());
    o.max_pending = std::max<std::size_t>(o.max_pending, 1);
    return o;
}

workqueue_options queue_options(const event_recorder_options& o)
{
    workqueue_options q;
    q.time = o.time;
    q.log = logger::silent(); // its end is that of the recorder, which logs it
    return q;
}

event_limits limits_of(const event_recorder_options& o)
{
    event_limits out;
    out.max_pending = o.max_pending;
    out.max_recent = std::max(out.max_recent, out.max_pending);
    return out;
}

std::unique_ptr<rate_limiter> limiter_of(const event_recorder_options& o)
{
    return o.requests_per_second > 0 ? bucket_limiter(o.requests_per_second, 2 * o.requests_per_second) : nullptr;
}

/// As client-go: what the server has judged is not sent again.
ending ending_of(const result<object>& answer)
{
    if (answer) return ending::stored;
    switch (answer.error().condition()) {
    case cond::already_exists:
        return ending::exists;
    case cond::not_found:
        return ending::absent;
    case cond::unreachable:
    case cond::timed_out:
    case cond::retry_later:
    case cond::unauthorized:
    case cond::internal:
        return ending::try_again;
    default:
        return ending::refused;
    }
}

std::uint64_t drops(const event_recorder_stats& s) { return s.dropped_full + s.dropped_failed + s.dropped_spam; }

} // namespace

event_recorder_engine::event_recorder_engine(client cluster, event_recorder_options options)
    : client_(std::move(cluster)),
      options_(completed(std::move(options), client_)),
      time_(options_.time),
      reporter_(make_reporter(options_)),
      resource_(event_resource(options_.api)),
      executor_(client_.executor()),
      queue_(client_.executor(), queue_options(options_)),
      meters_(options_.metrics.get(), reporter_.component),
      working_(client_.executor(), options_.log, [this](const auto& task, const auto& why) { end_by(task, why); }),
      stopping_(client_.executor(), options_.log, [this](const auto& task, const auto& why) { end_by(task, why); }),
      core_(options_.api, limits_of(options_), options_.seed ? *options_.seed : random_seed()),
      requests_(limiter_of(options_))
{
}

void event_recorder_engine::start()
{
    for (std::size_t i = 0; i < requests_at_once; ++i)
        working_.spawn("event recorder " + reporter_.component, make_kept_strand(executor_).get(), serve(*this));
}

void event_recorder_engine::record(const event_target& regarding, event_type type, std::string_view reason,
                                   std::string_view action, std::string_view note, const event_target& related) noexcept
{
    try {
        auto draft = make_draft(regarding, type, reason, action, note, related);
        std::lock_guard lock(mutex_);
        core_.record(std::move(draft), time_->now(), time_->wall_now());
    } catch (...) { // must not fail what is reported
        std::lock_guard lock(mutex_);
        core_.note_lost();
    }
    queue_ready();
    show();
}

/// Queues the events that have become pending; without memory for that, they are queued with the next one.
void event_recorder_engine::queue_ready() noexcept
{
    std::vector<id> ready;
    bool begins_sweeps = false;
    {
        std::lock_guard lock(mutex_);
        ready = core_.take_ready();
        begins_sweeps = !ready.empty() && !sweeping_;
    }
    if (ready.empty()) return;
    try {
        queue_.add_batch(ready);
        if (!begins_sweeps) return;
        queue_.add_after(sweep_id, event_correlator_core::sweep_interval);
        std::lock_guard lock(mutex_);
        sweeping_ = true;
    } catch (...) {
        std::lock_guard lock(mutex_);
        core_.put_back(std::move(ready));
    }
}

void event_recorder_engine::end_by(const std::string& task, const failure& why)
{
    bool first = false;
    {
        std::lock_guard lock(mutex_);
        first = !ended_by_;
        if (first) ended_by_ = why.because("the event recorder has ended: its " + task + " failed");
        core_.close();
    }
    queue_.shut_down();
    working_.stop();
    if (first) show_end(options_.log, options_.metrics.get(), "event_recorder", reporter_.component, task, why);
}

asio::awaitable<result<>> event_recorder_engine::serve(event_recorder_engine& self)
{
    for (;;) {
        KUBECORO_TRY(auto item, co_await self.queue_.get());
        if (item.key() == sweep_id) {
            if (self.sweep())
                item.again_after(event_correlator_core::sweep_interval);
            else
                item.succeeded();
            continue;
        }
        KUBECORO_TRY(const auto again, co_await deliver(self, item.key()));
        if (again)
            item.again_after(*again);
        else
            item.succeeded();
        self.show();
    }
}

asio::awaitable<result<std::optional<duration>>> event_recorder_engine::deliver(event_recorder_engine& self, id which)
{
    KUBECORO_TRY(co_await self.await_turn());
    const auto answer = co_await self.request_for(which);
    const auto own = co_await asio::this_coro::cancellation_state;
    const bool cancelled = !answer && answer.error() == cond::cancelled;
    if (cancelled && own.cancelled() != asio::cancellation_type::none) co_return answer.error();
    // The request may have been cancelled by others: such as a part of the client that ends.
    const auto how = cancelled ? ending::try_again : ending_of(answer);
    if (how == ending::refused || how == ending::absent) self.note_refusal(answer.error());
    std::lock_guard lock(self.mutex_);
    co_return self.core_.ended(which, how, self.time_->now());
}

asio::awaitable<result<object>> event_recorder_engine::request_for(id which)
{
    const auto given_up = []() -> asio::awaitable<result<object>> { co_return object(); };
    std::unique_lock lock(mutex_);
    const auto request = core_.begin(which);
    if (!request) return given_up();
    const event_series& s = request->of;
    const bool creates = request->creates;
    std::string ns = s.ns;
    std::string name = s.name;
    const auto body = creates ? event_object(options_.api, reporter_, s) : event_patch(options_.api, s);
    lock.unlock();
    if (creates) return client_.create(resource_, std::move(ns), boost::json::value(body));
    return client_.patch(resource_, std::move(ns), std::move(name), patch_kind::merge, boost::json::value(body));
}

asio::awaitable<result<>> event_recorder_engine::await_turn()
{
    duration pause{0};
    {
        std::lock_guard lock(mutex_);
        if (requests_ && !closing_.settled()) {
            const auto now = time_->now();
            pause = requests_->delay(0, now);
            requests_->taken(now);
        }
    }
    const auto rest = [](event_recorder_engine& self, duration d) -> asio::awaitable<result<>> {
        if (d <= duration::zero()) co_return result<>{};
        co_await race(sleep_for(*self.time_, d), self.closing_.wait());
        co_return result<>{};
    };
    return rest(*this, pause);
}

bool event_recorder_engine::sweep()
{
    event_recorder_stats now;
    {
        std::lock_guard lock(mutex_);
        core_.sweep(time_->now());
        now = core_.stats();
        sweeping_ = now.recent != 0;
    }
    queue_ready();
    note_drops(now);
    show();
    return now.recent != 0;
}

/// Without the server's words: they may repeat the event's.
void event_recorder_engine::note_refusal(const failure& why)
{
    {
        std::lock_guard lock(mutex_);
        const auto now = time_->now();
        if (complained_ && now - *complained_ < complaint_interval) return;
        complained_ = now;
    }
    options_.log.warning("the server refused an event", {{"component", reporter_.component},
                                                         {"condition", to_string(why.condition())},
                                                         {"reason", why.status() ? why.status()->reason : ""},
                                                         {"request", why.method() + ' ' + why.target()}});
}

void event_recorder_engine::note_drops(const event_recorder_stats& now)
{
    const std::uint64_t all = drops(now);
    if (all == std::exchange(reported_drops_, all)) return;
    options_.log.warning("events were dropped", {{"component", reporter_.component},
                                                 {"full", now.dropped_full},
                                                 {"spam", now.dropped_spam},
                                                 {"failed", now.dropped_failed}});
}

/// Ends the stop when its coroutine ends, also by destruction.
class event_recorder_engine::flush_mark
{
public:
    explicit flush_mark(event_recorder_engine& of) noexcept : of_(of) {}
    flush_mark(const flush_mark&) = delete;
    flush_mark& operator=(const flush_mark&) = delete;
    ~flush_mark() { of_.finish(); }
    event_recorder_engine& engine() noexcept { return of_; }

private:
    event_recorder_engine& of_;
};

void event_recorder_engine::request_stop()
{
    if (!closing_.settle({})) return;
    auto mark = std::make_unique<flush_mark>(*this);
    stopping_.spawn("event recorder's stop", make_kept_strand(executor_).get(), flush(std::move(mark)));
}

asio::awaitable<result<>> event_recorder_engine::flush(std::unique_ptr<flush_mark> mark)
{
    auto& self = mark->engine();
    {
        std::lock_guard lock(self.mutex_);
        self.core_.close();
    }
    self.queue_ready();
    if (self.options_.flush_limit > duration::zero()) {
        (void)co_await with_timeout(*self.time_, self.options_.flush_limit, "send the last events",
                                    self.queue_.shut_down_with_drain());
    }
    self.queue_.shut_down();
    self.working_.stop();
    co_return co_await self.working_.join();
}

void event_recorder_engine::finish() noexcept
{
    std::uint64_t lost = 0;
    result<> outcome;
    {
        std::lock_guard lock(mutex_);
        lost = core_.abandon();
        if (ended_by_) outcome = *ended_by_;
    }
    show();
    if (lost == 0 || !outcome) {
        ended_.settle(outcome);
        return;
    }
    options_.log.warning("events were not sent before the stop",
                         {{"component", reporter_.component}, {"events", lost}});
    ended_.settle(failure(cond::timed_out, std::to_string(lost) + " events were not sent"));
}

asio::awaitable<result<>> event_recorder_engine::stop(std::shared_ptr<event_recorder_engine> self)
{
    self->request_stop();
    const auto outcome = co_await catch_failure(self->ended_.wait());
    if (!self->ended_.settled()) co_return outcome;
    for (task_group* g : {&self->working_, &self->stopping_}) {
        KUBECORO_TRY(co_await catch_failure(g->join()));
    }
    KUBECORO_TRY(co_await catch_failure(self->queue_.ended()));
    co_return self->ended_.outcome();
}

void event_recorder_engine::abandon(const std::shared_ptr<event_recorder_engine>& self) noexcept
{
    if (self->closing_.settle({})) {
        self->queue_.shut_down();
        self->working_.stop();
        self->finish();
    }
    // A stop in progress goes on to its end.
    for (task_group* g : {&self->working_, &self->stopping_}) g->keep_until_ended(self);
}

event_recorder_stats event_recorder_engine::stats() const
{
    std::lock_guard lock(mutex_);
    return core_.stats();
}

} // namespace kubecoro::detail
