#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// A certificate authority with its key, as PEM text. The key allows signing certificates that clients trust.
struct tls_authority
{
    /// PEM text.
    std::string certificate;
    /// PEM text.
    std::string key;

    /// @param now  The validity begins one hour before this. Errors: cond::internal with OpenSSL's reason.
    [[nodiscard]] static result<tls_authority> generate(wall_time now, std::chrono::hours valid_for);
};

/// Contents of the certificates that tls_identity::generate() makes.
struct tls_identity_options
{
    /// DNS names and IP addresses of the server certificate, in addition to 127.0.0.1, ::1 and localhost.
    std::vector<std::string> names = {};
    /// Common name of a client certificate: the user's name. Empty: no client certificate.
    std::string client_user = {};
    /// Organizations of the client certificate: the user's groups.
    std::vector<std::string> client_groups = {};
    /// Certificates are valid from one hour before `now` until `now` + `valid_for`.
    wall_time now = {};
    /// Validity of the certificates from `now` on: a year by default.
    std::chrono::hours valid_for{24 * 365};
    /// The signing authority. Empty: one generated for this identity, whose key is discarded.
    std::optional<tls_authority> authority = {};
};

/** Certificates and keys (EC P-256) of a server, its authority's certificate, and optionally a client certificate, as
    PEM text. A value. */
struct tls_identity
{
    /// PEM text of the authority.
    std::string ca_certificate;
    /// PEM text of the server's certificate.
    std::string server_certificate;
    /// PEM text of its private key.
    std::string server_key;
    /// Empty unless tls_identity_options::client_user is set.
    std::string client_certificate;
    /// PEM text of its private key.
    std::string client_key;

    /// Takes a few milliseconds and uses the system's random source. Errors: cond::internal with OpenSSL's reason,
    /// cond::invalid for an invalid name or authority.
    [[nodiscard]] static result<tls_identity> generate(const tls_identity_options& options);
};

/// Returns 256 bits of the system's random source as text usable as a bearer token. Errors: cond::internal.
[[nodiscard]] result<std::string> random_token();

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
