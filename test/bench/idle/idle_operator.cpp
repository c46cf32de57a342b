// An operator with every endpoint, an election, and two controllers that have nothing to do.
#include <kubecoro/base/try.hpp>
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/pod.hpp>
#include <kubecoro/program/run_operator.hpp>

#include <iostream>

namespace asio = boost::asio;
using namespace kubecoro;

namespace {

/// Prints a line of JSON when everything has started.
asio::awaitable<result<>> report(manager& m)
{
    KUBECORO_TRY(co_await m.ready());
    std::cout << R"({"ready":true})" << std::endl;
    co_return result<>{};
}

asio::awaitable<result<action>> nothing(const object_key&, reconcile_context&) { co_return action::done(); }

} // namespace

int main(int argc, char** argv)
{
    operator_options o;
    o.name = "idle-operator";
    o.leader_election.lease = "idle-operator";
    o.metrics = "0";
    o.health = "0";
    o.protect = true;
    return run_operator(o, argc, argv, [](manager& m) {
        m.control<core_v1::config_map>(&nothing);
        m.control<core_v1::pod>(&nothing);
        m.run("report", [&m] { return report(m); });
    });
}
