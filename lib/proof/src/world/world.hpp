// One run: an embedded server, the operator, and virtual time, with one seed.
#pragma once

#include "world/journal.hpp"
#include "world/replica.hpp"
#include "world/scenario.hpp"
#include "world/wire.hpp"

#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/client/transport.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::testing::detail {

class world
{
public:
    /// @param about  Outlives the world. @param resync  The period of the resyncs of informers; 0 = none.
    /// @param elects  Whether the operator leads by a Lease, which another replica may take over.
    world(const scenario& about, std::uint64_t seed, duration resync, bool elects, bool traced);
    ~world();
    world(const world&) = delete;
    world& operator=(const world&) = delete;

    /// Fills the server. Call it first.
    [[nodiscard]] result<> restore();
    /// Before the operator starts. @param master  Outlives the world's last step.
    void set_master(traffic_master& master) noexcept { master_ = &master; }
    /// Starts the operator. A failure of its set-up is kept as its end.
    void start_operator() { start(seats_.front()); }
    /// Ends the operator at the next step, or when it has done what it can do at once. It starts again after `pause`.
    /// @param life  The start that ends; 0 = the one that leads.
    void end_operator(unsigned life, bool when_idle, duration pause);
    /// Cuts a start off the server for a time, the one that leads for 0, and starts a replica beside it.
    void hand_over(unsigned life, duration lasts);
    /// Ends the watches of all replicas: with a broken connection, or with 410.
    void end_watches(bool expired);

    /// Lets virtual time pass. @return false when too many handlers ran: something is busy for ever.
    bool advance_to(time_point end);
    bool advance(duration d) { return advance_to(clock_->now() + d); }
    [[nodiscard]] time_point now() const { return clock_->now(); }
    /// Calls `f` between two steps, at that time.
    void at(time_point when, std::function<void()> f) { agenda_.emplace(when, std::move(f)); }
    /// Called after each step that wrote something.
    void on_change(std::function<void()> f) { on_change_ = std::move(f); }
    /// Something was written.
    void changed() noexcept { changed_ = true; }

    [[nodiscard]] bool elects() const noexcept { return elects_; }
    /// Whether one of the replicas does all that the operator does.
    [[nodiscard]] bool is_running() const { return seats_.front().leads() || seats_.back().leads(); }
    /// The replica that leads, else the first one; null while there is none.
    [[nodiscard]] replica* running_operator() { return seat_of(0)->running.get(); }
    /// Why the operator ended by itself, each time.
    [[nodiscard]] const std::vector<std::string>& ends() const noexcept { return ends_; }
    /// Runs that threw, of all starts.
    [[nodiscard]] std::uint64_t threw() const;

    /// The state as text. Between steps.
    [[nodiscard]] std::string dump();
    /// Between steps.
    [[nodiscard]] std::vector<object> objects(std::string_view resource);
    /// Runs a coroutine of a user beside the others.
    void spawn(boost::asio::awaitable<result<>> body);
    /// Coroutines of users that have not ended.
    [[nodiscard]] std::size_t hands() const;
    [[nodiscard]] apiserver::embedded_server& server() noexcept { return server_; }
    [[nodiscard]] virtual_clock& clock() noexcept { return *clock_; }
    [[nodiscard]] journal& notes() noexcept { return notes_; }

private:
    /// The place of a replica, which starts again there.
    struct seat
    {
        std::unique_ptr<replica> running;
        /// Counted from 1 over all starts.
        unsigned life = 0;
        bool dying = false;
        bool when_idle = false;
        duration pause{};

        [[nodiscard]] bool leads() const { return running && !dying && running->is_running(); }
    };

    void start(seat& s);
    static void end(seat& s, bool when_idle, duration pause);
    /// Null for a start that has ended. 0 = the one that leads, else the first one.
    [[nodiscard]] seat* seat_of(unsigned life);
    [[nodiscard]] bool run_one();
    [[nodiscard]] bool bury(seat& s);
    /// @return whether a replica has ended by itself.
    [[nodiscard]] bool look_for_ends();

    const scenario* about_;
    duration resync_;
    bool elects_;
    std::shared_ptr<virtual_clock> clock_;
    kubecoro::detail::random_source random_;
    journal notes_;
    runner server_run_;
    apiserver::embedded_server server_;
    std::shared_ptr<transport> direct_;
    traffic_master* master_ = nullptr;
    std::array<seat, 2> seats_;
    std::multimap<time_point, std::function<void()>> agenda_;
    std::vector<task<void>> hands_;
    std::function<void()> on_change_;
    std::vector<std::string> ends_;
    std::uint64_t threw_ = 0;
    std::size_t steps_ = 0;
    unsigned lives_ = 0;
    bool changed_ = false;
};

/// The options of a server of the check. @param seed  Makes uids: no two servers through which one cluster passes may have the same.
[[nodiscard]] apiserver::server_options server_options_of(const operator_check_options& o,
                                                          std::shared_ptr<time_source> time, std::uint64_t seed);

} // namespace kubecoro::testing::detail
