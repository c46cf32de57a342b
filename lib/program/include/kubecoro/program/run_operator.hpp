#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/manager/detail/setup_function.hpp>
#include <kubecoro/manager/manager.hpp>
#include <kubecoro/program/operator_options.hpp>

namespace kubecoro {

/** A whole operator: reads the command line and the environment, connects, makes a manager, lets `setup` fill it, and runs
    it until a signal.

        int main(int argc, char** argv)
        {
            kubecoro::operator_options o{
                .name = "janitor", .leader_election = {.lease = "janitor"}, .metrics = ":8080", .health = ":8081"};
            return kubecoro::run_operator(o, argc, argv, [](kubecoro::manager& m) {
                m.control<config_bundle>(janitor{m}).owns<config_map>();
            });
        }

    Flags, each also an environment variable such as JANITOR_LOG_LEVEL, which the flag overrides: --kubeconfig, --context,
    -n/--namespace (repeatable; in the environment separated by commas), --log-level, -v (more; -vv all), --log-format,
    --metrics-address, --metrics-certificate, --metrics-key, --metrics-secure and --no-metrics-secure, --health-address,
    --webhooks-address (of programs with webhooks), --leader-election and --no-leader-election, --leader-election-lease, --leader-election-namespace; --help and --version.
    `--print-rbac NAMESPACE` prints the manifest of the rights that the set-up declares, for a service account there, and
    asks no server; `--print-cluster-rbac NAMESPACE` those that it needs in the clusters of manager::clusters();
    `--print-webhooks NAMESPACE` the Service and configurations of its webhooks, and its rights.

    SIGINT and SIGTERM stop the manager in order, a second one ends the program at once. SIGUSR1 logs one level more,
    SIGUSR2 one less.
    @param setup  Fills the manager: a function of `manager&`, or of `manager&` and the options after the command line (`const
                  operator_options&`), that returns nothing or result<>.
    @return  the exit status: 0 after a stop that was asked for, 1 after a failure, which is logged, 130 after a second
             signal, and CLI11's own (100 and more) for a wrong command line. */
[[nodiscard]] int run_operator(operator_options options, int argc, const char* const* argv,
                               const detail::setup_function<const operator_options&>& setup);

} // namespace kubecoro
