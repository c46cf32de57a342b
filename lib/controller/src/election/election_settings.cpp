#include "election/election_settings.hpp"
#include "election/lease_times.hpp"

#include <kubecoro/base/detail/random.hpp>

#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>

#include <unistd.h>

#include <array>

namespace kubecoro::detail {
namespace {

constexpr auto* part = "leader election";

} // namespace

result<> check_election(const leader_election_options& o)
{
    if (o.lease.empty()) return wrong_option(part, "no name of a lease");
    if (o.identity.empty()) return wrong_option(part, "no identity");
    return check_lease_times(part, times_of(o));
}

leader_election_core::settings settings_of(const leader_election_options& o)
{
    return {.identity = o.identity,
            .lease_duration = o.lease_duration,
            .renew_deadline = o.renew_deadline,
            .retry_period = o.retry_period,
            .request_limit = request_limit(times_of(o)),
            .grace = o.grace,
            .release = o.release};
}

std::string new_identity()
{
    random_source random(random_seed());
    std::array<char, 256> host{};
    const bool named = ::gethostname(host.data(), host.size() - 1) == 0 && host[0] != '\0';
    boost::uuids::basic_random_generator<random_source> draw(random);
    return (named ? std::string(host.data()) : std::string("unnamed")) + '_' + boost::uuids::to_string(draw());
}

} // namespace kubecoro::detail
