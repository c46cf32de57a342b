#include "auth/exec_login.hpp"

#include "auth/child_process.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>

#include <boost/asio/execution_context.hpp>

#include <cstdint>
#include <map>
#include <unistd.h>
#include <utility>

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
    std::optional<run_end> begun;
    {
        const std::lock_guard lock(mutex_);
        const auto now = with_.time->now();
        if (auto chosen = core_.choose(now, refused)) co_return chosen;
        r = running_;
        if (!r) {
            r = std::make_shared<run>();
            r->by = std::move(by);
            begun.emplace(shared_from_this(), r);
            core_.on_run(now, refused);
            running_ = r;
        }
    }
    if (begun) begin(std::move(*begun));
    KUBECORO_TRY(co_await r->ended.wait());
    co_return last();
}

exec_login::run_end::run_end(std::shared_ptr<exec_login> of, std::shared_ptr<run> ended)
    : outcome(failure(cond::internal, "the run of the credential plugin was given up")),
      of_(std::move(of)),
      run_(std::move(ended))
{
}

exec_login::run_end::~run_end()
{
    if (!run_) return;
    {
        const std::lock_guard lock(of_->mutex_);
        if (of_->running_ == run_) of_->running_.reset();
    }
    run_->ended.settle(std::move(outcome));
}

void exec_login::begin(run_end end)
{
    const auto where = strand_.get();
    if (!where) end.outcome = failure(cond::cancelled);
    if (runs_.spawn("credential plugin", where, finish(std::move(end)))) runs_.keep_until_ended(shared_from_this());
}

asio::awaitable<result<>> exec_login::finish(run_end end)
{
    auto outcome = co_await catch_failure(renew(end.by()));
    end.outcome = std::move(outcome);
    co_return result<>{};
}

asio::awaitable<result<>> exec_login::renew(std::shared_ptr<const exec_caller> by)
{
    auto got = co_await with_timeout(*with_.time, by->limit, "its run", call());
    by->of(got ? std::nullopt : std::optional(got.error().condition())).add(1);
    if (!got) {
        auto why = named(with_.plugin, got.error());
        by->log.warning("the credential plugin failed", {{"why", why.message()}});
        co_return why;
    }
    keep(std::move(*got), *by);
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
    KUBECORO_TRY(const auto end, co_await run_program(std::move(p), most_output));
    if (end.signal != 0) co_return failure(cond::unauthorized, "it was ended by signal " + std::to_string(end.signal));
    if (end.exit_code != 0)
        co_return failure(cond::unauthorized, "it failed with exit code " + std::to_string(end.exit_code));
    co_return read_exec_credential(end.output, plugin.api_version);
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

namespace {

/// The logins of one context, by configuration.
class exec_logins final : public asio::execution_context::service
{
public:
    using key_type = exec_logins;
    static asio::execution_context::id id;

    explicit exec_logins(asio::execution_context& context) : service(context) {}

    std::shared_ptr<exec_login> find_or_make(const std::string& configuration, const kept_executor& executor,
                                             exec_login::settings with)
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(by_configuration_, [](const auto& entry) { return entry.second.expired(); });
        auto& entry = by_configuration_[configuration];
        if (auto found = entry.lock()) return found;
        auto made = std::make_shared<exec_login>(executor, std::move(with));
        entry = made;
        return made;
    }

private:
    void shutdown() override {}

    std::mutex mutex_;
    // The keys hold settings of plugins, which may be secret, and go with the last client.
    std::map<std::string, std::weak_ptr<exec_login>> by_configuration_;
};
asio::execution_context::id exec_logins::id;

/// Equal for equal settings. The cluster counts even if its plugin does not ask for it: no credentials are sent to another one.
std::string key_of(const exec_config& plugin, const cluster_config& cluster, const time_source* time)
{
    std::string key;
    const auto add = [&](const std::string& text) { key += std::to_string(text.size()) + ":" + text; };
    auto telling = plugin;
    telling.provide_cluster_info = true;
    add(exec_info(telling, cluster, plugin.provide_cluster_info));
    add(plugin.command);
    add(plugin.install_hint);
    add(std::to_string(static_cast<int>(plugin.interactive)));
    add(std::to_string(plugin.arguments.size()));
    for (const auto& a : plugin.arguments) add(a);
    for (const auto& [name, value] : plugin.variables) {
        add(name);
        add(value);
    }
    add(std::to_string(reinterpret_cast<std::uintptr_t>(time)));
    return key;
}

bool has_precedence_over_plugins(const cluster_config& c)
{
    const auto& login = c.login;
    return !login.token.empty() || !login.token_file.empty() || !login.username.empty() ||
           !c.client_certificate.empty() || !c.client_certificate_file.empty();
}

} // namespace

exec_access find_exec_login(const kept_executor& executor, const cluster_config& cluster,
                            const std::shared_ptr<time_source>& time, exec_caller caller)
{
    if (!cluster.login.exec || has_precedence_over_plugins(cluster)) return {};
    const auto& plugin = *cluster.login.exec;
    exec_login::settings with{.plugin = plugin,
                              .interactive_info = exec_info(plugin, cluster, true),
                              .info = exec_info(plugin, cluster, false),
                              .time = time};
    exec_access out;
    out.caller = std::make_shared<const exec_caller>(std::move(caller));
    const auto at = executor.get();
    if (!at) return out;
    auto& all = asio::use_service<exec_logins>(asio::query(at, asio::execution::context));
    out.login = all.find_or_make(key_of(plugin, cluster, time.get()), executor, std::move(with));
    return out;
}

} // namespace kubecoro::detail
