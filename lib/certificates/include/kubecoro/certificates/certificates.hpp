#pragma once
// Makes and reads certificates of programs that are their own authority.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro {

/// A certificate authority with its key, as PEM text. The key allows signing certificates that clients trust.
struct tls_authority
{
    /// PEM text.
    std::string certificate;
    /// PEM text.
    std::string key;

    /// @param now   The validity begins one hour before this. @param name  Authorities that are trusted together need
    /// different ones. Errors: cond::internal with OpenSSL's reason.
    [[nodiscard]] static result<tls_authority> generate(wall_time now, std::chrono::hours valid_for,
                                                        std::string name = "kubecoro-ca");
    friend bool operator==(const tls_authority&, const tls_authority&) = default;
};

/// Contents of the certificates that tls_identity::generate() makes.
struct tls_identity_options
{
    /// DNS names and IP addresses of the server certificate, in addition to 127.0.0.1, ::1 and localhost.
    std::vector<std::string> names = {};
    /// Common name of the server's certificate.
    std::string server_name = "kubecoro-apiserver";
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

namespace detail {
/// The times of a certificate, and its text.
struct certificate_facts
{
    /// The beginning of its validity.
    wall_time from;
    /// The end of its validity.
    wall_time until;
    /// The certificate alone, as canonical PEM text.
    std::string pem;
    /// The DNS names and IP addresses that it is for, in their order.
    std::vector<std::string> names = {};
};

/// Reads the first certificate of a PEM text. Errors: cond::internal with OpenSSL's reason.
[[nodiscard]] result<certificate_facts> read_certificate(std::string_view pem);

/// The certificates of a PEM text up to the first that cannot be read, each as canonical PEM text.
[[nodiscard]] std::vector<std::string> split_certificates(std::string_view bundle);

/// Whether the authority has signed the certificate. PEM texts; false for what cannot be read.
[[nodiscard]] bool is_issued_by(std::string_view certificate, std::string_view authority);

/// Whether a private key belongs to the certificate. PEM texts; false for what cannot be read.
[[nodiscard]] bool is_key_of(std::string_view key, std::string_view certificate);
} // namespace detail

/// Returns 256 bits of the system's random source as text usable as a bearer token. Errors: cond::internal.
[[nodiscard]] result<std::string> random_token();

} // namespace kubecoro
