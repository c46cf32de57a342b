#pragma once
// An embedded server in virtual time, and networks to it: what replicas of a program share.

#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/faulty_transport.hpp>

#include <memory>
#include <utility>

namespace replica_test {

namespace asio = boost::asio;
namespace kt = kubecoro::testing;
using namespace kubecoro;

struct networked_server
{
    kt::runner& run;
    apiserver::embedded_server server;

    explicit networked_server(kt::runner& r) : run(r), server(r.executor(), options(r)) {}

    client connect(const std::shared_ptr<kt::fault_plan>& plan) { return connect(plan, run.executor()); }
    client connect(const std::shared_ptr<kt::fault_plan>& plan, const asio::any_io_executor& executor)
    {
        client_options how;
        how.time = run.shared_clock();
        how.seed = 1;
        auto direct = std::make_shared<apiserver::in_process_transport>(server);
        auto carrier = std::make_shared<kt::faulty_transport>(std::move(direct), plan, run.shared_clock());
        return {executor, std::move(carrier), std::move(how)};
    }
    /// A client whose network has no faults.
    client plain() { return connect(std::make_shared<kt::fault_plan>()); }

private:
    static apiserver::server_options options(kt::runner& r)
    {
        apiserver::server_options o;
        o.time = r.shared_clock();
        return o;
    }
};

/// The time until `done` returns true.
template<class F>
duration time_until(kt::runner& run, const F& done)
{
    const auto begun = run.clock().now();
    REQUIRE(run.run_until(done).has_value());
    return run.clock().now() - begun;
}

} // namespace replica_test
