#include "auth/exec_login.hpp"

#include <boost/asio/execution_context.hpp>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

/// The logins of one context, by configuration.
class exec_logins final : public asio::execution_context::service
{
public:
    using key_type = exec_logins;
    static asio::execution_context::id id;

    explicit exec_logins(asio::execution_context& context) : service(context) {}

    std::shared_ptr<exec_login> find_or_make(const std::string& configuration, const kept_executor& executor,
                                             exec_login::settings with)
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(by_configuration_, [](const auto& entry) { return entry.second.expired(); });
        auto& entry = by_configuration_[configuration];
        if (auto found = entry.lock()) return found;
        auto made = std::make_shared<exec_login>(executor, std::move(with));
        entry = made;
        return made;
    }

private:
    void shutdown() override {}

    std::mutex mutex_;
    // The keys hold settings of plugins, which may be secret, and go with the last client.
    std::map<std::string, std::weak_ptr<exec_login>> by_configuration_;
};
asio::execution_context::id exec_logins::id;

/// Equal for equal settings. The cluster counts even if its plugin does not ask for it: no credentials are sent to another one.
std::string key_of(const exec_config& plugin, const cluster_config& cluster, const time_source* time)
{
    std::string key;
    const auto add = [&](const std::string& text) { key += std::to_string(text.size()) + ":" + text; };
    auto telling = plugin;
    telling.provide_cluster_info = true;
    add(exec_info(telling, cluster, plugin.provide_cluster_info));
    add(plugin.command);
    add(plugin.install_hint);
    add(std::to_string(static_cast<int>(plugin.interactive)));
    add(std::to_string(plugin.arguments.size()));
    for (const auto& a : plugin.arguments) add(a);
    for (const auto& [name, value] : plugin.variables) {
        add(name);
        add(value);
    }
    add(std::to_string(reinterpret_cast<std::uintptr_t>(time)));
    return key;
}

bool has_precedence_over_plugins(const cluster_config& c)
{
    const auto& login = c.login;
    return !login.token.empty() || !login.token_file.empty() || !login.username.empty() ||
           !c.client_certificate.empty() || !c.client_certificate_file.empty();
}

} // namespace

exec_access find_exec_login(const kept_executor& executor, const cluster_config& cluster,
                            const std::shared_ptr<time_source>& time, exec_caller caller)
{
    if (!cluster.login.exec || has_precedence_over_plugins(cluster)) return {};
    const auto& plugin = *cluster.login.exec;
    exec_login::settings with{.plugin = plugin,
                              .interactive_info = exec_info(plugin, cluster, true),
                              .info = exec_info(plugin, cluster, false),
                              .time = time};
    exec_access out;
    out.caller = std::make_shared<const exec_caller>(std::move(caller));
    const auto at = executor.get();
    if (!at) return out;
    auto& all = asio::use_service<exec_logins>(asio::query(at, asio::execution::context));
    out.login = all.find_or_make(key_of(plugin, cluster, time.get()), executor, std::move(with));
    return out;
}

} // namespace kubecoro::detail
