#pragma once
// Operator instances that start and stop.

#include "journal.hpp"
#include "network.hpp"
#include "reloader.hpp"

#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/fault_plan.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro::simulation {

/** Up to two instances at a time. In some worlds they do not know of each other, in others they elect a leader. */
class operators
{
public:
    operators(network& way, testing::runner& runner, journal& notes, config_reloader::adoption first_sight,
              std::uint64_t seed);
    ~operators();
    operators(const operators&) = delete;
    operators& operator=(const operators&) = delete;

    void start_one();
    /// Starts instances that have ended by themselves again, as a kubelet does: a lost leadership, no first list in time.
    void restart_ended();
    /// An orderly stop, as by SIGTERM.
    void stop_one();
    /// For every observer like SIGKILL: its requests no longer arrive, even in the middle of an action.
    void kill_one();
    void stop_all();

    [[nodiscard]] std::size_t running() const noexcept { return instances_.size(); }
    [[nodiscard]] std::uint64_t begun() const noexcept { return begun_; }

private:
    struct instance
    {
        std::string name;
        std::shared_ptr<testing::fault_plan> plan;
        std::unique_ptr<manager> subject;
        testing::task<void> running;
    };

    void run(instance& which);
    void stop(instance& which);
    [[nodiscard]] instance& any_one();
    void remove(const instance& which);

    network* way_;
    testing::runner* runner_;
    journal* notes_;
    config_reloader::adoption first_sight_;
    detail::random_source random_;
    bool elect_;
    std::vector<instance> instances_;
    std::uint64_t begun_ = 0;
};

} // namespace kubecoro::simulation
