#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// A certificate authority with its key: PEM texts. Whoever has the key can make certificates that clients believe.
struct tls_authority
{
    /// PEM text.
    std::string certificate;
    /// PEM text.
    std::string key;

    /// @param now  It is valid from an hour before this. Errors: cond::internal with OpenSSL's reason.
    [[nodiscard]] static result<tls_authority> generate(wall_time now, std::chrono::hours valid_for);
};

/// What tls_identity::generate() puts into the certificates.
struct tls_identity_options
{
    /// DNS names and IP addresses beside 127.0.0.1, ::1 and localhost that the server answers for.
    std::vector<std::string> names = {};
    /// Common name of a client certificate, which is the user's name to the server. Empty: no client certificate.
    std::string client_user = {};
    /// Organizations of the client certificate, which are the user's groups.
    std::vector<std::string> client_groups = {};
    /// Certificates are valid from an hour before this...
    wall_time now = {};
    /// ...for this long.
    std::chrono::hours valid_for{24 * 365};
    /// Who signs. Empty: an authority made for this one identity, whose key is thrown away.
    std::optional<tls_authority> authority = {};
};

/** A certificate authority made for one server, that server's certificate, and perhaps one for a client: PEM texts.

    The keys are EC P-256. A value. */
struct tls_identity
{
    /// PEM text of the authority.
    std::string ca_certificate;
    /// PEM text of the server's certificate.
    std::string server_certificate;
    /// PEM text of its private key.
    std::string server_key;
    /// Empty unless asked for.
    std::string client_certificate;
    /// PEM text of its private key.
    std::string client_key;

    /// Takes a few milliseconds, reads the system's randomness. Errors: cond::internal with OpenSSL's reason,
    /// cond::invalid for a name or an authority that is none.
    [[nodiscard]] static result<tls_identity> generate(const tls_identity_options& options);
};

/// 256 bits of the system's randomness as text that fits a bearer token. Errors: cond::internal.
[[nodiscard]] result<std::string> random_token();

/// What a kubeconfig says about one server. Empty credentials are left out.
struct kubeconfig_entry
{
    /// Name of cluster, user and context.
    std::string name = "kubecoro";
    /// "https://127.0.0.1:6443".
    std::string server;
    /// PEM texts; they are embedded, so that the file stands alone.
    std::string ca_certificate = {};
    /// A bearer token; empty = none.
    std::string token = {};
    /// PEM text; empty = none.
    std::string client_certificate = {};
    /// PEM text of its private key.
    std::string client_key = {};
};

/// A kubeconfig with one context, which kubectl and every other client understands. It contains secrets.
[[nodiscard]] std::string kubeconfig_text(const kubeconfig_entry& entry);

/** Writes a file only its owner can read (mode 0600), replacing what was there in one step.

    Errors: cond::misconfigured, naming the path and the system's reason. */
[[nodiscard]] result<> write_private_file(const std::string& path, std::string_view text);

} // namespace kubecoro::apiserver
