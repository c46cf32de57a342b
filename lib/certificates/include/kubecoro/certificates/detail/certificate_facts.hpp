#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

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

} // namespace kubecoro::detail
