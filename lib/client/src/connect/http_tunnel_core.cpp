#include "address/server_address.hpp"
#include "connect/tunnel_core.hpp"
#include "http/http_parser.hpp"

#include <kubecoro/base/printable.hpp>

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

} // namespace kubecoro::detail
