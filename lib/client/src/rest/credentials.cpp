// Adds the client's credentials to requests, and refreshes its token.
#include "auth/exec_login.hpp"
#include "connect/tls_source.hpp"
#include "http/request_text.hpp"
#include "rest/client_state.hpp"

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/base/try.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace kubecoro {

namespace asio = boost::asio;
using namespace detail;

namespace {

/// @param name  In lower case.
bool has_header(const request& r, std::string_view name)
{
    return std::ranges::any_of(r.headers, [name](const auto& header) {
        return std::ranges::equal(header.first, name, [](char a, char b) {
            return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
        });
    });
}

} // namespace

asio::awaitable<result<client::state::used_login>> client::state::choose_login(const request& r)
{
    used_login out;
    const bool has_login = has_header(r, "authorization");
    if (plugin_.login && !has_login) {
        KUBECORO_TRY(auto credential, co_await plugin_.login->credential(plugin_.caller));
        out.plugin = std::move(credential);
    }
    if (tls_) out.tls = tls_->current();
    if (!has_login) out.token = current_token(token_read::when_stale);
    co_return out;
}

void client::state::add_credentials(request& r, const used_login& used)
{
    const auto header = [&](std::string name, std::string value) {
        r.headers.emplace_back(std::move(name), std::move(value));
    };
    header("User-Agent", options.user_agent);
    // As in client-go: the request's own login and identity have precedence.
    const bool has_login = has_header(r, "authorization");
    const bool has_identity = has_header(r, "impersonate-user");
    if (!has_login) add_authorization(r, used);
    if (has_identity) return;
    for (auto& [name, value] : impersonation_headers(login.as)) header(std::move(name), std::move(value));
}

void client::state::add_authorization(request& r, const used_login& used)
{
    const auto header = [&](std::string value) { r.headers.emplace_back("Authorization", std::move(value)); };
    if (used.token && !used.token->empty())
        header("Bearer " + *used.token);
    else if (!login.username.empty())
        header("Basic " + bytes(login.username + ":" + login.password).base64());
    else if (used.plugin && !used.plugin->token.empty())
        header("Bearer " + used.plugin->token);
}

void client::state::use_tls(std::shared_ptr<tls_source> source) { tls_ = std::move(source); }

void client::state::use_plugin(exec_access plugin) { plugin_ = std::move(plugin); }

asio::awaitable<bool> client::state::renew_login(used_login refused)
{
    if (refused.plugin) {
        const auto other = co_await plugin_.login->credential(plugin_.caller, refused.plugin);
        co_return other&&* other != refused.plugin;
    }
    bool has_certificate = false;
    if (tls_) has_certificate = co_await tls_->renewed_since(refused.tls.get());
    // Another request may have read the new token between this one's attempt and its refusal.
    const bool has_token = refused.token && current_token(token_read::now) != *refused.token;
    co_return has_certificate || has_token;
}

std::string client::state::current_token(token_read when)
{
    auto now = token_.current(when == token_read::now);
    if (!now.problem.empty())
        options.log.warning("the token file cannot be read; continuing with the current token",
                            {{"file", login.token_file}, {"why", now.problem}});
    return std::move(now.text);
}

} // namespace kubecoro
