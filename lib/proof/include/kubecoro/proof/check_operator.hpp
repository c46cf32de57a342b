#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/proof/operator_check_options.hpp>
#include <kubecoro/proof/operator_report.hpp>

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

namespace kubecoro {
class client;
class manager;
} // namespace kubecoro

namespace kubecoro::testing {

/// Fills a manager, as the set-up of run_operator() does: a function of `manager&`, or of that and a client of the service of
/// operator_check_options::application, that returns nothing or result<>. Called once for each start of the operator.
class operator_function
{
public:
    /// Keeps a callable. Implicit, so that callers pass the callable itself.
    template<class F>
        requires(!std::same_as<std::remove_cvref_t<F>, operator_function> &&
                 (std::is_invocable_v<F&, manager&> || std::is_invocable_v<F&, manager&, const client&>))
    // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the constraint leaves copying and moving alone
    operator_function(F&& f)
    {
        if constexpr (std::is_invocable_v<F&, manager&, const client&>)
            keep(std::forward<F>(f));
        else
            keep([f = std::forward<F>(f)](manager& m, const client&) mutable { return f(m); });
    }
    /// Calls it. Exceptions become failures.
    [[nodiscard]] result<> operator()(manager& m, const client& application) const;

private:
    template<class F>
    void keep(F&& f)
    {
        using outcome = std::invoke_result_t<F&, manager&, const client&>;
        static_assert(std::is_void_v<outcome> || std::is_convertible_v<outcome, result<>>,
                      "the set-up of an operator returns nothing or kubecoro::result<>");
        kept_ = [f = std::forward<F>(f)](manager& m, const client& application) mutable -> result<> {
            if constexpr (std::is_void_v<outcome>) {
                f(m, application);
                return {};
            } else {
                return f(m, application);
            }
        };
    }

    std::function<result<>(manager&, const client&)> kept_;
};

/** Runs an operator in an embedded server, in virtual time, again and again, and looks for promises that it breaks.

        TEST_CASE("backups survive everything")
        {
            auto report = testing::check_operator(add_operator, {.definitions = "crds/", .objects = "samples/", .live = true});
            REQUIRE(report);
        }

    The operator has the rights that its manager declares, and no others. The run without faults applies the objects, waits until
    nothing moves, watches for an hour, deletes the objects, and waits again. Then it is ended at each request of that run, in three
    ways, and started again; then come runs with random faults. Each must reach the states of the first run.

    @param add  Must do the same each time that it is called.
    @return  A finding for each promise that was broken. The same options give the same report.
    @par Errors  cond::invalid for manifests that are wrong, misconfigured for files that cannot be read and a set-up that fails. */
[[nodiscard]] result<operator_report> try_check_operator(const operator_function& add,
                                                         const operator_check_options& options);
/// The same for tests. Throws kubecoro::error for a failure.
[[nodiscard]] operator_report check_operator(const operator_function& add, const operator_check_options& options);

} // namespace kubecoro::testing
