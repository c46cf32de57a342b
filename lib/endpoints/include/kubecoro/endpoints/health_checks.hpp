#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubecoro {

/** One check of health_checks: a function or a coroutine without parameters that says whether something is well.

        checks.add_ready("database", [&]() -> asio::awaitable<result<>> { co_return co_await database.ping(); });
        checks.add_live("ticks", [&]() -> result<> { if (stuck()) return failure{cond::internal, "no tick"}; return {}; });

    It must not block. An exception counts as a failure. It may be called several times at once. */
class health_check
{
public:
    /// Keeps the callable, which returns result<> or awaitable<result<>>.
    template<class F>
        requires(!std::same_as<std::remove_cvref_t<F>, health_check>)
    // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the constraint leaves copying and moving alone
    health_check(F&& f)
    {
        using kept = std::decay_t<F>;
        static_assert(std::is_invocable_v<kept&>, "a health check takes no parameters");
        if constexpr (std::is_invocable_v<kept&>) {
            using returned = std::invoke_result_t<kept&>;
            constexpr bool waits = std::is_same_v<returned, boost::asio::awaitable<result<>>>;
            static_assert(waits || std::is_same_v<returned, result<>>,
                          "a health check returns kubecoro::result<> or asio::awaitable<kubecoro::result<>>");
            if constexpr (waits)
                call_ = std::forward<F>(f);
            else
                call_ = [f = kept(std::forward<F>(f))]() mutable { return as_awaitable(f()); };
        }
    }

    /** Performs the check. The check must outlive the awaitable.

        @par Cancellation  as the check itself. */
    [[nodiscard]] boost::asio::awaitable<result<>> run() const { return call_(); }

private:
    static boost::asio::awaitable<result<>> as_awaitable(result<> r) { co_return r; }

    std::function<boost::asio::awaitable<result<>>()> call_;
};

/// The questions of a kubelet.
enum class health_probe
{
    /// Whether the program has to be restarted: /livez, and /healthz, its older name.
    live,
    /// Whether the program can do its work now: /readyz.
    ready
};
/// "livez" or "readyz".
[[nodiscard]] std::string_view to_string(health_probe p) noexcept;

/// Options of health_checks.
struct health_options
{
    /// Receives kubecoro_endpoints_health_check. Empty = no metrics.
    std::shared_ptr<kubecoro::metrics> metrics = {};
    /// Empty = real_clock().
    std::shared_ptr<time_source> time = {};
    /// Receives a line whenever a check begins to fail or to succeed, with the reason.
    logger log = {};
};

/** The checks behind /livez and /readyz. Checks are added and removed while the program runs.

    A cheap handle; copies refer to the same checks. Thread safe. Every probe also has the check `ping`, which succeeds.
    Checks run one after the other, on the executor of the caller. */
class health_checks
{
public:
    /// The answer of one check.
    struct verdict
    {
        /// Its name.
        std::string name;
        /// Success, or why it failed.
        result<> outcome;
        /// For add_ready_detail(): makes the text. Empty for other checks.
        std::function<std::string()> detail = {};
    };

    /// Begins without checks.
    explicit health_checks(health_options options = {});

    /// Adds a check to /livez and /healthz. One that takes longer than `timeout` is cancelled and has failed; 0 = no limit. A
    /// kubelet waits 1 s by default. Errors: already_exists; invalid, when the name has other characters than
    /// letters, digits, `-`, `_`, `.` and `:`, or more than 128.
    result<> add_live(std::string name, health_check check,
                      saturating_duration timeout = std::chrono::milliseconds{900}) const;
    /// Adds a check to /readyz. As add_live().
    result<> add_ready(std::string name, health_check check,
                       saturating_duration timeout = std::chrono::milliseconds{900}) const;
    /** Adds a line to the verbose answer of /readyz, for something that does not make the program unready, such as the state of a
        cluster among many. The text is called for when details are asked for, and cut after 1,000 bytes; none is "ok". Anyone who reaches the
        endpoint reads it: no secrets, no messages of servers. Errors: as add_live(). */
    result<> add_ready_detail(std::string name, std::function<std::string()> text) const;
    /// Removes the check from both. A call in progress goes on. @return whether there was one.
    bool remove(std::string_view name) const;
    /** remove(), then completes when no call of the check is in progress.

        @par Cancellation  ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> removed(std::string name) const;

    /// Names of the checks of a probe, in the order in which they were added. The first is `ping`.
    [[nodiscard]] std::vector<std::string> names(health_probe which) const;
    /** Runs those checks of a probe, in their order. Unknown names are left out.

        Never fails. The caller's executor must be serialised, as for race().
        @par Cancellation  terminal: cancels the check in progress, which then has failed; no other begins. */
    [[nodiscard]] boost::asio::awaitable<std::vector<verdict>> run(health_probe which,
                                                                   std::vector<std::string> names) const;

private:
    struct state;
    class entry;
    result<> add(health_probe which, std::string name, health_check check, duration timeout,
                 std::function<std::string()> detail = {}) const;
    std::shared_ptr<state> state_;
};

} // namespace kubecoro
