#include "connect/tunnel_core.hpp"

#include "address/server_address.hpp"
#include "http/http_parser.hpp"

#include <kubecoro/base/printable.hpp>

#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <utility>

namespace kubecoro::detail {

namespace {

// Bytes of the head of the proxy's response: a status line and a few fields.
constexpr std::size_t longest_head = 16 * 1024;
constexpr std::size_t shown_words = 200;
constexpr int proxy_authentication_required = 407;

class http_tunnel final : public tunnel_core
{
public:
    http_tunnel(const proxy_address& proxy, const tunnel_target& server)
        : proxy_(proxy.name()),
          authorization_(proxy.authorization()),
          login_(proxy.login),
          server_(bracketed(server.host) + ":" + server.port)
    {
    }

    std::string begin() override
    {
        std::string out = "CONNECT " + server_ + " HTTP/1.1\r\nHost: " + server_ + "\r\n";
        if (!authorization_.empty()) out += "Proxy-Authorization: " + authorization_ + "\r\n";
        return out + "\r\n";
    }

    result<step> feed(std::string_view bytes) override
    {
        pending_.append(bytes);
        while (!parser_.head_done()) {
            const auto fed = parser_.feed(pending_);
            if (!fed) return failure(fed.error().condition(), proxy_ + ": " + fed.error().message());
            pending_.erase(0, fed->consumed);
            if (fed->consumed == 0) return step{};
        }
        const int status = parser_.head().status;
        if (status < 200 || status > 299) return refusal(status);
        if (!pending_.empty()) return failure(cond::corrupt, proxy_ + " sent bytes before the server could");
        return step{.open = true};
    }

private:
    [[nodiscard]] failure refusal(int status) const
    {
        auto why = proxy_ + " does not connect to " + server_ + ": " + std::to_string(status);
        if (const auto words = printable(parser_.reason(), shown_words); !words.empty() && !tells_login())
            why += " " + words;
        if (status != proxy_authentication_required) return failure(cond::unreachable, std::move(why));
        why += authorization_.empty() ? "; put a user name and password into its URL: http://user:password@host"
                                      : "; it refuses the user name and password of its URL";
        return failure(cond::unauthorized, std::move(why));
    }

    /// Whether a proxy repeats what it was sent, or the beginning of that.
    [[nodiscard]] bool tells_login() const
    {
        if (!login_) return false;
        constexpr std::string_view scheme = "Basic ";
        constexpr std::size_t beginning = 8;
        const auto& words = parser_.reason();
        const auto holds = [&](std::string_view secret) { return !secret.empty() && words.find(secret) != words.npos; };
        return holds(login_->password) || holds(std::string_view(authorization_).substr(scheme.size(), beginning));
    }

    std::string proxy_;
    std::string authorization_;
    std::optional<proxy_address::credentials> login_;
    std::string server_;
    // A 2xx to CONNECT has no body whatever its headers say, as a response to HEAD; that of a refusal is not read.
    http_parser parser_{true, {.max_head_bytes = longest_head}};
    std::string pending_;
};

} // namespace

std::unique_ptr<tunnel_core> make_http_tunnel(const proxy_address& proxy, const tunnel_target& server)
{
    return std::make_unique<http_tunnel>(proxy, server);
}

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
