// The identity that the server sees behind a client, and service accounts to log in as.
#pragma once

#include "cluster.hpp"

#include <string>

namespace kubecoro::e2e {

/// Returns the `userInfo` of this client, as the server reports it.
[[nodiscard]] result<object> self_review(cluster& c, const client& who);
/// Returns the user name of this client, or a description of the failure.
[[nodiscard]] std::string identity(cluster& c, const client& who);

/// Creates a service account with an administrator's rights in its namespace. @return a token of it.
[[nodiscard]] std::string make_service_account(cluster& c, const std::string& ns, const std::string& name);
/// The user name of a service account.
[[nodiscard]] std::string account_name(const std::string& ns, const std::string& name);

/// The cluster's address and authority, without any login.
[[nodiscard]] cluster_config without_login();

} // namespace kubecoro::e2e
