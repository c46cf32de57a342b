#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/certificates/certificates.hpp>

#include <string>
#include <string_view>

namespace kubecoro::apiserver {

using kubecoro::random_token;
using kubecoro::tls_authority;
using kubecoro::tls_identity;
using kubecoro::tls_identity_options;

/// The contents of a kubeconfig for one server. Empty credentials are omitted.
struct kubeconfig_entry
{
    /// Name of cluster, user and context.
    std::string name = "kubecoro";
    /// "https://127.0.0.1:6443".
    std::string server;
    /// PEM text; embedded in the file, so that it needs no other files.
    std::string ca_certificate = {};
    /// A bearer token; empty = none.
    std::string token = {};
    /// PEM text; empty = none.
    std::string client_certificate = {};
    /// PEM text of its private key.
    std::string client_key = {};
};

/// Returns a kubeconfig with one context. It contains secrets.
[[nodiscard]] std::string kubeconfig_text(const kubeconfig_entry& entry);

/** Writes a file that only its owner can read (mode 0600), replacing an existing one atomically.

    Errors: cond::misconfigured, naming the path and the system's reason. */
[[nodiscard]] result<> write_private_file(const std::string& path, std::string_view text);

} // namespace kubecoro::apiserver
