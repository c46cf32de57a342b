#include <kubecoro/program/run_operator.hpp>

#include "operator/operator_endpoints.hpp"
#include "operator/operator_flags.hpp"
#include "operator/operator_traces.hpp"
#include "operator/print_rbac.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/program/run_program.hpp>

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <string>
#include <utility>

namespace kubecoro {

namespace asio = boost::asio;

namespace {

/// The manager's outcome. A signal stops it, in order.
asio::awaitable<result<>> run_until_signal(manager& m, latch stop)
{
    co_await race(m.run(), stop.wait());
    co_return co_await m.stop();
}

/// The first failure counts. @param logged  Set if the manager has logged it.
asio::awaitable<result<>> serve_while_running(detail::operator_endpoints& endpoints, manager& m, latch stop,
                                              bool& logged)
{
    auto outcome = endpoints.start();
    if (outcome) {
        outcome = co_await run_until_signal(m, std::move(stop));
        logged = !outcome;
    }
    const auto ended = co_await endpoints.stop();
    co_return outcome ? ended : outcome;
}

asio::awaitable<result<>> operate(operator_options& o, const detail::operator_flags& flags,
                                  const detail::operator_setup& setup, program_context context, bool& logged)
{
    KUBECORO_TRY(const auto numbers, detail::operator_metrics(o));
    if (const auto traced = detail::begin_traces(flags, o); !traced) co_return traced.error();
    KUBECORO_TRY(auto cluster, client::connect(context.executor, o.connection));
    manager m(cluster, o.managing);
    if (const auto filled = setup(m, o); !filled) co_return filled.error().because("the set-up failed");
    detail::declare_rights_of_endpoints(o, m);
    detail::operator_endpoints endpoints(context.executor, o, numbers, m);
    co_return co_await serve_while_running(endpoints, m, context.stop, logged);
}

int print(const operator_options& o, const result<std::string>& text)
{
    if (text)
        std::cout << *text << std::flush;
    else
        std::cerr << o.name << ": " << text.error().describe() << '\n';
    return text ? 0 : 1;
}

} // namespace

int run_operator(operator_options options, int argc, const char* const* argv, const detail::operator_setup& setup)
{
    CLI::App app{options.description.empty() ? options.name : options.name + ": " + options.description, options.name};
    app.set_version_flag("--version", options.name + " " + (options.version.empty() ? "unknown" : options.version));
    detail::operator_flags flags;
    detail::add_flags(app, options.name, flags);
    if (!options.webhooks.empty()) detail::add_webhooks_flag(app, options.name, flags);
    if (options.flags) detail::add_own_flags(app, options.name, options.flags);
    try {
        app.parse(argc, argv);
        detail::check_environment(app);
    } catch (const CLI::ParseError& e) {
        return app.exit(e);
    }
    const log_control level(flags.threshold());
    const auto log = spdlog_logger(level, flags.form());
    detail::apply_flags(flags, options);
    options.connection.log = log;
    options.managing.log = log;
    if (!flags.print_rbac.empty()) return print(options, detail::rbac_of(options, setup, flags.print_rbac));
    if (!flags.print_cluster_rbac.empty())
        return print(options, detail::cluster_rbac_of(options, setup, flags.print_cluster_rbac));
    if (!flags.print_webhooks.empty()) return print(options, detail::webhooks_of(options, setup, flags.print_webhooks));
    detail::program_hooks how;
    // The manager's own stop is in order: only what hangs beside it is cancelled.
    const auto grace = saturating_sum(options.managing.grace, std::chrono::seconds{10});
    bool logged = false;
    how.on_failure = [&log, &logged](const failure& why) {
        if (!logged) log.error("failed", {{"failure", why.describe()}});
    };
    how.on_verbosity = [&](bool more) {
        level.set(detail::stepped(level.threshold(), more));
        log.write(level.threshold(), "log level changed", {{"threshold", to_string(level.threshold())}});
    };
    const auto work = [&](program_context context) {
        return operate(options, flags, setup, std::move(context), logged);
    };
    return detail::run_hooked(work, how, grace);
}

} // namespace kubecoro
