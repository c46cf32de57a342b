#include "config/kubeconfig_file.hpp"

#include <kubecoro/client/detail/yaml_text.hpp>

#include <boost/json.hpp>

#include <set>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

constexpr std::string_view exec_extension_name = "client.authentication.k8s.io/exec";
constexpr std::size_t most_extension_bytes = 100'000;
/// Bounds as-user-extra, of which each value keeps its key.
constexpr std::size_t most_extra_bytes = std::size_t{8} << 20;
/// Names are part of the position of each field.
constexpr std::size_t most_shown_name = 256;

/// Thrown and caught only inside this file: parsing is a deep walk in which any node may have the wrong type.
struct wrong_field
{
    std::string where;
    std::string why;
};

std::string join(const std::string& where, const char* member) { return where + "." + member; }

/// Null if there is none; a null is none, as in Go.
const json::value* member(const json::object& map, std::string_view name)
{
    const auto* found = map.if_contains(name);
    return found && !found->is_null() ? found : nullptr;
}

const json::object& map_in(const json::value& v, const std::string& where)
{
    if (!v.is_object()) throw wrong_field{where, "expected a map"};
    return v.get_object();
}

/// Empty if there is none.
const json::array& list_in(const json::object& map, const std::string& where, const char* name)
{
    static const json::array none;
    const auto* found = member(map, name);
    if (!found) return none;
    if (!found->is_array()) throw wrong_field{join(where, name), "expected a list"};
    return found->get_array();
}

std::string string_of(const json::value& v, const std::string& where)
{
    if (v.is_null()) return {};
    if (!v.is_string()) throw wrong_field{where, "expected a string; a number, yes or no is one in quotes"};
    return std::string(v.get_string());
}

config_text text(const json::object& map, const std::string& where, const char* name)
{
    const auto* found = member(map, name);
    if (!found) return {};
    return {string_of(*found, join(where, name)), join(where, name)};
}

/// A path. A relative one begins in the folder of the file.
config_text path(const json::object& map, const std::string& where, const std::string& file, const char* name)
{
    auto out = text(map, where, name);
    const auto folder = file.rfind('/') + 1;
    if (!out.empty() && out.value.front() != '/') out.value.insert(0, file, 0, folder);
    return out;
}

bool flag(const json::object& map, const std::string& where, const char* name)
{
    const auto* found = member(map, name);
    if (!found) return false;
    if (!found->is_bool()) throw wrong_field{join(where, name), "expected true or false"};
    return found->get_bool();
}

std::vector<std::string> texts(const json::object& map, const std::string& where, const char* name)
{
    std::vector<std::string> out;
    for (const auto& item : list_in(map, where, name)) out.push_back(string_of(item, join(where, name)));
    return out;
}

/// The JSON text of the extension of that name; empty if there is none.
std::string extension(const json::object& map, const std::string& where, std::string_view name)
{
    const auto here = join(where, "extensions");
    std::set<std::string> names;
    std::string out;
    for (const auto& item : list_in(map, where, "extensions")) {
        const auto& entry = map_in(item, here);
        const auto found = text(entry, here, "name").value;
        if (!names.insert(found).second) throw wrong_field{here, "duplicate name"};
        const auto* value = member(entry, "extension");
        if (found != name || !value) continue;
        out = json::serialize(*value);
        if (out.size() > most_extension_bytes) throw wrong_field{here + "[" + found + "]", "is too large"};
    }
    return out;
}

void read(const json::object& map, const std::string& where, const std::string& file, cluster_entry& out)
{
    out.server = text(map, where, "server");
    out.authority_file = path(map, where, file, "certificate-authority");
    out.authority_data = text(map, where, "certificate-authority-data");
    out.server_name = text(map, where, "tls-server-name");
    out.proxy_url = text(map, where, "proxy-url");
    out.insecure = flag(map, where, "insecure-skip-tls-verify");
    out.disable_compression = flag(map, where, "disable-compression");
    out.exec_extension = extension(map, where, exec_extension_name);
}

void read(const json::object& map, const std::string& where, const std::string& file, exec_entry& out)
{
    out.where = where;
    out.command = text(map, where, "command");
    // A name alone is looked for in PATH.
    if (out.command.value.find('/') != std::string::npos) out.command = path(map, where, file, "command");
    out.api_version = text(map, where, "apiVersion");
    out.install_hint = text(map, where, "installHint");
    out.interactive_mode = text(map, where, "interactiveMode");
    out.provide_cluster_info = flag(map, where, "provideClusterInfo");
    out.arguments = texts(map, where, "args");
    const auto here = join(where, "env");
    for (const auto& item : list_in(map, where, "env")) {
        const auto& variable = map_in(item, here);
        auto name = text(variable, here, "name");
        if (name.empty()) throw wrong_field{here, "a name is missing"};
        out.variables.emplace_back(std::move(name.value), text(variable, here, "value").value);
    }
}

