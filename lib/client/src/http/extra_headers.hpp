#pragma once
// The headers that a program adds to all requests. Sans-io.

#include <kubecoro/api/request.hpp>
#include <kubecoro/base/result.hpp>

#include <string>
#include <utility>
#include <vector>

namespace kubecoro::detail {

using header_list = std::vector<std::pair<std::string, std::string>>;

/** Fails with cond::misconfigured for a header that is not valid, or that the client sets itself: credentials,
    impersonation, User-Agent, Accept, the framing of the body and of the connection. Shows names, never values. */
[[nodiscard]] result<> check_headers(const header_list& headers);

/// Adds the headers that the request does not have already.
void add_headers(request& r, const header_list& headers);

} // namespace kubecoro::detail
