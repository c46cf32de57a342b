#pragma once
// Drives controllers over the world's informers: creates, changes, stops, abandons and recreates them.

#include "checked_controller.hpp"
#include "network.hpp"
#include "roaming_informer.hpp"

#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro::simulation {

/** One controller after the other, each checked by itself. One of its sources has a resource that is sometimes unknown or
    forbidden. Writes through the bad network. Has its own seed. */
class controller_runner
{
public:
    /// @param informers  The world's own informers; gadgets with a private informer are added.
    controller_runner(std::vector<controlled_informer> informers, informer_factory& factory, network& way,
                      const roaming_informer& others, testing::runner& runner, journal& notes, std::uint64_t seed);
    ~controller_runner();

    /// Performs one random action.
    void one();
    /// Recreates a controller that has stopped by itself: later, or at once while calm.
    void go_on();
    /// To be called when nothing is ready to run.
    void check_idle() const { controllers_.back()->check_idle(); }
    /// Ends all faults of the controller, or permits them again.
    void calm(bool yes);
    /// Empty when every running controller has reconciled everything, else the first thing missing.
    [[nodiscard]] std::string unsettled();
    /// Stops for the end of the program.
    void stop();
    [[nodiscard]] bool over() const;

    [[nodiscard]] std::uint64_t runs() const;
    [[nodiscard]] std::uint64_t controllers() const noexcept { return controllers_.size(); }

private:
    void begin_term();
    [[nodiscard]] checked_controller& now() { return *controllers_.back(); }

    std::vector<controlled_informer> informers_;
    network* way_;
    testing::runner* runner_;
    journal* notes_;
    detail::random_source random_;
    std::uint64_t seed_;
    /// All controllers: an abandoned one may run for a while.
    std::vector<std::unique_ptr<checked_controller>> controllers_;
    bool forbidden_ = false;
    bool calm_ = false;
    bool stopping_ = false;
};

} // namespace kubecoro::simulation
