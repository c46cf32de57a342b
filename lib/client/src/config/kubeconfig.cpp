// Makes the configuration of one context of kubeconfig files, which its own text may restrict.
#include <kubecoro/api/bytes.hpp>
#include <kubecoro/client/kubeconfig.hpp>

#include "address/proxy.hpp"
#include "address/server_address.hpp"
#include "auth/exec_login_core.hpp"
#include "config/kubeconfig_file.hpp"
#include "files/tls_pem.hpp"
#include "http/request_text.hpp"

#include <algorithm>
#include <initializer_list>

namespace kubecoro {

namespace {

using detail::config_text;
using detail::kubeconfig_text;

constexpr std::size_t max_file_bytes = 10 * 1024 * 1024;

failure wrong(const std::string& where, const std::string& why)
{
    return failure(cond::misconfigured, where + ": " + why);
}

std::string names(const auto& map)
{
    std::string out;
    for (const auto& [name, entry] : map) out += (out.empty() ? "" : ", ") + name;
    return out.empty() ? "none" : out;
}

/// Takes the data or, without it, the path of the file, as in kubectl. @return the content; empty when both are absent.
result<std::string> take(const config_text& data, const config_text& file, const environment& env, std::string& text,
                         std::string& path)
{
    if (!data.empty()) {
        auto decoded = bytes::from_base64(data.value);
        if (!decoded) return wrong(data.where, decoded.error().message());
        text = std::move(decoded->data);
        return text;
    }
    if (file.empty()) return std::string();
    path = file.value;
    auto read = env.read_file(path, max_file_bytes);
    if (!read) return wrong(file.where, read.error().message());
    return read;
}

result<> take_exec(const detail::exec_entry& from, cluster_config& out)
{
    using mode = exec_config::interactive_mode;
    exec_config exec;
    exec.api_version = from.api_version.value;
    exec.command = from.command.value;
    exec.arguments = from.arguments;
    exec.variables = from.variables;
    exec.install_hint = from.install_hint.value;
    exec.provide_cluster_info = from.provide_cluster_info;
    const auto& asked = from.interactive_mode.value;
    if (asked.empty() && exec.api_version.ends_with("/v1"))
        return wrong(from.where + ".interactiveMode", "missing: Never, IfAvailable or Always");
    if (!asked.empty() && asked != "Never" && asked != "IfAvailable" && asked != "Always")
        return wrong(from.interactive_mode.where, "neither Never nor IfAvailable nor Always");
    exec.interactive = asked == "Never" ? mode::never : asked == "Always" ? mode::always : mode::if_available;
    if (auto sound = detail::check_exec(exec); !sound) return wrong(from.where, sound.error().message());
    out.login.exec = std::move(exec);
    return {};
}

result<> check_methods(const detail::user_entry& user, const std::string& where)
{
    const bool has_token = !user.token.empty() || !user.token_file.empty();
    const bool has_name = !user.username.empty() || !user.password.empty();
    if (!has_token || !has_name) return {};
    return wrong(where, "a token and a user name with its password are mutually exclusive");
}

/// A token file alone must have a token: without one, requests would be anonymous.
result<> check_token_file(const std::string& path, const environment& env)
{
    const auto token = env.read_file(path, max_file_bytes);
    if (!token) return token.error();
    if (token->find_first_not_of(" \t\r\n") == token->npos) return failure(cond::misconfigured, path + ": is empty");
    return {};
}

result<> take_login(const detail::user_entry& user, const environment& env, cluster_config& out)
{
    if (!user.auth_provider.empty())
        return wrong(user.auth_provider, "auth-provider is not supported; kubectl has removed it too");
    if (user.exec)
        if (auto taken = take_exec(*user.exec, out); !taken) return taken;
    const auto certificate =
        take(user.certificate_data, user.certificate_file, env, out.client_certificate, out.client_certificate_file);
    if (!certificate) return certificate.error();
    const auto key = take(user.key_data, user.key_file, env, out.client_key, out.client_key_file);
    if (!key) return key.error();
    if (certificate->empty() != key->empty()) {
        const auto& data = key->empty() ? user.certificate_data : user.key_data;
        const auto& file = key->empty() ? user.certificate_file : user.key_file;
        return wrong(data.empty() ? file.where : data.where, "a client certificate and its key must be given together");
    }
    if (detail::is_encrypted_key(*key)) {
        const auto& field = user.key_data.empty() ? user.key_file : user.key_data;
        const auto name = out.client_key_file.empty() ? "" : out.client_key_file + ": ";
        return wrong(field.where, name + detail::read_key(*key).error().message());
    }
    out.login.token = user.token.value;
    if (!user.token_file.empty()) {
        out.login.token_file = user.token_file.value;
        auto usable = check_token_file(out.login.token_file, env);
        if (!usable && user.token.empty()) return wrong(user.token_file.where, usable.error().message());
    }
    out.login.username = user.username.value;
    out.login.password = user.password.value;
    return {};
}

result<> take_impersonation(const detail::user_entry& user, const std::string& where, cluster_config& out)
{
    out.login.as = {user.as_user.value, user.as_groups, user.as_uid.value, user.as_extra};
    if (auto sound = detail::check_impersonation(out.login.as); !sound) return wrong(where, sound.error().message());
    return {};
}

result<> take_cluster(const detail::cluster_entry& cluster, const std::string& where, const environment& env,
                      cluster_config& out)
{
    if (cluster.server.empty()) return wrong(where + ".server", "missing");
    const bool has_tls_settings = !cluster.authority_data.empty() || !cluster.authority_file.empty() ||
                                  !cluster.server_name.empty() || cluster.insecure;
    const auto server = detail::with_scheme(cluster.server.value, has_tls_settings);
    auto address = detail::server_address::parse(server);
    if (!address) return wrong(cluster.server.where, address.error().message());
    if (!cluster.server_name.empty() && !detail::is_host(cluster.server_name.value))
        return wrong(cluster.server_name.where, "neither a host name nor an address");
    if (!cluster.proxy_url.empty())
        if (auto proxy = detail::proxy_address::parse(cluster.proxy_url.value); !proxy)
            return wrong(cluster.proxy_url.where, proxy.error().message());
    const auto authority = take(cluster.authority_data, cluster.authority_file, env, out.ca, out.ca_file);
    if (!authority) return authority.error();
    if (cluster.insecure && !authority->empty())
        return wrong(where, "certificate-authority and insecure-skip-tls-verify are mutually exclusive");
    out.server = server;
    out.server_name = cluster.server_name.value;
    out.proxy_url = cluster.proxy_url.value;
    out.insecure = cluster.insecure;
    out.disable_compression = cluster.disable_compression;
    return {};
}

std::vector<std::string> split(const std::string& list)
{
    std::vector<std::string> out;
    for (std::size_t begin = 0; begin <= list.size();) {
        const auto end = std::min(list.find(':', begin), list.size());
        auto path = list.substr(begin, end - begin);
        if (!path.empty() && std::find(out.begin(), out.end(), path) == out.end()) out.push_back(std::move(path));
        begin = end + 1;
    }
    return out;
}

std::string joined(const std::vector<std::string>& paths)
{
    std::string out;
    for (const auto& path : paths) out += (out.empty() ? "" : ":") + path;
    return out;
}

/// @param files  Names of the sources, for messages.
/// @param asked  The context; empty = the current one.
result<cluster_config> choose_context(const kubeconfig_text& all, const std::string& files, const std::string& asked,
                                      const environment& env)
{
    const std::string& name = asked.empty() ? all.current_context.value : asked;
    if (name.empty()) return wrong(files, "no current-context; name one of these contexts: " + names(all.contexts));
    const auto context = all.contexts.find(name);
    if (context == all.contexts.end())
        return wrong(asked.empty() ? all.current_context.where : files,
                     "no context \"" + name + "\"; available: " + names(all.contexts));
    const auto& [cluster_name, user_name, ns] = context->second;
    const auto at = [&](const config_text& field, const char* which) {
        return field.where.empty() ? files + ": contexts[" + name + "].context." + which : field.where;
    };
    const auto cluster = all.clusters.find(cluster_name.value);
    if (cluster_name.empty() || cluster == all.clusters.end())
        return wrong(at(cluster_name, "cluster"), cluster_name.empty() ? "missing"
                                                                       : "no cluster \"" + cluster_name.value +
                                                                             "\"; available: " + names(all.clusters));
    cluster_config out;
    out.origin = "context " + name + " of " + files;
    out.ns = ns.value;
    const auto where = files + ": clusters[" + cluster_name.value + "].cluster";
    if (auto taken = take_cluster(cluster->second, where, env, out); !taken) return taken.error();
    if (user_name.empty()) return out;
    const auto user = all.users.find(user_name.value);
    if (user == all.users.end())
        return wrong(at(user_name, "user"), "no user \"" + user_name.value + "\"; available: " + names(all.users));
    const auto entry = files + ": users[" + user_name.value + "].user";
    if (auto taken = take_impersonation(user->second, entry, out); !taken) return taken.error();
    if (auto one = check_methods(user->second, entry); !one) return one.error();
    // As in clientcmd: credentials are never sent unencrypted. The impersonated identity is not secret and is kept.
    if (!detail::server_address::parse(out.server)->tls) return out;
    if (auto taken = take_login(user->second, env, out); !taken) return taken.error();
    if (out.login.exec) out.login.exec->config = cluster->second.exec_extension;
    return out;
}

} // namespace

result<cluster_config> load_kubeconfig(const kubeconfig_options& options, const environment& env)
{
    const auto& [path, context] = options;
    std::vector<std::string> candidates;
    if (!path.empty())
        candidates = {path};
    else if (auto list = env.variable("KUBECONFIG"); list && !list->empty())
        candidates = split(*list);
    else if (auto home = env.variable("HOME"); home && !home->empty())
        candidates = {*home + "/.kube/config"};

    kubeconfig_text all;
    std::vector<std::string> present;
    for (const auto& file : candidates) {
        auto text = env.read_file(file, max_file_bytes);
        if (!text && text.error().condition() == cond::not_found && path.empty()) continue;
        if (!text) return failure(cond::misconfigured, "kubeconfig " + text.error().message());
        if (auto added = all.add(*text, file); !added) return added.error();
        present.push_back(file);
    }
    const bool anything = !all.clusters.empty() || !all.contexts.empty() || !all.users.empty();
    if (anything || !path.empty() || !context.empty()) {
        if (present.empty()) return wrong(joined(candidates), "no such file, so no context \"" + context + "\"");
        return choose_context(all, joined(present), context, env);
    }
    if (auto host = env.variable("KUBERNETES_SERVICE_HOST"); host && !host->empty()) return load_in_cluster_config(env);
    return failure(cond::misconfigured, "no cluster is configured: " +
                                            (candidates.empty() ? std::string("HOME is not set")
                                                                : joined(candidates) + " does not exist or is empty") +
                                            " and this is not a pod; give a kubeconfig file or set KUBECONFIG");
}

result<cluster_config> load_in_cluster_config(const environment& env)
{
    const auto host = env.variable("KUBERNETES_SERVICE_HOST");
    const auto port = env.variable("KUBERNETES_SERVICE_PORT");
    if (!host || host->empty() || !port || port->empty())
        return failure(cond::misconfigured,
                       "not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
    cluster_config out;
    out.origin = "in-cluster";
    out.server = "https://" + detail::bracketed(*host) + ":" + *port;
    if (auto address = detail::server_address::parse(out.server); !address)
        return wrong("KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT", address.error().message());
    out.login.token_file = env.service_account_dir + "/token";
    if (auto usable = check_token_file(out.login.token_file, env); !usable)
        return failure(cond::misconfigured, "the service account's token: " + usable.error().message());
    // Without the file the system's certificate authorities are used, as in client-go.
    const auto authority_file = env.service_account_dir + "/ca.crt";
    if (const auto authority = env.read_file(authority_file, max_file_bytes); authority)
        out.ca_file = authority_file;
    else if (authority.error().condition() != cond::not_found)
        return failure(cond::misconfigured, "the service account's ca.crt: " + authority.error().message());
    if (auto ns = env.read_file(env.service_account_dir + "/namespace", 1024)) out.ns = std::move(*ns);
    while (!out.ns.empty() && (out.ns.back() == '\n' || out.ns.back() == ' ')) out.ns.pop_back();
    return out;
}

namespace {

failure refused(const std::string& where, const std::string& what)
{
    return failure(cond::misconfigured, where + ": " + what + " is not allowed here");
}

result<> check_no_files(std::initializer_list<const config_text*> fields)
{
    for (const auto* f : fields)
        if (!f->empty()) return refused(f->where, "the path of a file");
    return {};
}

/// Every entry, not the chosen ones only: a text that is refused stays refused when its current context changes.
result<> check_entries(const detail::kubeconfig_text& all)
{
    for (const auto& [name, c] : all.clusters)
        if (auto sound = check_no_files({&c.authority_file}); !sound) return sound;
    for (const auto& [name, u] : all.users) {
        if (u.exec) return refused(u.exec->where, "a program that prints credentials");
        if (auto sound = check_no_files({&u.token_file, &u.certificate_file, &u.key_file}); !sound) return sound;
    }
    return {};
}

/// A second barrier: whatever asks has nothing to read.
environment nothing_to_read()
{
    environment out;
    out.variable = [](const std::string&) { return std::optional<std::string>(); };
    out.read_file = [](const std::string&, std::size_t) -> result<std::string> {
        return failure(cond::misconfigured, "no file may be read");
    };
    out.service_account_dir.clear();
    return out;
}

/// The text's own names are part of messages, and may be as long as the text.
failure shortened(const failure& why)
{
    constexpr std::size_t most = 512;
    if (why.message().size() <= most) return why;
    return failure(why.condition(), std::string(why.message().substr(0, most)) + " ...");
}

} // namespace

result<cluster_config> parse_untrusted_kubeconfig(std::string_view yaml, const std::string& origin,
                                                  const std::string& context, bool environment_proxy)
{
    if (yaml.size() > detail::max_untrusted_kubeconfig_bytes)
        return failure(cond::misconfigured, origin + ": has " + std::to_string(yaml.size()) + " bytes; at most " +
                                                std::to_string(detail::max_untrusted_kubeconfig_bytes) +
                                                " are allowed");
    detail::kubeconfig_text all;
    if (auto added = all.add(yaml, origin); !added) return shortened(added.error());
    if (auto sound = check_entries(all); !sound) return shortened(sound.error());
    auto chosen = choose_context(all, origin, context, nothing_to_read());
    if (!chosen) return shortened(chosen.error());
    if (chosen->proxy_url.empty() && !environment_proxy) chosen->proxy_url = detail::no_proxy;
    return chosen;
}

} // namespace kubecoro
