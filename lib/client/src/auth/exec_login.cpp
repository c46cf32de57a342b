#include "auth/exec_login.hpp"

#include "auth/child_process.hpp"

#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/timeout.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

#include <unistd.h>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

// Tokens have some KB, certificates too.
constexpr std::size_t most_output = std::size_t{1} << 20;
// A token is renewed this long before it expires, or in the last fifth of its life.
constexpr std::chrono::seconds longest_leeway{10};
constexpr std::chrono::hours longest_life{365 * 24};
constexpr std::size_t shown_hint = 1000;

failure named(const exec_config& plugin, const failure& why)
{
    std::string text = "credential plugin " + plugin.command + ": " + why.message();
    if (why == cond::not_found && !plugin.install_hint.empty())
        text += "; " + printable(plugin.install_hint, shown_hint);
    const bool is_missing_or_wrong = why == cond::not_found || why == cond::corrupt;
    return failure(is_missing_or_wrong ? cond::misconfigured : why.condition(), std::move(text));
}

} // namespace

exec_login::exec_login(const kept_executor& executor, settings s)
    : with_(std::move(s)), strand_(make_kept_strand(executor)), runs_(executor.get(), with_.log)
{
    constexpr std::string_view calls = "kubecoro_client_exec_plugin_calls_total";
    succeeded_ = with_.numbers->make_counter(calls, {{"outcome", "succeeded"}});
    failed_ = with_.numbers->make_counter(calls, {{"outcome", "failed"}});
}

std::optional<std::string> exec_login::current(const std::optional<std::string>& refused) const
{
    if (!credential_ || credential_->token == refused) return std::nullopt;
    if (renew_at_ && with_.time->now() >= *renew_at_) return std::nullopt;
    return credential_->token;
}

asio::awaitable<result<std::string>> exec_login::token(std::optional<std::string> refused)
{
    std::shared_ptr<run> r;
    bool begins = false;
    {
        std::lock_guard lock(mutex_);
        if (auto token = current(refused)) co_return std::move(*token);
        begins = !running_;
        if (begins) running_ = std::make_shared<run>();
        r = running_;
    }
    if (begins) begin(r);
    auto waiting = r->ended.wait();
    const auto outcome = co_await std::move(waiting);
    if (!outcome) co_return outcome.error();
    std::lock_guard lock(mutex_);
    co_return credential_->token;
}

void exec_login::begin(const std::shared_ptr<run>& r)
{
    if (!runs_.spawn("credential plugin", strand_.get(), finish(r))) return end(*r, failure(cond::cancelled));
    runs_.keep_until_ended(shared_from_this());
}

void exec_login::end(run& r, result<> outcome)
{
    {
        std::lock_guard lock(mutex_);
        running_.reset();
    }
    r.ended.settle(std::move(outcome));
}

asio::awaitable<result<>> exec_login::finish(std::shared_ptr<run> r)
{
    auto calling = call();
    auto limited = with_timeout(*with_.time, with_.limit, "its run", std::move(calling));
    auto got = co_await std::move(limited);
    (got ? succeeded_ : failed_)->add(1);
    result<> outcome;
    if (!got) {
        outcome = named(with_.plugin, got.error());
        with_.log.warning("the credential plugin failed", {{"why", outcome.error().message()}});
    }
    if (got) keep(std::move(*got));
    end(*r, std::move(outcome));
    co_return result<>{};
}

asio::awaitable<result<exec_credential>> exec_login::call()
{
    using mode = exec_config::interactive_mode;
    const auto& plugin = with_.plugin;
    const bool has_terminal = ::isatty(STDIN_FILENO) == 1;
    if (plugin.interactive == mode::always && !has_terminal)
        co_return failure(cond::misconfigured, "it needs a terminal as standard input, and there is none");
    const bool interactive = has_terminal && plugin.interactive != mode::never;
    program p{.command = plugin.command,
              .arguments = plugin.arguments,
              .variables = plugin.variables,
              .interactive = interactive};
    p.variables.emplace_back("KUBERNETES_EXEC_INFO", interactive ? with_.interactive_info : with_.info);
    auto running = run_program(std::move(p), most_output);
    const auto end = co_await std::move(running);
    if (!end) co_return end.error();
    if (end->signal != 0)
        co_return failure(cond::unauthorized, "it was ended by signal " + std::to_string(end->signal));
    if (end->exit_code != 0)
        co_return failure(cond::unauthorized, "it failed with exit code " + std::to_string(end->exit_code));
    co_return read_exec_credential(end->output, plugin.api_version);
}

void exec_login::keep(exec_credential c)
{
    std::optional<time_point> renew_at;
    if (c.expires) {
        // In seconds: nanoseconds have no room for the year 9999, with which some plugins say "never".
        const auto now = std::chrono::floor<std::chrono::seconds>(with_.time->wall_now());
        const duration left =
            std::clamp<std::chrono::seconds>(*c.expires - now, std::chrono::seconds::zero(), longest_life);
        renew_at = with_.time->now() + left - std::min<duration>(longest_leeway, left / 5);
        if (left == duration::zero())
            with_.log.warning("the credential plugin returned a token that has expired",
                              {{"plugin", with_.plugin.command}});
    }
    std::lock_guard lock(mutex_);
    renew_at_ = renew_at;
    credential_ = std::move(c);
}

} // namespace kubecoro::detail
