#include "checked_controller.hpp"

#include "operations.hpp"

#include <kubecoro/base/catch_failure.hpp>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace kubecoro::simulation {

namespace asio = boost::asio;

namespace {

constexpr std::size_t most_sources = 5;
/// The longest time that some runs take to end after their cancellation.
constexpr std::chrono::milliseconds farewell{2000};
constexpr int names = 5;
constexpr std::chrono::milliseconds first_backoff{100};
constexpr std::chrono::seconds last_backoff{60};

/// The object whose name has the next number.
object_key neighbour(object_key_view key, int distance)
{
    object_key out(key);
    auto& digit = out.name.back();
    digit = static_cast<char>('0' + (digit - '0' + names + distance) % names);
    return out;
}

std::string state_of(const object& o)
{
    return o ? std::string(o.uid()) + "@" + std::string(o.resource_version()) : std::string();
}

} // namespace

class checked_controller::visit
{
public:
    visit(checked_controller& where, page& p) : owner_(&where), page_(&p)
    {
        page_->active = true;
        ++owner_->active_;
    }
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;
    ~visit()
    {
        page_->active = false;
        --owner_->active_;
    }

private:
    checked_controller* owner_;
    page* page_;
};

checked_controller::checked_controller(std::string name, controller_options settings,
                                       const std::vector<controlled_informer>& informers, client writer,
                                       testing::runner& runner, journal& notes, std::uint64_t seed)
    : name_(std::move(name)),
      grace_(settings.grace),
      own_write_wait_(settings.own_write_wait),
      workers_(settings.workers),
      may_give_up_(settings.sync_timeout != duration::zero()),
      informers_(&informers),
      writer_(std::move(writer)),
      runner_(&runner),
      notes_(&notes),
      random_(seed)
{
    note("is created, workers " + std::to_string(workers_));
    settings.time = runner.shared_clock();
    settings.limiter = exponential_limiter(first_backoff, last_backoff);
    settings.name = name_;
    subject_.emplace(
        runner.executor(), [this](const object_key& key, reconcile_context& c) { return begin(key, c); },
        std::move(settings));
}

enqueue checked_controller::map_of(bool neighbours)
{
    if (!neighbours) return enqueue_object();
    return enqueue_mapped([this](const object& o, key_sink out) {
        out(o.key());
        out(neighbour(o.key(), 1));
        // Keys passed before the exception stay queued.
        if (one_in(random_, 5)) throw std::runtime_error("simulated map");
    });
}

void checked_controller::add_source()
{
    if (!subject_ || sources_.size() >= most_sources) return;
    const auto& from = (*informers_)[below(random_, informers_->size())];
    const bool neighbours = one_in(random_, 3);
    source_options o;
    o.priority = static_cast<int>(below(random_, 3));
    o.name = from.name;
    note("watches " + from.name);
    sources_.push_back({&from, neighbours, subject_->watch(from.informer, map_of(neighbours), std::move(o))});
}

void checked_controller::remove_source()
{
    if (sources_.empty()) return;
    auto& s = sources_[below(random_, sources_.size())];
    if (s.removed) return;
    note("no longer watches " + s.from->name);
    s.removed = true;
    s.handle.remove();
    if (started_ && !stop_asked_) s.leaving = runner_->spawn(wait_for_removal(s));
}

asio::awaitable<result<>> checked_controller::wait_for_removal(source& s)
{
    const auto removed = co_await s.handle.removed();
    if (!removed && removed.error() != cond::cancelled) broken("removed() failed: " + removed.error().describe());
    if (removed && s.handle.stats().state != source_state::over) broken("a removed source is not over");
    co_return removed;
}

void checked_controller::start()
{
    if (started_ || !subject_) return;
    started_ = true;
    first_sources_ = sources_.size();
    subject_->start();
    ready_ = runner_->spawn(wait_for_ready());
}

asio::awaitable<result<>> checked_controller::wait_for_ready()
{
    const auto ready = co_await subject_->ready();
    note(ready ? "is ready" : "will not be ready: " + ready.error().describe());
    const bool expected =
        stop_asked_ || disturbed_ || (may_give_up_ && ready.has_error() && ready.error() == cond::timed_out);
    if (!ready && !expected) broken("ready() failed: " + ready.error().describe());
    co_return ready;
}

