// Certificates for a bench under TLS.
#pragma once

#include <kubecoro/base/result.hpp>

#include <string>

namespace kubecoro::bench {

/** Sees to `server.crt`, `server.key` and, for the clients, `ca.crt` in the directory, which is made if need be. Files
    that are there already are left alone.

    Errors: cond::misconfigured with the path, cond::internal. */
[[nodiscard]] result<> provide_certificates(const std::string& directory);

} // namespace kubecoro::bench
