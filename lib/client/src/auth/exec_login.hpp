#pragma once
// The credentials of a plugin, shared by all requests of a client.

#include "auth/exec_credential.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/context_bound.hpp>
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
        std::shared_ptr<metrics> numbers;
        logger log;
        /// Maximum length of a run. 0 = no limit.
        duration limit{};
    };

    exec_login(const kept_executor& executor, settings s);

    /** Returns the current token.

        @param refused       A token that the server does not accept: the plugin is run unless there is another by now.
        @par Errors          unauthorized: the plugin reports a failure; misconfigured: it does not exist, or prints
                             something else; timed_out; cancelled.
        @par Cancellation    terminal, partial, total: the run continues for other requests. */
    [[nodiscard]] boost::asio::awaitable<result<std::string>> token(std::optional<std::string> refused = std::nullopt);

private:
    /// A run of the plugin that has not ended.
    struct run
    {
        latch ended;
    };

    [[nodiscard]] std::optional<std::string> current(const std::optional<std::string>& refused) const;
    [[nodiscard]] boost::asio::awaitable<result<>> finish(std::shared_ptr<run> r);
    void begin(const std::shared_ptr<run>& r);
    void end(run& r, result<> outcome);
    [[nodiscard]] boost::asio::awaitable<result<exec_credential>> call();
    void keep(exec_credential c);

    settings with_;
    kept_executor strand_;
    task_group runs_;
    std::shared_ptr<metrics::counter> succeeded_;
    std::shared_ptr<metrics::counter> failed_;

    mutable std::mutex mutex_;
    std::optional<exec_credential> credential_;
    /// When the plugin is run again; none = when the server refuses the token.
    std::optional<time_point> renew_at_;
    std::shared_ptr<run> running_;
};

} // namespace kubecoro::detail
