// Adds the client's credentials to requests, and refreshes its token.
#include "auth/exec_login.hpp"
#include "auth/impersonation.hpp"
#include "http/encoding.hpp"
#include "rest/client_state.hpp"

#include <utility>

namespace kubecoro {

namespace asio = boost::asio;
using namespace detail;

namespace {

constexpr std::size_t max_token_bytes = 64 * 1024;

} // namespace

void client::state::add_credentials(request& r, const std::optional<std::string>& plugin_token)
{
    const auto header = [&](std::string name, std::string value) {
        r.headers.emplace_back(std::move(name), std::move(value));
    };
    header("User-Agent", options.user_agent);
    std::string token;
    if (!login.token_file.empty()) refresh_token(false);
    {
        std::lock_guard lock(mutex_);
        token = token_.token();
    }
    if (!token.empty())
        header("Authorization", "Bearer " + token);
    else if (!login.username.empty())
        header("Authorization", "Basic " + base64_encode(login.username + ":" + login.password));
    else if (plugin_token)
        header("Authorization", "Bearer " + *plugin_token);
    for (auto& [name, value] : impersonation_headers(login.as)) header(std::move(name), std::move(value));
}

void client::state::use_plugin(const cluster_config& cluster)
{
    if (!login.exec || !login.token.empty() || !login.token_file.empty() || !login.username.empty()) return;
    exec_login::settings with{.plugin = *login.exec,
                              .interactive_info = exec_info(*login.exec, cluster, true),
                              .info = exec_info(*login.exec, cluster, false),
                              .time = options.time,
                              .numbers = options.metrics,
                              .log = options.log,
                              .limit = options.timeouts.credential_plugin};
    plugin_ = std::make_shared<exec_login>(executor, std::move(with));
}

asio::awaitable<bool> client::state::renew_token(std::optional<std::string> refused)
{
    if (!plugin_) co_return refresh_token(true);
    auto asking = plugin_->token(refused);
    const auto token = co_await std::move(asking);
    co_return token&&* token != refused;
}

bool client::state::refresh_token(bool now_or_never)
{
    std::lock_guard lock(mutex_);
    const auto now = options.time->now();
    if (!now_or_never && !token_.stale(now)) return false;
    auto content = machine.read_file(login.token_file, max_token_bytes);
    if (!content) {
        options.log.warning("the token file cannot be read; continuing with the current token",
                            {{"file", login.token_file}, {"why", content.error().describe()}});
        return false;
    }
    return token_.loaded(*content, now);
}

} // namespace kubecoro
