#pragma once
// Keys and certificates generated for a test run.

#include <string>
#include <vector>

namespace kubecoro::test {

/// PEM text.
struct identity
{
    std::string certificate;
    std::string key;
};

/// A certificate authority.
class authority
{
public:
    explicit authority(const std::string& name);
    [[nodiscard]] const std::string& certificate() const noexcept { return self_.certificate; }
    /// @param names  Subject alternative names in OpenSSL's notation: "DNS:a.example", "IP:127.0.0.1". Empty = a client
    ///               certificate.
    /// @param days   Until it expires; negative = already expired.
    [[nodiscard]] identity issue(const std::string& common_name, const std::vector<std::string>& names,
                                 int days = 1) const;
    /// A server certificate without alternative names: the name is only in the Common Name.
    [[nodiscard]] identity issue_legacy(const std::string& common_name) const;

    /// A client certificate whose key, RSA of 512 bits, is too short for TLS.
    [[nodiscard]] identity issue_weak(const std::string& common_name) const;

private:
    [[nodiscard]] identity sign(const std::string& common_name, const std::string& names, const std::string& usage,
                                int days, bool is_weak = false) const;

    identity self_;
};

} // namespace kubecoro::test
