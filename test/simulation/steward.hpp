#pragma once
// A controller over the world's informers: it is made, changed, stopped, abandoned and made again all the time.

#include "network.hpp"
#include "term.hpp"
#include "wanderer.hpp"

#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro::simulation {

/** One term after the other, each checked by itself. Among its sources is one whose resource is unknown or forbidden now
    and then. Writes through the bad network. Seeded by itself. */
class steward
{
public:
    /// @param fields  What the world's own informers offer; gadgets with an informer of its own are added.
    steward(std::vector<field> fields, informer_factory& informers, network& way, const wanderer& others,
            testing::runner& runner, journal& notes, std::uint64_t seed);
    ~steward();

    /// One thing happens to it.
    void one();
    /// What has stopped by itself is made again, later; at once when everything should be calm.
    void go_on();
    /// To be called when nothing is ready to run.
    void check_idle() const { terms_.back()->check_idle(); }
    /// All that goes wrong with it ends, or may begin again.
    void calm(bool yes);
    /// Empty when every term that runs has reconciled everything, else what has not.
    [[nodiscard]] std::string unsettled();
    /// The end of the program.
    void stop();
    [[nodiscard]] bool over() const;

    [[nodiscard]] std::uint64_t runs() const;
    [[nodiscard]] std::uint64_t terms() const noexcept { return terms_.size(); }

private:
    void begin_term();
    [[nodiscard]] term& now() { return *terms_.back(); }

    std::vector<field> fields_;
    network* way_;
    testing::runner* runner_;
    journal* notes_;
    random_source random_;
    std::uint64_t seed_;
    /// All of them: what was abandoned may run for a while.
    std::vector<std::unique_ptr<term>> terms_;
    bool forbidden_ = false;
    bool calm_ = false;
    bool stopping_ = false;
};

} // namespace kubecoro::simulation
