#pragma once
// The times of a Lease that is renewed: common to elections and shards.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

namespace kubecoro::detail {

struct lease_times
{
    duration lease_duration{};
    duration renew_deadline{};
    duration retry_period{};
    duration grace{};
};

/// The times that the options have.
template<class Options>
[[nodiscard]] lease_times times_of(const Options& o) noexcept
{
    return {o.lease_duration, o.renew_deadline, o.retry_period, o.grace};
}

/// cond::misconfigured. @param part  The part of the program that has the options.
[[nodiscard]] failure wrong_option(const char* part, const char* why);
/// Checks what client-go checks. Errors: those of wrong_option(), naming the option.
[[nodiscard]] result<> check_lease_times(const char* part, const lease_times& t);
/// How long one request for a Lease may take.
[[nodiscard]] duration request_limit(const lease_times& t) noexcept;

} // namespace kubecoro::detail
