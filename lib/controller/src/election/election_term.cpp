// The work of a leader, and what others learn of it.
#include "election/election_engine.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/printable.hpp>

#include <charconv>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Bytes of a foreign identity in a log line.
constexpr std::size_t shown_new_leader = 256;

std::uint64_t number_of(const std::string& version) noexcept
{
    std::uint64_t out = 0;
    const auto* end = version.data() + version.size();
    const auto read = std::from_chars(version.data(), end, out);
    return read.ec == std::errc() && read.ptr == end ? out : 0;
}

template<class F, class... Args>
void call(const logger& log, const F& f, const Args&... args)
{
    if (!f) return;
    try {
        f(args...);
    } catch (...) {
        const auto why = to_failure(std::current_exception());
        log.error("a callback of a leader election threw", {{"failure", why.describe()}});
    }
}

} // namespace

/// Reports the end of the work when its coroutine ends, also by destruction.
class election_engine::work_mark
{
public:
    work_mark(election_engine& engine, election& e) noexcept : engine_(engine), election_(e) {}
    work_mark(const work_mark&) = delete;
    work_mark& operator=(const work_mark&) = delete;
    ~work_mark()
    {
        {
            std::lock_guard lock(engine_.mutex_);
            election_.work_outcome = std::move(outcome);
            election_.core.work_ended(engine_.time_->now());
        }
        engine_.news_.notify();
    }
    [[nodiscard]] const leader_work& work() const noexcept { return election_.work; }

    result<> outcome = failure(cond::cancelled);

private:
    election_engine& engine_;
    election& election_;
};

void election_engine::announce(election& e, const std::string& leader)
{
    new_leaders_->add();
    latch told;
    {
        std::lock_guard lock(mutex_);
        leader_ = leader;
        told = std::exchange(changed_, latch());
    }
    told.settle({});
    if (e.leaders_shown.pass(options_.log, time_->now())) show_leader(leader);
    call(options_.log, options_.on_new_leader, leader);
}

void election_engine::show_leader(const std::string& leader) const
{
    options_.log.info("new leader", {{"lease", to_string(key_)}, {"leader", printable(leader, shown_new_leader)}});
}

std::shared_ptr<leadership_state> election_engine::new_term(const lease_state& lease) const
{
    auto term = std::make_shared<leadership_state>();
    term->identity = options_.identity;
    term->lease_uid = lease.uid;
    term->token = number_of(lease.resource_version);
    term->transitions = lease.record.transitions;
    term->time = time_;
    return term;
}

void election_engine::start_work(election& e, const lease_state& lease)
{
    e.following.stop();
    const auto strand = make_kept_strand(executor_).get();
    latch leads;
    {
        std::lock_guard lock(mutex_);
        if (!e.term) e.term = new_term(lease);
        e.term->until = e.core.leads_until().time_since_epoch().count();
        leads = leading_;
    }
    is_leader_->set(1);
    const leadership shown_to_work(e.term);
    show_term(e);
    leads.settle({});
    auto mark = std::make_shared<work_mark>(*this, e);
    e.working.spawn("work of the leader of " + options_.lease, strand, work(std::move(mark), shown_to_work));
}

void election_engine::show_term(election& e)
{
    if (e.term_shown) return;
    options_.log.info(
        "this candidate leads",
        {{"lease", to_string(key_)}, {"identity", options_.identity}, {"transitions", e.term->transitions}});
    e.term_shown = true;
}

asio::awaitable<result<>> election_engine::work(std::shared_ptr<work_mark> mark, leadership l)
{
    const std::function<asio::awaitable<result<>>()> body = [&mark, &l] { return mark->work()(l); };
    mark->outcome = co_await catch_failure(body);
    co_return result<>{};
}

void election_engine::end_work(election& e, const result<>& why)
{
    if (!why) {
        is_leader_->set(0);
        options_.log.error("leadership lost: the work is cancelled",
                           {{"lease", to_string(key_)}, {"failure", why.error().describe()}});
    }
    e.term->ending.settle(why);
}

void election_engine::step_down(election& e)
{
    is_leader_->set(0);
    e.term->until = 0;
    {
        std::lock_guard lock(mutex_);
        leading_ = latch();
    }
    options_.log.info("the work of the leader has ended", {{"lease", to_string(key_)}});
}

void election_engine::finish(election& e, const result<>& outcome)
{
    e.following.stop();
    std::lock_guard lock(mutex_);
    auto end = outcome ? e.work_outcome : outcome;
    // That is what was asked of it.
    const bool asked = e.term && e.term->ending.settled();
    if (asked && !end && end.error() == cond::cancelled) end = {};
    e.ended.settle(end);
    if (stopped_) forget_waiters();
}

void election_engine::show_late_leader(election& e)
{
    std::string leader;
    {
        std::lock_guard lock(mutex_);
        leader = leader_;
    }
    if (e.leaders_shown.pass_late(options_.log, time_->now())) show_leader(leader);
}

/// Shows numbers and failures of the core to those outside.
void election_engine::report(election& e)
{
    std::optional<failure> trouble;
    std::uint64_t slow = 0;
    {
        std::lock_guard lock(mutex_);
        trouble = e.core.trouble();
        slow = e.core.slow_renewals();
        const bool leads = e.core.phase() == election_phase::leading || e.core.phase() == election_phase::ending;
        if (e.term && leads) e.term->until = e.core.leads_until().time_since_epoch().count();
    }
    if (e.leaders_shown.late_at()) show_late_leader(e);
    if (slow != e.slow_renewals_reported)
        slow_renewals_->add(static_cast<double>(slow - std::exchange(e.slow_renewals_reported, slow)));
    const auto condition = trouble ? std::optional<cond>(trouble->condition()) : std::nullopt;
    if (condition == std::exchange(e.trouble_reported, condition)) return;
    if (trouble)
        options_.log.warning("requests for a lease fail",
                             {{"lease", to_string(key_)}, {"failure", trouble->describe()}});
    else
        options_.log.info("requests for a lease succeed again", {{"lease", to_string(key_)}});
}

} // namespace kubecoro::detail
