#include "address/server_address.hpp"
#include "connect/tunnel_core.hpp"

#include <array>
#include <cstdint>
#include <utility>

#include <arpa/inet.h>

namespace kubecoro::detail {

namespace {

constexpr char version = 5;
constexpr char login_version = 1;
constexpr char no_login = 0;
constexpr char by_password = 2;
constexpr auto no_method = static_cast<char>(0xff);
constexpr char connect_command = 1;
constexpr char ipv4 = 1;
constexpr char domain = 3;
constexpr char ipv6 = 4;
constexpr std::size_t longest_name = 255;

// The words of RFC 1928 for its reply codes.
constexpr std::array<const char*, 9> replies{"succeeded",
                                             "general failure",
                                             "not allowed by its rules",
                                             "network unreachable",
                                             "host unreachable",
                                             "connection refused",
                                             "time to live expired",
                                             "command not supported",
                                             "address type not supported"};

/// A text after its length.
std::string counted(const std::string& text) { return static_cast<char>(text.size()) + text; }

/// Type and value of the server's address.
std::string destination(const std::string& host)
{
    std::array<char, 16> bytes{};
    if (::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1) return ipv4 + std::string(bytes.data(), 4);
    if (::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1) return ipv6 + std::string(bytes.data(), 16);
    return domain + counted(host);
}

class socks5_tunnel final : public tunnel_core
{
public:
    socks5_tunnel(const proxy_address& proxy, tunnel_target server)
        : proxy_(proxy.name()), login_(proxy.login), server_(std::move(server))
    {
    }

    std::string begin() override
    {
        std::string out{version, static_cast<char>(login_ ? 2 : 1), no_login};
        if (login_) out += by_password;
        return out;
    }

    result<step> feed(std::string_view bytes) override
    {
        if (failed_) return *failed_;
        pending_.append(bytes);
        auto next = phase_ == phase::method ? on_method() : phase_ == phase::login ? on_login() : on_reply();
        if (!next) failed_ = next.error();
        return next;
    }

private:
    enum class phase
    {
        method,
        login,
        reply
    };

    result<step> on_method()
    {
        if (pending_.front() != version) return foreign();
        if (pending_.size() < 2) return step{};
        const char method = pending_[1];
        if (pending_.size() > 2) return too_much();
        pending_.clear();
        if (method == no_login) return ask();
        if (method == by_password && login_) {
            phase_ = phase::login;
            return step{.send = login_version + counted(login_->username) + counted(login_->password)};
        }
        if (method != no_method) return foreign();
        return failure(cond::unauthorized,
                       proxy_ + (login_ ? " accepts neither a password nor a connection without one"
                                        : " asks for a login: put a user name and password into its URL"));
    }

    result<step> on_login()
    {
        if (pending_.front() != login_version && pending_.front() != version) return foreign();
        if (pending_.size() < 2) return step{};
        if (pending_[1] != 0)
            return failure(cond::unauthorized, proxy_ + " refuses the user name and password of its URL");
        if (pending_.size() > 2) return too_much();
        pending_.clear();
        return ask();
    }

    result<step> ask()
    {
        if (server_.host.size() > longest_name)
            return failure(cond::misconfigured, "the server's name is longer than SOCKS5 can carry");
        phase_ = phase::reply;
        const auto port = static_cast<std::uint16_t>(std::stoul(server_.port));
        std::string out{version, connect_command, 0};
        out += destination(server_.host);
        out += {static_cast<char>(port >> 8), static_cast<char>(port & 0xff)};
        return step{.send = std::move(out)};
    }

    result<step> on_reply()
    {
        if (pending_.front() != version) return foreign();
        if (pending_.size() < 2) return step{};
        if (pending_[1] != 0) return refusal(static_cast<unsigned char>(pending_[1]));
        if (pending_.size() < 5) return step{};
        const auto length = reply_length();
        if (length == 0) return foreign();
        if (pending_.size() > length) return too_much();
        return step{.open = pending_.size() == length};
    }

    /// Bytes of the whole reply, whose end is an address; 0 if its type is unknown.
    [[nodiscard]] std::size_t reply_length() const noexcept
    {
        constexpr std::size_t head = 4;
        constexpr std::size_t port = 2;
        switch (pending_[3]) {
        case ipv4:
            return head + 4 + port;
        case ipv6:
            return head + 16 + port;
        case domain:
            return head + 1 + static_cast<unsigned char>(pending_[4]) + port;
        default:
            return 0;
        }
    }

    [[nodiscard]] failure refusal(unsigned code) const
    {
        const auto why = code < replies.size() ? std::string(replies[code]) : "reply " + std::to_string(code);
        return failure(cond::unreachable,
                       proxy_ + " does not connect to " + bracketed(server_.host) + ":" + server_.port + ": " + why);
    }
    [[nodiscard]] failure foreign() const { return failure(cond::corrupt, proxy_ + " does not respond in SOCKS5"); }
    [[nodiscard]] failure too_much() const
    {
        return failure(cond::corrupt, proxy_ + " sent bytes before the server could");
    }

    std::string proxy_;
    std::optional<proxy_address::credentials> login_;
    tunnel_target server_;
    phase phase_ = phase::method;
    std::string pending_;
    std::optional<failure> failed_;
};

} // namespace

std::unique_ptr<tunnel_core> make_socks5_tunnel(const proxy_address& proxy, const tunnel_target& server)
{
    return std::make_unique<socks5_tunnel>(proxy, server);
}

} // namespace kubecoro::detail
