#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/manager/manager.hpp>
#include <kubecoro/program/operator_options.hpp>

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

namespace kubecoro {

/// Fills a manager: a function of `manager&`, or of `manager&` and the options after the command line (`const
/// operator_options&`), that returns nothing or result<>.
class operator_setup
{
public:
    /// Keeps a callable. Implicit, so that callers pass the callable itself.
    template<class F>
        requires(!std::same_as<std::remove_cvref_t<F>, operator_setup> &&
                 (std::is_invocable_v<F&, manager&> || std::is_invocable_v<F&, manager&, const operator_options&>))
    // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the constraint leaves copying and moving alone
    operator_setup(F&& f)
    {
        kept_ = [f = std::forward<F>(f)](manager& m, const operator_options& o) mutable -> result<> {
            const auto fill = [&] {
                if constexpr (std::is_invocable_v<F&, manager&>)
                    return f(m);
                else
                    return f(m, o);
            };
            // Anything else would be dropped: a failure of another result, or a coroutine that never begins.
            static_assert(std::is_void_v<decltype(fill())> || std::is_convertible_v<decltype(fill()), result<>>,
                          "the set-up of an operator returns nothing or kubecoro::result<>; coroutines are for "
                          "manager::run()");
            if constexpr (std::is_convertible_v<decltype(fill()), result<>>)
                return fill();
            else
                fill();
            return {};
        };
    }
    /// Calls it. Exceptions become failures.
    [[nodiscard]] result<> operator()(manager& m, const operator_options& o) const;

private:
    std::function<result<>(manager&, const operator_options&)> kept_;
};

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
    @return  the exit status: 0 after a stop that was asked for, 1 after a failure, which is logged, 130 after a second
             signal, and CLI11's own (100 and more) for a wrong command line. */
[[nodiscard]] int run_operator(operator_options options, int argc, const char* const* argv,
                               const operator_setup& setup);

} // namespace kubecoro
