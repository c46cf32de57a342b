#pragma once
// One world of the config-reloader: a server, a bad network, users, operators.

#include "ledger.hpp"
#include "operators.hpp"
#include "users.hpp"

#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::simulation {

/// The outcome of a world.
struct reloader_verdict
{
    /// Empty: every promise held.
    std::string broken;
    std::string last_steps;
    std::uint64_t hash = 0;
    /// Activity counts, which reveal a simulation that does nothing.
    std::uint64_t steps = 0, rolls = 0, causes = 0, operators = 0, quiet_points = 0;
};

/** Everything follows from the seed. Single use: construct, run, destroy. */
class reloader_world
{
public:
    explicit reloader_world(std::uint64_t seed, bool echo = false);
    ~reloader_world();
    reloader_world(const reloader_world&) = delete;
    reloader_world& operator=(const reloader_world&) = delete;

    reloader_verdict run();

private:
    void start();
    void step();
    void break_something();
    void let_truth_catch_up();
    void change_operators();
    void let_time_pass();
    void quiet_point();
    /// The first workload that is not in its wanted state; empty when none.
    [[nodiscard]] std::string unsettled() const;
    /// Whether a workload is not meant to be written: its references are missing, or it did not ask.
    [[nodiscard]] bool awaits_content() const;
    [[nodiscard]] std::uint64_t writes() const;
    void stop();
    template<class T>
    bool must(std::string_view what, boost::asio::awaitable<result<T>> body);

    std::uint64_t seed_;
    testing::runner runner_;
    journal notes_;
    detail::random_source random_;
    bool records_;
    std::unique_ptr<apiserver::embedded_server> server_;
    std::optional<network> network_;
    std::optional<users> users_;
    std::vector<std::unique_ptr<server_history>> truths_;
    /// The coroutines of the truths, and the tick.
    std::vector<testing::task<void>> followers_;
    std::optional<operators> operators_;
    reloader_verdict verdict_;
};

} // namespace kubecoro::simulation
