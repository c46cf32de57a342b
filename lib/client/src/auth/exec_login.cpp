#include "auth/exec_login.hpp"

#include "auth/child_process.hpp"

#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/timeout.hpp>

#include <utility>

#include <unistd.h>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

// Tokens have some KB, certificates too.
constexpr std::size_t most_output = std::size_t{1} << 20;
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

exec_caller::exec_caller(metrics& numbers, logger to, duration longest) : log(std::move(to)), limit(longest)
{
    const auto counter = [&](const char* code, const char* status) {
        return numbers.make_counter("rest_client_exec_plugin_call_total", {{"code", code}, {"call_status", status}});
    };
    succeeded = counter("0", "no_error");
    failed = counter("1", "plugin_execution_error");
    not_found = counter("1", "plugin_not_found_error");
    other = counter("1", "client_internal_error");
}

metrics::counter& exec_caller::of(std::optional<cond> why) const noexcept
{
    if (!why) return *succeeded;
    if (why == cond::not_found) return *not_found;
    return why == cond::unauthorized || why == cond::misconfigured ? *failed : *other;
}

exec_login::exec_login(const kept_executor& executor, settings s)
    : with_(std::move(s)), strand_(make_kept_strand(executor)), runs_(executor.get())
{
}

held_credential exec_login::last() const
{
    const std::lock_guard lock(mutex_);
    return core_.current();
}

asio::awaitable<result<held_credential>> exec_login::credential(std::shared_ptr<const exec_caller> by,
                                                                held_credential refused)
{
    std::shared_ptr<run> r;
    bool begins = false;
    {
        const std::lock_guard lock(mutex_);
        const auto now = with_.time->now();
        if (auto chosen = core_.choose(now, refused)) co_return chosen;
        begins = !running_;
        if (begins) {
            core_.on_run(now, refused);
            running_ = std::make_shared<run>();
            running_->by = std::move(by);
        }
        r = running_;
    }
    if (begins) begin(r);
    auto waiting = r->ended.wait();
    const auto outcome = co_await std::move(waiting);
    if (!outcome) co_return outcome.error();
    co_return last();
}

void exec_login::begin(const std::shared_ptr<run>& r)
{
    if (!runs_.spawn("credential plugin", strand_.get(), finish(r))) return end(*r, failure(cond::cancelled));
    runs_.keep_until_ended(shared_from_this());
}

void exec_login::end(run& r, result<> outcome)
{
    {
        const std::lock_guard lock(mutex_);
        running_.reset();
    }
    r.ended.settle(std::move(outcome));
}

asio::awaitable<result<>> exec_login::finish(std::shared_ptr<run> r)
{
    auto calling = call();
    auto limited = with_timeout(*with_.time, r->by->limit, "its run", std::move(calling));
    auto got = co_await std::move(limited);
    r->by->of(got ? std::nullopt : std::optional(got.error().condition())).add(1);
    result<> outcome;
    if (!got) {
        outcome = named(with_.plugin, got.error());
        r->by->log.warning("the credential plugin failed", {{"why", outcome.error().message()}});
    }
    if (got) keep(std::move(*got), *r->by);
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

void exec_login::keep(exec_credential c, const exec_caller& by)
{
    bool has_expired = false;
    {
        const std::lock_guard lock(mutex_);
        has_expired = core_.on_credential(std::move(c), with_.time->now(), with_.time->wall_now());
    }
    if (has_expired)
        by.log.warning("the credential plugin returned credentials that have expired",
                       {{"plugin", with_.plugin.command}});
}

} // namespace kubecoro::detail
