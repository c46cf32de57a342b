#pragma once
// Keys and certificates made for one test run.

#include <string>
#include <vector>

namespace kubecoro::test {

/// PEM text.
struct identity
{
    std::string certificate;
    std::string key;
};

/// A certificate authority of its own.
class authority
{
public:
    explicit authority(const std::string& name);
    [[nodiscard]] const std::string& certificate() const noexcept { return self_.certificate; }
    /// @param names  Subject alternative names as OpenSSL writes them: "DNS:a.example", "IP:127.0.0.1". Empty = a client.
    /// @param days   Until it expires; negative = expired already.
    [[nodiscard]] identity issue(const std::string& common_name, const std::vector<std::string>& names,
                                 int days = 1) const;

private:
    identity self_;
};

} // namespace kubecoro::test
