#pragma once
// The content of one kubeconfig file as values. Sans-io; the YAML library is not exposed.

#include <kubecoro/base/result.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// A text field and its position, for messages: `file: users[admin].user.token`.
struct config_text
{
    std::string value = {};
    std::string where = {};
    [[nodiscard]] bool empty() const noexcept { return value.empty(); }
};

struct cluster_entry
{
    /// The file's path is that of the field, beside the kubeconfig if it is relative. So are those of users and plugins.
    config_text server, authority_file, authority_data, server_name, proxy_url;
    /// JSON text of the extension for credential plugins; empty = there is none.
    std::string exec_extension = {};
    bool insecure = false;
    bool disable_compression = false;
};

struct exec_entry
{
    config_text command, api_version, install_hint, interactive_mode;
    std::vector<std::string> arguments;
    std::vector<std::pair<std::string, std::string>> variables;
    bool provide_cluster_info = false;
    std::string where;
};

struct user_entry
{
    config_text token, token_file, certificate_file, certificate_data, key_file, key_data, username, password;
    config_text as_user, as_uid;
    std::vector<std::string> as_groups;
    std::vector<std::pair<std::string, std::vector<std::string>>> as_extra;
    std::optional<exec_entry> exec;
    /// Position of the entry's auth-provider; empty = it has none.
    std::string auth_provider;
};

struct context_entry
{
    config_text cluster, user, ns;
};

/// Merged from files by adding them in order: existing entries win.
struct kubeconfig_text
{
    std::map<std::string, cluster_entry, std::less<>> clusters;
    std::map<std::string, user_entry, std::less<>> users;
    std::map<std::string, context_entry, std::less<>> contexts;
    config_text current_context;

    /// @param file  Path, for messages and relative paths.
    /// Errors: cond::misconfigured naming file and field; entries added before stay.
    [[nodiscard]] result<> add(std::string_view yaml, const std::string& file);
};

} // namespace kubecoro::detail
