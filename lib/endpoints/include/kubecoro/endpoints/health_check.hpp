#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

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

} // namespace kubecoro
