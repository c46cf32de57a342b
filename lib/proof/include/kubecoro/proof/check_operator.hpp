#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/manager/detail/setup_function.hpp>
#include <kubecoro/proof/operator_check_options.hpp>
#include <kubecoro/proof/operator_report.hpp>

namespace kubecoro {
class client;
} // namespace kubecoro

namespace kubecoro::testing {

namespace detail {
/// The set-up of an operator. See check_operator().
using operator_function = kubecoro::detail::setup_function<const client&>;
} // namespace detail

/** Runs an operator in an embedded server, in virtual time, again and again, and looks for promises that it breaks.

        TEST_CASE("backups survive everything")
        {
            auto report = testing::check_operator(add_operator, {.definitions = "crds/", .objects = "samples/", .live = true});
            REQUIRE(report);
        }

    The operator has the rights that its manager declares, and no others. The run without faults applies the objects, waits until
    nothing moves, watches for an hour, deletes the objects, and waits again. Then it is ended at each request of that run, in three
    ways, and started again; then come runs with random faults. Each must reach the states of the first run.

    @param add  Fills a manager: a function of `manager&`, or of that and a client of the service of
                operator_check_options::application, that returns nothing or result<>. Called once for each start of the operator,
                and must do the same each time.
    @return  A finding for each promise that was broken. The same options give the same report.
    @par Errors  cond::invalid for manifests that are wrong, misconfigured for files that cannot be read and a set-up that fails. */
[[nodiscard]] result<operator_report> try_check_operator(const detail::operator_function& add,
                                                         const operator_check_options& options);
/// The same for tests. Throws kubecoro::error for a failure.
[[nodiscard]] operator_report check_operator(const detail::operator_function& add,
                                             const operator_check_options& options);

} // namespace kubecoro::testing
