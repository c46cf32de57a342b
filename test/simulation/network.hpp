#pragma once
// The connection from the client to the server, and its faults.

#include "journal.hpp"
#include "lying_transport.hpp"

#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <cstdint>
#include <memory>

namespace kubecoro::simulation {

/// The form of watches in the world of a seed: protobuf in two of five.
[[nodiscard]] constexpr wire_form watches_of(std::uint64_t seed) noexcept
{
    return seed % 5 == 2 || seed % 5 == 3 ? wire_form::protobuf : wire_form::json;
}

/** client -> faulty_transport -> lying_transport -> in_process_transport -> embedded_server. */
class network
{
public:
    /// @param watches  The form of the watches of unreliable(), for kinds that have it.
    network(apiserver::embedded_server& server, testing::runner& runner, journal& notes, std::uint64_t seed,
            wire_form watches);
    ~network();

    /// The client that informers use.
    [[nodiscard]] client unreliable() const;
    /// The transport of unreliable().
    [[nodiscard]] std::shared_ptr<transport> carrier() const;
    /// A client without injected faults; cuts and restarts of the server affect it.
    [[nodiscard]] client reliable() const;

    /// Begins one more fault, temporary or lasting.
    void break_something();
    /// The same with faults of hostile worlds only: requests that throw, dead addresses, stalled bodies of any kind.
    /// Has its own random source, so that the other worlds stay unchanged.
    void break_something_rare();
    /// From now on, refuses requests whose target contains this; empty = none.
    void forbid(std::string target);
    /// How often a cache that stood still has answered a list, and refused a watch.
    [[nodiscard]] std::uint64_t stale_answers() const;
    /// Ends all faults of network and server. Connections that already hang keep hanging.
    void mend();

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace kubecoro::simulation
