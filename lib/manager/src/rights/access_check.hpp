#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/manager/access_right.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// The body of a SelfSubjectAccessReview of one verb.
[[nodiscard]] std::string review_of(const access_right& right, const std::string& verb);

/// The failure that names what is missing, and the rule that would allow it.
/// @param problem  The obstacle to an evaluation of all rules of the server: the right may be there. Empty: none.
[[nodiscard]] failure missing_rights(const std::vector<access_right>& missing, std::string_view problem = {});

/** Asks the server whether the program has the rights: a request for each verb, several at once.

    One that cannot be reached, or asks for patience, is asked again until it answers. A server that has no such reviews is not
    asked again: this is logged, and counts as success.
    @param time  Must outlive the call.
    @param seed  Seeds the pauses between attempts.
    @par Errors  forbidden, naming all that is missing; cancelled. Strand-confined. */
[[nodiscard]] boost::asio::awaitable<result<>> check_access(client cluster, std::vector<access_right> rights,
                                                            logger log, time_source& time, std::uint64_t seed);

} // namespace kubecoro::detail
