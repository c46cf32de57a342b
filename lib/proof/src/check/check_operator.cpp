#include <kubecoro/proof/check_operator.hpp>

#include "check/checker.hpp"
#include "check/make_scenario.hpp"

#include <kubecoro/base/hash.hpp>

#include <utility>

namespace kubecoro::testing {

result<operator_report> try_check_operator(const detail::operator_function& add, const operator_check_options& options)
{
    // The same bytes in each process, unless the program has begun to hash with secrets of its own.
    (void)fix_hash_secrets(1);
    for (const auto& a : options.allowed)
        if (a.because.empty()) return failure(cond::misconfigured, "an allowed finding needs a reason");
    auto got_about = detail::make_scenario(add, options);
    if (!got_about) return got_about.error();
    auto about = std::move(*got_about);
    return detail::checker(std::move(about)).check();
}

operator_report check_operator(const detail::operator_function& add, const operator_check_options& options)
{
    return try_check_operator(add, options).value();
}

} // namespace kubecoro::testing
