#pragma once
// The way from the client to the server, and everything that goes wrong on it.

#include "journal.hpp"
#include "lying_transport.hpp"

#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <cstdint>
#include <memory>

namespace kubecoro::simulation {

/** client -> faulty_transport -> lying_transport -> in_process_transport -> embedded_server. */
class network
{
public:
    network(apiserver::embedded_server& server, testing::runner& runner, journal& notes, std::uint64_t seed);
    ~network();

    /// The client that informers use.
    [[nodiscard]] client unreliable() const;
    /// What it sends through.
    [[nodiscard]] std::shared_ptr<transport> carrier() const;
    /// A client that no fault of ours touches; cut and restart do.
    [[nodiscard]] client reliable() const;

    /// One more thing goes wrong, from now on or once.
    void break_something();
    /// The same with what only hostile worlds have: requests that throw, dead addresses, bodies of any kind that stall.
    /// Draws from a source of its own, so that the other worlds stay as they were.
    void break_something_rare();
    /// Whoever asks for what has this in its target is refused for good; empty = nobody.
    void forbid(std::string target);
    /// From now on the network and the server are as they should be. What hangs already goes on hanging.
    void mend();

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace kubecoro::simulation