void checked_controller::trigger()
{
    if (!subject_ || stop_asked_) return;
    const auto& all = operations::namespaces();
    object_key key{all[below(random_, all.size())], "o" + std::to_string(below(random_, names))};
    note("is triggered for " + to_string(key));
    book_[key].asked_for = true;
    subject_->trigger(key, static_cast<int>(below(random_, 3)));
}

void checked_controller::stop()
{
    if (!subject_ || stop_asked_) return;
    note("is asked to stop");
    stop_asked_ = now();
    waited_for_ = true;
    if (one_in(random_, 2)) {
        subject_->request_stop();
        no_more_runs_ = true;
    }
    ending_ = runner_->spawn(wait_for_end());
}

asio::awaitable<result<>> checked_controller::wait_for_end()
{
    const auto outcome = co_await subject_->stop();
    if (!outcome && outcome.error() == cond::cancelled && disturbed_) co_return outcome;
    check_end(outcome);
    over_ = true;
    co_return outcome;
}

void checked_controller::check_end(const result<>& outcome)
{
    note(outcome ? "has stopped" : "has stopped: " + outcome.error().describe());
    if (!outcome && outcome.error() != cond::timed_out) broken("stop() failed: " + outcome.error().describe());
    if (active_ != 0) broken(std::to_string(active_) + " runs after stop()");
    const auto stats = subject_->stats();
    if (stats.phase != controller_phase::stopped) broken("stopped, but is " + std::string(to_string(stats.phase)));
    if (stats.active + stats.queue.processing + stats.queue.waiting_workers + stats.sources.size() != 0)
        broken("stopped, but " + describe(stats));
    if (waited_for_ && !disturbed_ && now() - *stop_asked_ > grace_ + farewell) broken("took too long to stop");
}

void checked_controller::abandon()
{
    if (!subject_) return;
    note("is abandoned");
    if (!stop_asked_) stop_asked_ = now();
    disturbed_ = true;
    ready_.cancel();
    if (ending_) ending_->cancel();
    for (auto& s : sources_) s.leaving.cancel();
    runner_->run_until_idle(); // waits for a controller must end before its destruction
    subject_.reset();
    over_ = true;
}

void checked_controller::disturb(std::size_t handlers, asio::cancellation_type how)
{
    note("its owner cancels its waits");
    disturbed_ = true;
    runner_->cancel_after(handlers, ready_, how);
    if (ending_) runner_->cancel_after(handlers, *ending_, how);
    for (auto& s : sources_) runner_->cancel_after(handlers, s.leaving, how);
}

void checked_controller::go_on()
{
    if (over_ && ending_ && ending_->done() && ready_.done()) subject_.reset();
    if (over_ || !subject_) return;
    if (started_ && !stop_asked_ && subject_->stats().phase == controller_phase::stopped) {
        if (!may_give_up_) broken("stopped by itself");
        stop();
    }
    if (stop_asked_ && (!ending_ || ending_->done())) ending_ = runner_->spawn(wait_for_end());
}

asio::awaitable<result<action>> checked_controller::begin(const object_key& key, reconcile_context& context)
{
    auto& p = book_[key];
    ++runs_;
    note("runs " + to_string(key) + " attempt " + std::to_string(context.attempt()));
    if (p.active) broken("two runs at once for " + to_string(key));
    if (active_ >= workers_) broken("more runs than workers");
    if (no_more_runs_) broken("a run begins after the stop");
    for (std::size_t n = 0; n < first_sources_; ++n)
        if (!sources_[n].removed && !sources_[n].from->informer.synced())
            broken("a run begins before the first list of " + sources_[n].from->name);
    return reconcile(std::make_unique<visit>(*this, p), key, context);
}

void checked_controller::look(const object_key& key)
{
    auto& p = book_[key];
    p.asked_for = false;
    if (p.due && *p.due <= now()) p.due.reset();
    check_own_write(key, p);
    for (std::size_t n = 0; n < sources_.size(); ++n) {
        const auto& s = sources_[n];
        const auto content = s.from->informer.lister();
        const auto see = [&](const object_key& what) {
            auto state = state_of(content.get(what));
            if (!state.empty() || p.seen.contains({n, what})) p.seen[{n, what}] = std::move(state);
        };
        see(key);
        if (s.neighbours) see(neighbour(key, -1));
    }
}

/// Whether a source need not show everything up to the write, or does.
bool checked_controller::has_passed(const source& s, const write& w) const
{
    if (s.removed || s.from->informer.resource().kind != w.kind) return true;
    return s.from->informer.lister().reached(std::to_string(w.version), w.object.ns);
}

