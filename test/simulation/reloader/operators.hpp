#pragma once
// Instances of the operator that come and go.

#include "journal.hpp"
#include "network.hpp"
#include "reloader.hpp"

#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/fault_plan.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro::simulation {

/** None, one or two of them at a time, none of which knows of the others. */
class operators
{
public:
    operators(network& way, testing::runner& runner, journal& notes, config_reloader::adoption first_sight,
              std::uint64_t seed);

    void start_one();
    /// In order, as SIGTERM does.
    void stop_one();
    /// As SIGKILL does, for all that anybody else can see: from now on it is not heard any more, in the middle of whatever it does.
    void kill_one();
    void stop_all();

    [[nodiscard]] std::size_t running() const noexcept { return instances_.size(); }
    [[nodiscard]] std::uint64_t begun() const noexcept { return begun_; }

private:
    struct instance
    {
        std::string name;
        std::shared_ptr<testing::fault_plan> plan;
        std::unique_ptr<config_reloader::reloader> subject;
    };

    void stop(instance& which);

    network* way_;
    testing::runner* runner_;
    journal* notes_;
    config_reloader::adoption first_sight_;
    random_source random_;
    std::vector<instance> instances_;
    std::uint64_t begun_ = 0;
};

} // namespace kubecoro::simulation
