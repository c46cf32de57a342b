#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro {

/// Whether the bearer of a token may read a path.
enum class access_verdict
{
    /// The token is good, and its user may read the path.
    allowed,
    /// There is no such token, or it is of another audience or has expired: 401.
    unauthenticated,
    /// The token is good, but its user may not read the path: 403.
    forbidden
};

/// Options of an access_filter.
struct access_filter_options
{
    /// Audiences of which a token must have one. Empty = the API server's own.
    std::vector<std::string> audiences = {};
    /// Receives kubecoro_endpoints_access_total. Empty = none.
    std::shared_ptr<kubecoro::metrics> metrics = {};
    /// Empty = that of the client, or real_clock().
    std::shared_ptr<time_source> time = {};
    /// Receives why reviews fail, once in ten seconds; never a token.
    logger log = {};
};

namespace detail {

/// Asks whether the bearer of the token may read the path.
using access_reviewer =
    std::function<boost::asio::awaitable<result<access_verdict>>(std::string token, std::string path)>;

} // namespace detail

/** Lets a request pass if its bearer token is that of a user who may `get` its path, as the API server says: by a
    TokenReview, then a SubjectAccessReview with the path as nonResourceURL. The program needs the right to create both,
    which the cluster role `system:auth-delegator` gives.

        endpoint_options serving{.address = ":8443"};
        serving.protect = access_filter(client);

    Up to 1,024 verdicts are kept under a keyed hash, and no token is kept beyond its request: one that allows for a minute,
    during which a revoked token is still good, another one for ten seconds. Equal requests share one review. At
    most four tokens that were not allowed in the last ten minutes are reviewed at once, ten in a second, and the addresses of clients take
    turns, so that a flood of them neither floods the API server nor delays the tokens of others.

    A cheap handle; copies share the verdicts. Thread safe. */
class access_filter
{
public:
    /// Asks through a client.
    explicit access_filter(const client& asks, access_filter_options options = {});
    /// Asks something else.
    explicit access_filter(detail::access_reviewer asks, access_filter_options options = {});

    /** @param client  Its IP address: clients take turns by their IPv4 addresses, or /64 networks of IPv6. Those without one
        are one client.

        Errors: retry_later when too many reviews are due; timed_out; those of the review.

        @par Cancellation  ends the review, unless another call waits for it: that one begins its own. */
    [[nodiscard]] boost::asio::awaitable<result<access_verdict>> check(std::string token, std::string path,
                                                                       std::string client = {}) const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace kubecoro
