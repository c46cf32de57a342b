// Requests that ask to be answered as another user.
#pragma once

#include <kubecoro/apiserver/access.hpp>
#include <kubecoro/apiserver/http_types.hpp>

#include <optional>
#include <string>
#include <vector>

namespace kubecoro::apiserver {

/// The other user, and the permissions that this takes.
struct impersonation
{
    /// Empty: the request does not ask for another.
    std::optional<user_info> user = {};
    /// Each with the verb impersonate.
    std::vector<access_request> needs = {};
    /// Why the headers cannot be meant; empty if they can.
    std::string problem = {};
};

/// Reads the Impersonate- headers of a request.
[[nodiscard]] impersonation read_impersonation(const http_request& request);

} // namespace kubecoro::apiserver