/// Whether a source need not show the write, or does.
bool checked_controller::shows(const source& s, const write& w) const
{
    if (has_passed(s, w)) return true;
    const auto stored = s.from->informer.lister().get(w.object);
    return stored && version_of(stored) >= w.version;
}

/// Whether there is a reason to hold a key back until its write is seen. The sources are chosen when the run ends, so
/// those that joined since the write count. A source whose transform fails may show the object before it has passed
/// the write.
bool checked_controller::may_be_held(const page& p) const
{
    if (!p.written || own_write_wait_ == duration::zero() || now() >= p.written->when + own_write_wait_) return false;
    return std::any_of(sources_.begin(), sources_.end(), [&](const source& s) { return !has_passed(s, *p.written); });
}

void checked_controller::check_own_write(const object_key& key, page& p)
{
    if (may_be_held(p)) {
        for (std::size_t n = 0; n < p.written->sources; ++n) {
            const auto& s = sources_[n];
            const auto stored = s.from->informer.lister().get(p.written->object);
            if (stored && !shows(s, *p.written))
                broken("a run of " + to_string(key) + " begins before the store shows the last run's write, @" +
                       std::to_string(p.written->version) + ", but " + brief(stored));
        }
    }
    p.written.reset();
}

void checked_controller::check_idle() const
{
    if (!subject_ || !started_ || stop_asked_) return;
    const auto late = [&](const page& p) {
        return !p.active && (p.asked_for || (p.due && std::max(*p.due, p.retried_by) < now()));
    };
    const auto stats = subject_->stats();
    if (stats.phase != controller_phase::running) return;
    const auto held =
        std::count_if(book_.begin(), book_.end(), [&](const auto& entry) { return may_be_held(entry.second); });
    if (stats.behind_own_writes > static_cast<std::size_t>(held)) broken("a key waits for a write that is visible");
    if (stats.queue.ready != 0 && active_ < workers_) broken("a key is ready while a worker is idle");
    if (active_ == workers_ || stats.behind_own_writes != 0) return;
    for (const auto& [key, p] : book_)
        if (late(p)) broken("is late with " + to_string(key));
}

void checked_controller::owe(const object_key& key, duration after)
{
    auto& due = book_[key].due;
    due = std::min(due.value_or(time_point::max()), now() + after);
}

failure checked_controller::failed(const object_key& key, const reconcile_context& context, failure why)
{
    owe(key, duration::zero());
    const auto doubled = std::min(context.attempt() - 1, 30U);
    auto& latest = book_[key].retried_by;
    latest = std::max(latest, now() + std::min<duration>(first_backoff * (1LL << doubled), last_backoff));
    return why;
}

asio::awaitable<result<>> checked_controller::pause(reconcile_context& context, duration d)
{
    const auto slept = co_await catch_failure(sleep_for(runner_->clock(), d));
    const bool late = context.deadline() && now() >= *context.deadline();
    if (slept && late) broken("a run outlives its deadline");
    if (slept) co_return slept;
    const bool out_of_patience = stop_asked_ && (over_ || now() >= *stop_asked_ + grace_);
    if (!late && !out_of_patience) broken("a run was cancelled without a reason");
    if (!context.is_cancelled()) broken("a run was cancelled, but is_cancelled() is false");
    co_await finish_despite_cancellation();
    if (one_in(random_, 3)) {
        const auto last = std::chrono::milliseconds(below(random_, farewell.count()));
        co_await sleep_for(runner_->clock(), last); // a second cancellation ends this sleep
    }
    co_return slept;
}

