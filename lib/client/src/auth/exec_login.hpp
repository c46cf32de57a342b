#pragma once
// The credentials of a plugin, shared by all requests of the clients that are configured alike.

#include "auth/exec_login_core.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/base/task_group.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace kubecoro::detail {

/// The client that asks for credentials. A run that it causes is limited, counted and logged by its options.
struct exec_caller
{
    exec_caller(metrics& numbers, logger to, duration longest);

    logger log;
    /// Maximum length of a run. 0 = no limit.
    duration limit;
    std::shared_ptr<metrics::counter> succeeded;
    /// It failed, or could not be understood.
    std::shared_ptr<metrics::counter> failed;
    std::shared_ptr<metrics::counter> not_found;
    /// It did not end, or no run could be begun.
    std::shared_ptr<metrics::counter> other;

    /// The counter of a run. @param why  Why it failed; nothing = it did not.
    [[nodiscard]] metrics::counter& of(std::optional<cond> why) const noexcept;
};

/** Runs a credential plugin when its credentials are needed: for the first request, shortly before they expire, and
    after the server has refused them. One run at a time, for which all requests wait. Thread safe. */
class exec_login : public std::enable_shared_from_this<exec_login>
{
public:
    struct settings
    {
        exec_config plugin;
        /// KUBERNETES_EXEC_INFO for a plugin that may use standard input, and for one that may not.
        std::string interactive_info;
        std::string info;
        std::shared_ptr<time_source> time;
    };

    exec_login(const kept_executor& executor, settings s);

    /** Returns the current credentials.

        @param refused       Credentials that the server does not accept: the plugin is run unless there are others by
                             now, or it ran for this reason a short time ago, which returns the same ones.
        @par Errors          unauthorized: the plugin reports a failure; misconfigured: it does not exist, or prints
                             something else; timed_out; cancelled.
        @par Cancellation    terminal, partial, total: the run continues for other requests. */
    [[nodiscard]] boost::asio::awaitable<result<held_credential>> credential(std::shared_ptr<const exec_caller> by,
                                                                             held_credential refused = nullptr);
    /// The credentials of the last run; null = there was none.
    [[nodiscard]] held_credential last() const;

private:
    /// A run of the plugin that has not ended.
    struct run
    {
        latch ended;
        std::shared_ptr<const exec_caller> by;
    };

    /// Ends a run when its coroutine ends or is dropped, or when it cannot be started: others wait for it without a limit.
    class run_end
    {
    public:
        run_end(std::shared_ptr<exec_login> of, std::shared_ptr<run> ended);
        run_end(run_end&&) noexcept = default;
        run_end& operator=(run_end&&) = delete;
        ~run_end();

        result<> outcome;
        [[nodiscard]] std::shared_ptr<const exec_caller> by() const { return run_->by; }

    private:
        std::shared_ptr<exec_login> of_;
        std::shared_ptr<run> run_;
    };

    void begin(run_end end);
    [[nodiscard]] boost::asio::awaitable<result<>> finish(run_end end);
    /// Runs the plugin and keeps its credentials.
    [[nodiscard]] boost::asio::awaitable<result<>> renew(std::shared_ptr<const exec_caller> by);
    [[nodiscard]] boost::asio::awaitable<result<exec_credential>> call();
    void keep(exec_credential c, const exec_caller& by);

    settings with_;
    kept_executor strand_;
    task_group runs_;

    mutable std::mutex mutex_;
    exec_login_core core_;
    std::shared_ptr<run> running_;
};

/// A client's way to the login of its plugin.
struct exec_access
{
    /// Null: there is no plugin.
    std::shared_ptr<exec_login> login = {};
    std::shared_ptr<const exec_caller> caller = {};
};

/** The plugin of the configuration, unless that has a token, a user name or a client certificate, which have precedence.

    All clients with equal configurations whose executors have the same context share a login, as long as one of them
    exists: the plugin runs once for all of them. */
[[nodiscard]] exec_access find_exec_login(const kept_executor& executor, const cluster_config& cluster,
                                          const std::shared_ptr<time_source>& time, exec_caller caller);

} // namespace kubecoro::detail
