#pragma once

#include "shards/shard_core.hpp"
#include "shards/share_state.hpp"

#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/detail/line_limit.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/controller/shard_member.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

namespace kubecoro::detail {

class request_mark;

/** The implementation of a shard_member; see there. Performs the steps of shard_core.

    Its coroutines refer to it by reference: run() keeps it alive, and a handle destroyed early leaves it to its task groups. */
class shard_engine : public std::enable_shared_from_this<shard_engine>
{
public:
    shard_engine(boost::asio::any_io_executor executor, client cluster, shard_options options);
    shard_engine(const shard_engine&) = delete;
    shard_engine& operator=(const shard_engine&) = delete;

    [[nodiscard]] static boost::asio::awaitable<result<>> run(std::shared_ptr<shard_engine> self);
    /// Completes when nothing runs any more.
    [[nodiscard]] static boost::asio::awaitable<result<>> over(std::shared_ptr<shard_engine> self);
    void request_stop(bool at_once);
    /// Called when the handle is destroyed.
    static void abandon(const std::shared_ptr<shard_engine>& self);

    [[nodiscard]] static boost::asio::awaitable<result<>> settled(std::shared_ptr<shard_engine> self);
    [[nodiscard]] const std::shared_ptr<share_state>& share() const noexcept { return share_; }
    [[nodiscard]] const std::string& identity() const noexcept { return options_.identity; }
    [[nodiscard]] result<> healthy(duration tolerance) const;
    [[nodiscard]] shard_stats stats() const;

private:
    /// One run(): from joining to the end.
    struct membership
    {
        membership(const shard_options& o, const std::string& holder, std::uint64_t seed,
                   boost::asio::any_io_executor where, const task_group::failure_handler& on_failure);
        [[nodiscard]] std::size_t running() const;
        shard_core core; // under the mutex
        /// The failure of a loop that has ended it.
        std::optional<failure> ended_by = {}; // under the mutex
        /// The own Lease as it was read or written last.
        object lease = {};
        /// The epoch of the last assignment, until no run is left that it waits for.
        std::optional<std::uint64_t> draining = {};
        std::optional<cond> trouble_reported = {};
        /// The first member whose claim could not be read, as the log has it.
        std::optional<member_id> unreadable_reported = {};
        /// As the metrics and the log have it.
        shard_stats counted = {};
        /// Limits lines about members, views and deletions: everyone who may write a Lease of the group can cause them.
        line_limit changes_shown = {};
        line_limit unreadable_shown = {};
        line_limit deletions_shown = {};
        task_group requesting;
        task_group following;
        task_group supervising;
    };
    struct meters
    {
        meters(metrics& sink, const std::string& group);
        std::shared_ptr<metrics::gauge> awaited_informers;
        std::shared_ptr<metrics::gauge> members;
        std::shared_ptr<metrics::gauge> settled;
        std::shared_ptr<metrics::gauge> awaited_runs;
        std::shared_ptr<metrics::gauge> unreadable;
        std::shared_ptr<metrics::counter> moves;
        std::shared_ptr<metrics::counter> evictions;
        std::shared_ptr<metrics::counter> losses;
        std::shared_ptr<metrics::counter> suspensions;
    };

    // shard_engine.cpp
    static boost::asio::awaitable<result<>> run_to_the_end(std::shared_ptr<shard_engine> self);
    [[nodiscard]] result<std::shared_ptr<membership>> begin();
    [[nodiscard]] std::shared_ptr<membership> current() const;
    static boost::asio::awaitable<result<>> joined(membership& m);
    /// The one end for every failure of a loop: the work is suspended, and the Lease expires.
    void end_by(membership& m, const std::string& task, const failure& why);
    [[nodiscard]] shard_state state_of(const membership& m) const;

    // shard_driver.cpp: steps and requests
    static boost::asio::awaitable<result<>> drive(shard_engine& self, membership& m);
    void assign(membership& m, const shard_step::assign& step);
    [[nodiscard]] std::optional<time_point> look_after_runs(membership& m);
    void ask(membership& m, const shard_step::any& what);
    static boost::asio::awaitable<result<>> request(shard_engine& self, membership& m,
                                                    std::shared_ptr<request_mark> mark, shard_step::any what);
    /// The end of a request. @param answered  False: it ended by an exception.
    void note_end(membership& m, bool answered);
    [[nodiscard]] boost::asio::awaitable<result<>> sent(membership& m, const shard_step::any& what);
    [[nodiscard]] boost::asio::awaitable<result<>> list(membership& m, duration limit);
    [[nodiscard]] boost::asio::awaitable<result<>> write(membership& m, shard_view view, bool creates, duration limit);
    [[nodiscard]] boost::asio::awaitable<result<>> remove(membership& m, shard_step::remove what);
    [[nodiscard]] shard_listing read(membership& m, const list_page& page) const;
    static boost::asio::awaitable<result<>> follow(shard_engine& self, membership& m);
    void show(membership& m, std::span<const watch_event> events);
    void show(membership& m, const watch_event& event);
    void watch_ended(membership& m);

    // shard_report.cpp
    void report(membership& m);
    void report_unreadable(membership& m);
    void finish(membership& m);

    kept_executor executor_;
    kept_executor strand_;
    client cluster_;
    shard_options options_;
    std::shared_ptr<time_source> time_;
    std::string ns_;
    std::string holder_;
    std::uint64_t next_seed_;
    std::shared_ptr<share_state> share_;
    meters meters_;

    mutable checked_mutex mutex_;
    std::shared_ptr<membership> membership_; // under the mutex: the last one
    bool stopped_ = false;                   // under the mutex
    latch settled_;                          // under the mutex: replaced when it is not any more
    std::uint64_t moves_ = 0;                // under the mutex
};

} // namespace kubecoro::detail
