#include "election/election_settings.hpp"

#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

namespace kubecoro::detail {
namespace {

/// A candidate may wait this much longer than the retry period, and has to be there again before the deadline.
constexpr double jitter = 1.2;

/// A request may take half of the deadline, so that a second one has a chance; but a slow server gets a second.
constexpr auto least_request_limit = std::chrono::seconds{1};

failure wrong(const char* text) { return failure(cond::misconfigured, std::string("leader election: ") + text); }

} // namespace

result<> check_election(const leader_election_options& o)
{
    if (o.lease.empty()) return wrong("no name of a lease");
    if (o.identity.empty()) return wrong("no identity");
    if (o.lease_duration < std::chrono::seconds{1}) return wrong("lease_duration must be at least 1 s");
    if (o.lease_duration > std::chrono::seconds{std::numeric_limits<std::int32_t>::max()})
        return wrong("lease_duration must be less than 2^31 s");
    if (o.renew_deadline <= duration::zero()) return wrong("renew_deadline must be positive");
    if (o.retry_period <= duration::zero()) return wrong("retry_period must be positive");
    if (o.lease_duration <= o.renew_deadline) return wrong("lease_duration must be more than renew_deadline");
    if (std::chrono::duration<double>(o.renew_deadline) <= std::chrono::duration<double>(o.retry_period) * jitter)
        return wrong("renew_deadline must be more than 1.2 times retry_period");
    if (o.grace < duration::zero()) return wrong("grace must not be negative");
    return {};
}

leader_election_core::settings settings_of(const leader_election_options& o)
{
    return {.identity = o.identity,
            .lease_duration = o.lease_duration,
            .renew_deadline = o.renew_deadline,
            .retry_period = o.retry_period,
            .request_limit = std::max<duration>(least_request_limit, o.renew_deadline / 2),
            .grace = o.grace,
            .release = o.release};
}

std::string make_identity(random_source& random)
{
    std::array<char, 256> host{};
    const bool named = ::gethostname(host.data(), host.size() - 1) == 0 && host[0] != '\0';
    boost::uuids::basic_random_generator<random_source> draw(random);
    return (named ? std::string(host.data()) : std::string("unnamed")) + '_' + boost::uuids::to_string(draw());
}

} // namespace kubecoro::detail
