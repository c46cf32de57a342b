// Certificates for a bench under TLS.
#pragma once

#include <kubecoro/base/result.hpp>

#include <string>

namespace kubecoro::bench {

/** Ensures that `server.crt`, `server.key` and, for the clients, `ca.crt` exist in the directory, which is created if
    needed. Existing files are not changed.

    Errors: cond::misconfigured with the path, cond::internal. */
[[nodiscard]] result<> provide_certificates(const std::string& directory);

} // namespace kubecoro::bench
