// One start of the operator: a runner, a client, a manager. It can end at any time, as a process that is killed.
#pragma once

#include "world/journal.hpp"
#include "world/wire.hpp"

#include <kubecoro/manager/manager.hpp>
#include <kubecoro/proof/check_operator.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace kubecoro::testing::detail {

/// Properties of every start of one operator.
struct replica_options
{
    std::string name = {};
    manager_options managing = {};
    const detail::operator_function* add = nullptr;
};

class replica
{
public:
    /// @param resync  The period of the resyncs of informers; 0 = none. @param identity  For the Lease; empty = no election.
    /// @param notes  Outlives the replica.
    replica(const replica_options& options, std::shared_ptr<virtual_clock> clock, std::shared_ptr<wire> connection,
            std::uint64_t seed, duration resync, const std::string& identity, journal& notes);
    /// As a process that is killed: no coroutine runs on.
    ~replica();
    replica(const replica&) = delete;
    replica& operator=(const replica&) = delete;

    /// Fills the manager and starts it.
    [[nodiscard]] result<> start();
    /// Runs a handler that is ready.
    bool run_ready() { return run_.run_ready(); }
    [[nodiscard]] bool is_running() const { return m_ && m_->phase() == manager_phase::running; }
    /// Why it has stopped by itself; empty while it has not.
    [[nodiscard]] std::optional<std::string> end() const;
    /// Runs that failed, and those that threw, since the start.
    [[nodiscard]] std::uint64_t failed() const;
    [[nodiscard]] std::uint64_t threw() const;
    [[nodiscard]] wire& connection() const noexcept { return *connection_; }

private:
    const replica_options* options_;
    journal* notes_;
    std::shared_ptr<bool> heard_;
    runner run_;
    std::shared_ptr<wire> connection_;
    client application_;
    std::optional<manager> m_;
};

/// A client of a runner, in virtual time.
[[nodiscard]] client client_on(runner& run, std::shared_ptr<transport> over, logger log, const std::string& name);

} // namespace kubecoro::testing::detail
