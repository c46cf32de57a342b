#pragma once

#include "election/leader_election_core.hpp"
#include "election/leadership_state.hpp"

#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/detail/line_limit.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/controller/leader_elector.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

namespace kubecoro::detail {

class request_mark;

/** The implementation of a leader_elector; see there. Performs the steps of leader_election_core.

    Its coroutines refer to it by reference: run() keeps it alive, and a handle destroyed early leaves it to its task groups. */
class election_engine : public std::enable_shared_from_this<election_engine>
{
public:
    election_engine(boost::asio::any_io_executor executor, client cluster, leader_election_options options);
    election_engine(const election_engine&) = delete;
    election_engine& operator=(const election_engine&) = delete;

    /// Completes when the term, if there was one, is over and nothing runs any more.
    [[nodiscard]] static boost::asio::awaitable<result<>> run(std::shared_ptr<election_engine> self, leader_work work);
    /// Completes when nothing runs any more.
    [[nodiscard]] static boost::asio::awaitable<result<>> over(std::shared_ptr<election_engine> self);
    void request_stop(bool at_once);
    /// Called when the handle is destroyed.
    static void abandon(const std::shared_ptr<election_engine>& self);

    [[nodiscard]] static boost::asio::awaitable<result<>> leading(std::shared_ptr<election_engine> self);
    [[nodiscard]] static boost::asio::awaitable<result<std::string>> new_leader(std::shared_ptr<election_engine> self,
                                                                                std::string known);
    [[nodiscard]] bool leads() const;
    [[nodiscard]] const std::string& identity() const noexcept { return options_.identity; }
    [[nodiscard]] result<> healthy(duration tolerance) const;
    [[nodiscard]] leader_stats stats() const;

private:
    /// One run(): from candidate to the end of its term.
    struct election
    {
        election(const leader_election_options& o, std::uint64_t seed, boost::asio::any_io_executor where,
                 leader_work w, const task_group::failure_handler& on_failure);
        [[nodiscard]] std::size_t running() const;
        leader_election_core core; // under the mutex
        leader_work work;
        std::shared_ptr<leadership_state> term; // under the mutex; an election has one at most
        bool term_shown = false;
        /// The Lease that was read or written last.
        object lease = {};
        latch ended = {};
        latch abandoned = {};
        result<> work_outcome = {}; // under the mutex
        /// The failure of a loop that has ended it.
        std::optional<failure> ended_by = {}; // under the mutex
        std::uint64_t slow_renewals_reported = 0;
        std::optional<cond> trouble_reported = {};
        /// Limits lines about new leaders: everyone who may write the Lease can cause any number.
        line_limit leaders_shown = {};
        task_group requesting;
        task_group working;
        task_group following;
        task_group supervising;
    };

    // election_engine.cpp
    static boost::asio::awaitable<result<>> run_to_the_end(std::shared_ptr<election_engine> self, leader_work work);
    [[nodiscard]] result<std::shared_ptr<election>> begin(leader_work work);
    [[nodiscard]] std::shared_ptr<election> current() const;
    static boost::asio::awaitable<result<>> joined(election& e);
    void forget_waiters();
    /// The one end for every failure of a loop: the work is cancelled, and the Lease expires.
    void end_by(election& e, const std::string& task, const failure& why);

    // election_driver.cpp: steps and requests
    static boost::asio::awaitable<result<>> drive(election_engine& self, election& e);
    void perform(election& e, const election_step::any& next);
    void ask(election& e, const election_step::any& what);
    static boost::asio::awaitable<result<>> request(election_engine& self, election& e,
                                                    std::shared_ptr<request_mark> mark, election_step::any what,
                                                    latch abandoned);
    /// The end of a request. @param answered  False: it ended by an exception.
    void note_end(election& e, bool answered);
    [[nodiscard]] boost::asio::awaitable<result<object>> operation(const election& e,
                                                                   const election_step::any& what) const;
    void take_answer(election& e, const result<object>& answer);
    static boost::asio::awaitable<result<>> follow(election_engine& self, election& e);
    void show(election& e, std::span<const watch_event> events);
    void show(election& e, const watch_event& event);
    void watch_ended(election& e);

    // election_term.cpp: the work, callbacks and waiters
    class work_mark;
    void announce(election& e, const std::string& leader);
    void show_leader(const std::string& leader) const;
    void show_late_leader(election& e);
    void start_work(election& e, const lease_state& lease);
    [[nodiscard]] std::shared_ptr<leadership_state> new_term(const lease_state& lease) const;
    void show_term(election& e);
    static boost::asio::awaitable<result<>> work(std::shared_ptr<work_mark> mark, leadership l);
    void end_work(election& e, const result<>& why);
    void step_down(election& e);
    void finish(election& e, const result<>& outcome);
    void report(election& e);

    kept_executor executor_;
    kept_executor strand_;
    client cluster_;
    leader_election_options options_;
    std::shared_ptr<time_source> time_;
    object_key key_;
    std::uint64_t next_seed_;
    std::shared_ptr<metrics::gauge> is_leader_;
    std::shared_ptr<metrics::counter> slow_renewals_;
    std::shared_ptr<metrics::counter> new_leaders_;

    mutable checked_mutex mutex_;
    std::shared_ptr<election> election_; // under the mutex: the last one
    bool stopped_ = false;               // under the mutex
    std::string leader_;                 // under the mutex
    latch leading_;                      // under the mutex: replaced after a term
    latch changed_;                      // under the mutex: replaced by each new leader

    /// Notifies the supervisor of input to the core.
    wake_signal news_;
};

} // namespace kubecoro::detail