asio::awaitable<result<action>> checked_controller::reconcile(std::unique_ptr<visit>, object_key key,
                                                              reconcile_context& context)
{
    look(key);
    if (calm_) co_return action::done();
    const auto dice = below(random_, 16);
    if (dice >= 4 && dice < 8) {
        const auto slept = co_await pause(context, std::chrono::milliseconds(below(random_, 4000)));
        if (!slept) co_return failed(key, context, slept.error());
    }
    switch (dice) {
    case 4:
    case 8:
        co_return failed(key, context, failure(cond::internal, "simulated"));
    case 5:
    case 9:
        (void)failed(key, context, failure(cond::internal));
        throw std::runtime_error("simulated");
    case 10: {
        const auto again = std::chrono::milliseconds(below(random_, 100'000));
        // The earlier of two times counts, and the queue chooses the exact time of a retry, which may be now.
        auto& latest = book_[key].retried_by;
        const bool unknown = now() <= latest;
        owe(key, unknown ? duration::zero() : again);
        if (unknown) latest = std::max(latest, now() + again);
        co_return action::requeue_after(again).with_priority(static_cast<int>(below(random_, 3)));
    }
    case 11:
        co_return terminal(failure(cond::invalid, "simulated"));
    case 12:
        // Does not return until the script calls calm().
        while (!calm_) {
            const auto slept = co_await pause(context, std::chrono::seconds(30));
            if (!slept) co_return failed(key, context, slept.error());
        }
        co_return action::done();
    case 13:
    case 14:
        co_return co_await change(key, context);
    case 15:
        if (one_in(random_, 12) && subject_) {
            note("requests its own stop");
            if (!stop_asked_) stop_asked_ = now();
            subject_->request_stop();
            no_more_runs_ = true;
        }
        co_return action::done();
    default:
        co_return action::done();
    }
}

asio::awaitable<result<action>> checked_controller::change(object_key key, reconcile_context& context)
{
    if (sources_.empty()) co_return action::done();
    const auto& s = sources_[below(random_, sources_.size())];
    const auto what = one_in(random_, 2) ? key : neighbour(key, 1);
    const auto mine = s.from->informer.lister().get(what);
    if (!mine || !s.from->writable) co_return action::done();
    // Fails with a conflict when the store is behind.
    std::string text =
        R"({"metadata":{"annotations":{"controller":")" + std::to_string(below(random_, 1'000'000)) + "\"}";
    if (one_in(random_, 2)) {
        const std::string version(one_in(random_, 3) ? "1" : mine.resource_version());
        text += R"(,"resourceVersion":")" + version + "\"";
    }
    text += "}}";
    const auto answer = co_await catch_failure(
        writer_.patch(s.from->informer.resource(), what.ns, what.name, patch_kind::merge, json_text(text)));
    note("writes " + to_string(what) + ": " + (answer ? brief(*answer) : answer.error().describe()));
    if (!answer) co_return failed(key, context, answer.error());
    if (!one_in(random_, 3)) {
        context.wrote(*answer);
        book_[key].written = write{s.from->informer.resource().kind, what, version_of(*answer), now(), sources_.size()};
        if (subject_ && one_in(random_, 2)) {
            book_[key].asked_for = true; // the run has to wait for the write
            subject_->trigger(key);
        }
    }
    co_return action::done();
}

std::string checked_controller::unsettled() const
{
    if (over_ && active_ != 0) return name_ + " has runs after its end";
    if (!subject_ || over_) return {};
    if (stop_asked_ || !started_) return name_ + " is neither running nor over";
    const bool all_there = std::all_of(sources_.begin(), sources_.end(),
                                       [](const source& s) { return s.removed || s.from->real().has_value(); });
    const auto stats = subject_->stats();
    if (stats.phase == controller_phase::syncing && !all_there) return {};
    if (stats.phase != controller_phase::running) return name_ + " is " + std::string(to_string(stats.phase));
    if (active_ != 0 || stats.queue.ready + stats.queue.processing + stats.behind_own_writes != 0)
        return name_ + " is busy:  " + describe(stats);
    for (const auto& [key, p] : book_)
        if (p.due || p.asked_for) return name_ + " has a run due for " + to_string(key);
    for (std::size_t n = 0; n < sources_.size(); ++n)
        if (auto d = behind(n); !d.empty()) return d;
    return {};
}

/// The first object of a source that has not been reconciled since its last change.
std::string checked_controller::behind(std::size_t n) const
{
    const auto& s = sources_[n];
    if (s.removed) return {};
    auto real = s.from->real().value_or(controlled_informer::states());
    for (const auto& [key, p] : book_)
        for (const auto& [what, state] : p.seen)
            if (what.first == n) real.try_emplace(what.second);
    const auto seen = [&](const object_key& key, const object_key& what) {
        const auto at = book_.find(key);
        if (at == book_.end()) return std::string();
        const auto state = at->second.seen.find({n, what});
        return state == at->second.seen.end() ? std::string() : state->second;
    };
    for (const auto& [what, state] : real) {
        auto key = what;
        for (int more = s.neighbours ? 1 : 0; more >= 0; --more, key = neighbour(key, 1)) {
            if (seen(key, what) != state)
                return name_ + " has not run " + to_string(key) + " since " + s.from->name + " " + to_string(what) +
                       " changed to " + state;
        }
    }
    return {};
}

} // namespace kubecoro::simulation
