// Metrics and log lines of a member, and its handle.
#include "shards/shard_engine.hpp"
#include "shards/shard_lease.hpp"

#include <utility>
#include <vector>

namespace asio = boost::asio;

namespace kubecoro {
namespace detail {

shard_engine::meters::meters(metrics& sink, const std::string& group)
{
    const metric_labels labels{{"group", group}};
    members = sink.make_gauge("kubecoro_shard_members", labels);
    settled = sink.make_gauge("kubecoro_shard_settled", labels);
    awaited_runs = sink.make_gauge("kubecoro_shard_awaited_runs", labels);
    awaited_informers = sink.make_gauge("kubecoro_shard_awaited_informers", labels);
    unreadable = sink.make_gauge("kubecoro_shard_unreadable_members", labels);
    moves = sink.make_counter("kubecoro_shard_moves_total", labels);
    evictions = sink.make_counter("kubecoro_shard_evictions_total", labels);
    losses = sink.make_counter("kubecoro_shard_losses_total", labels);
    suspensions = sink.make_counter("kubecoro_shard_suspensions_total", labels);
}

/// Shows what the core has decided to those outside, before the next step.
void shard_engine::report(membership& m)
{
    const auto now = stats();
    share_->works_until([&] {
        std::lock_guard lock(mutex_);
        if (now.state == shard_state::settled)
            settled_.settle({});
        else if (settled_.settled() && !stopped_)
            settled_ = latch();
        return m.core.is_in_time(time_->now()) ? m.core.works_until() : time_point::min();
    }());
    meters_.members->set(static_cast<double>(now.members));
    meters_.settled->set(now.state == shard_state::settled ? 1 : 0);
    meters_.awaited_runs->set(static_cast<double>(now.awaited_runs));
    meters_.awaited_informers->set(static_cast<double>(now.awaited_informers));
    const auto raise = [](metrics::counter& c, std::uint64_t& was, std::uint64_t is) {
        if (is > was) c.add(static_cast<double>(is - was));
        was = is;
    };
    raise(*meters_.moves, m.counted.moves, now.moves);
    raise(*meters_.evictions, m.counted.evictions, now.evictions);
    raise(*meters_.losses, m.counted.losses, now.losses);
    raise(*meters_.suspensions, m.counted.suspensions, now.suspensions);

    const bool news = now.state != m.counted.state || now.members != m.counted.members;
    m.counted.state = now.state;
    m.counted.members = now.members;
    const auto at = time_->now();
    if (news ? m.changes_shown.pass(options_.log, at) : m.changes_shown.pass_late(options_.log, at)) {
        const auto level = now.state == shard_state::suspended ? log_level::warning : log_level::info;
        options_.log.write(level, "shard member",
                           {{"group", options_.group},
                            {"identity", options_.identity},
                            {"state", to_string(now.state)},
                            {"members", now.members}});
    }
    report_unreadable(m);
    const auto condition = now.trouble ? std::optional<cond>(now.trouble->condition()) : std::nullopt;
    if (condition == std::exchange(m.trouble_reported, condition)) return;
    if (now.trouble)
        options_.log.warning("requests for the leases of a group fail",
                             {{"group", options_.group}, {"failure", now.trouble->describe()}});
    else
        options_.log.info("requests for the leases of a group succeed again", {{"group", options_.group}});
}

/// The keys of this member rest as long as such a Lease is there, which must not look like a group without work.
void shard_engine::report_unreadable(membership& m)
{
    std::vector<member_id> all;
    {
        std::lock_guard lock(mutex_);
        all = m.core.unreadable();
    }
    meters_.unreadable->set(static_cast<double>(all.size()));
    const auto first = all.empty() ? std::nullopt : std::optional<member_id>(all.front());
    const bool news = first != std::exchange(m.unreadable_reported, first);
    const auto at = time_->now();
    if (!(news ? m.unreadable_shown.pass(options_.log, at) : m.unreadable_shown.pass_late(options_.log, at))) return;
    if (first)
        options_.log.warning("the view of a member cannot be read: all keys wait until its lease is gone",
                             {{"group", options_.group},
                              {"lease", lease_name(options_.group, *first)},
                              {"unreadable", all.size()},
                              {"most_members", most_members}});
    else
        options_.log.info("the views of all members can be read", {{"group", options_.group}});
}

void shard_engine::finish(membership& m)
{
    m.following.stop();
    report(m);
    share_->works_until(time_point::min());
}

} // namespace detail

using namespace detail;

shard_member::shard_member(asio::any_io_executor executor, client cluster, shard_options options)
    : engine_(std::make_shared<shard_engine>(std::move(executor), std::move(cluster), std::move(options)))
{
}

shard_member::shard_member(shard_member&&) noexcept = default;

shard_member::~shard_member()
{
    if (engine_) shard_engine::abandon(engine_);
}

key_share shard_member::share() const { return key_share(engine_->share()); }
asio::awaitable<result<>> shard_member::run() { return shard_engine::run(engine_); }

asio::awaitable<result<>> shard_member::stop()
{
    request_stop();
    return shard_engine::over(engine_);
}

void shard_member::request_stop() { engine_->request_stop(false); }
void shard_member::request_stop_at_once() { engine_->request_stop(true); }
asio::awaitable<result<>> shard_member::settled() const { return shard_engine::settled(engine_); }
const std::string& shard_member::identity() const noexcept { return engine_->identity(); }
result<> shard_member::healthy(duration tolerance) const { return engine_->healthy(tolerance); }
shard_stats shard_member::stats() const { return engine_->stats(); }
std::string shard_member::describe() const { return kubecoro::describe(stats()); }

std::string_view to_string(shard_state s) noexcept
{
    switch (s) {
    case shard_state::idle:
        return "idle";
    case shard_state::joining:
        return "joining";
    case shard_state::moving:
        return "moving";
    case shard_state::settled:
        return "settled";
    case shard_state::suspended:
        return "suspended";
    case shard_state::leaving:
        break;
    }
    return "leaving";
}

std::string describe(const shard_stats& s)
{
    std::string out = s.identity + ": " + std::string(to_string(s.state)) + ", " + std::to_string(s.members) +
                      " members, " + std::to_string(s.moves) + " moves";
    if (s.awaited_runs != 0) out += ", waits for " + std::to_string(s.awaited_runs) + " runs";
    if (s.awaited_informers != 0) out += ", waits for " + std::to_string(s.awaited_informers) + " informers";
    if (s.losses != 0) out += ", lost its lease " + std::to_string(s.losses) + " times";
    if (s.suspensions != 0) out += ", was suspended " + std::to_string(s.suspensions) + " times";
    if (s.trouble) out += "; " + s.trouble->describe();
    return out;
}

} // namespace kubecoro