void read_extra(const json::value& extra, const std::string& where, user_entry& out)
{
    std::size_t bytes = 0;
    const auto& map = map_in(extra, where);
    for (const auto& m : map) {
        const std::string key(m.key());
        auto values = texts(map, where, key.c_str());
        for (const auto& value : values) {
            bytes += key.size() + value.size();
            if (bytes > most_extra_bytes) throw wrong_field{where, "expands to too many values or bytes"};
        }
        if (!values.empty()) out.as_extra.emplace_back(key, std::move(values));
    }
}

void read(const json::object& map, const std::string& where, const std::string& file, user_entry& out)
{
    out.token = text(map, where, "token");
    out.token_file = path(map, where, file, "tokenFile");
    out.certificate_file = path(map, where, file, "client-certificate");
    out.certificate_data = text(map, where, "client-certificate-data");
    out.key_file = path(map, where, file, "client-key");
    out.key_data = text(map, where, "client-key-data");
    out.username = text(map, where, "username");
    out.password = text(map, where, "password");
    out.as_user = text(map, where, "as");
    out.as_uid = text(map, where, "as-uid");
    out.as_groups = texts(map, where, "as-groups");
    if (const auto* extra = member(map, "as-user-extra")) read_extra(*extra, join(where, "as-user-extra"), out);
    if (const auto* exec = member(map, "exec")) {
        const auto here = join(where, "exec");
        read(map_in(*exec, here), here, file, out.exec.emplace());
    }
    if (member(map, "auth-provider")) out.auth_provider = join(where, "auth-provider");
}

void read(const json::object& map, const std::string& where, const std::string&, context_entry& out)
{
    out.cluster = text(map, where, "cluster");
    out.user = text(map, where, "user");
    out.ns = text(map, where, "namespace");
}

template<class Entry>
void add_entries(const json::object& root, const std::string& file, const char* list, const char* inner,
                 std::map<std::string, Entry, std::less<>>& out)
{
    const std::string at = file + ": " + list;
    const auto* found = member(root, list);
    if (!found) return;
    if (!found->is_array()) throw wrong_field{at, "expected a list"};
    const auto& entries = found->get_array();
    std::map<std::string, Entry, std::less<>> mine;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto numbered = at + "[" + std::to_string(i) + "]";
        static const json::object nothing; // a null, as in Go
        const auto& entry = entries[i].is_null() ? nothing : map_in(entries[i], numbered);
        const auto name = text(entry, numbered, "name");
        const auto shown =
            name.value.size() > most_shown_name ? name.value.substr(0, most_shown_name) + "..." : name.value;
        const auto where = join(at + "[" + shown + "]", inner);
        Entry parsed;
        if (const auto* body = member(entry, inner)) read(map_in(*body, where), where, file, parsed);
        if (!mine.emplace(name.value, std::move(parsed)).second) throw wrong_field{where, "duplicate name"};
    }
    out.merge(mine);
}

/// Another kind of file is none of credentials.
void check_type(const json::object& root, const std::string& file)
{
    const auto kind = text(root, file + ": ", "kind").value;
    const auto version = text(root, file + ": ", "apiVersion").value;
    if ((kind.empty() || kind == "Config") && (version.empty() || version == "v1")) return;
    throw wrong_field{file, "is not of kind Config and apiVersion v1"};
}

} // namespace

result<> kubeconfig_text::add(std::string_view yaml, const std::string& file)
{
    const auto document = read_document(yaml);
    // The reason names places and what was expected, never what was read.
    if (!document) return failure(cond::misconfigured, file + ": not YAML: " + document.error());
    if (document->is_null()) return {};
    if (!document->is_object()) return failure(cond::misconfigured, file + ": expected a map");
    const auto& root = document->get_object();
    try {
        check_type(root, file);
        add_entries(root, file, "clusters", "cluster", clusters);
        add_entries(root, file, "users", "user", users);
        add_entries(root, file, "contexts", "context", contexts);
        auto current = text(root, file + ": ", "current-context");
        current.where = file + ": current-context";
        if (current_context.empty()) current_context = std::move(current);
        return {};
    } catch (const wrong_field& e) {
        return failure(cond::misconfigured, e.where + ": " + e.why);
    }
}

} // namespace kubecoro::detail
