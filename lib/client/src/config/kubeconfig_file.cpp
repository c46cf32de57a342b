#include "config/kubeconfig_file.hpp"

#include <kubecoro/client/detail/yaml_text.hpp>

#include <boost/json.hpp>
#include <yaml-cpp/yaml.h>

#include <set>

namespace kubecoro::detail {

namespace {

constexpr std::string_view exec_extension_name = "client.authentication.k8s.io/exec";
constexpr std::size_t most_extension_values = 10'000;
/// Bounds the expansion of aliases: values and bytes beyond those that a text of the same length can have without.
constexpr std::size_t most_more_values = 100'000;
constexpr std::size_t most_more_bytes = std::size_t{8} << 20;
constexpr std::size_t most_levels = 200;
/// Names are part of the position of each field.
constexpr std::size_t most_shown_name = 256;

/// Thrown and caught only inside this file: parsing is a deep walk in which any node may have the wrong type.
struct wrong_field
{
    std::string where;
    std::string why;
};

/// Refuses a text that would become large: what is read of it is at most what is counted here.
class expansion_check
{
public:
    expansion_check(std::size_t text_size, const std::string& file)
        : file_(file), values_(2 * text_size + most_more_values), bytes_(2 * text_size + most_more_bytes)
    {
    }

    // NOLINTNEXTLINE(misc-no-recursion): bounded by the levels
    void walk(const YAML::Node& node, std::size_t levels = most_levels)
    {
        if (levels == 0) throw wrong_field{file_, "is nested too deeply"};
        spend(values_, 1);
        if (node.IsScalar()) spend(bytes_, node.Scalar().size());
        if (node.IsSequence())
            for (const auto& item : node) walk(item, levels - 1);
        if (!node.IsMap()) return;
        for (const auto& pair : node) {
            walk(pair.first, levels - 1);
            walk(pair.second, levels - 1);
            // The keys of extra data are kept with each value.
            if (pair.first.IsScalar() && pair.second.IsSequence())
                spend(bytes_, pair.first.Scalar().size() * pair.second.size());
        }
    }

private:
    void spend(std::size_t& left, std::size_t amount) const
    {
        if (amount > left) throw wrong_field{file_, "expands to too many values or bytes"};
        left -= amount;
    }

    const std::string& file_;
    std::size_t values_;
    std::size_t bytes_;
};

std::string join(const std::string& where, const char* member) { return where + "." + member; }

YAML::Node member(const YAML::Node& map, const char* name)
{
    const YAML::Node found = map[name];
    if (found.IsDefined() && !found.IsNull()) return found;
    return YAML::Node(YAML::NodeType::Undefined);
}

config_text text(const YAML::Node& map, const std::string& where, const char* name)
{
    const auto node = member(map, name);
    if (!node.IsDefined()) return {};
    if (!node.IsScalar()) throw wrong_field{join(where, name), "expected a string"};
    return {node.Scalar(), join(where, name)};
}

/// A path. A relative one begins in the folder of the file.
config_text path(const YAML::Node& map, const std::string& where, const std::string& file, const char* name)
{
    auto out = text(map, where, name);
    const auto folder = file.rfind('/') + 1;
    if (!out.empty() && out.value.front() != '/') out.value.insert(0, file, 0, folder);
    return out;
}

bool flag(const YAML::Node& map, const std::string& where, const char* name)
{
    const auto node = member(map, name);
    if (!node.IsDefined()) return false;
    bool value = false;
    if (!node.IsScalar() || !YAML::convert<bool>::decode(node, value))
        throw wrong_field{join(where, name), "expected true or false"};
    return value;
}

std::vector<std::string> texts(const YAML::Node& list, const std::string& where)
{
    std::vector<std::string> out;
    if (!list.IsDefined()) return out;
    if (!list.IsSequence()) throw wrong_field{where, "expected a list of strings"};
    for (const auto& item : list) {
        if (!item.IsScalar()) throw wrong_field{where, "expected a list of strings"};
        out.push_back(item.Scalar());
    }
    return out;
}

/// The JSON text of the extension of that name; empty if there is none.
std::string extension(const YAML::Node& list, const std::string& where, std::string_view name)
{
    if (!list.IsDefined()) return {};
    if (!list.IsSequence()) throw wrong_field{where, "expected a list"};
    std::set<std::string> names;
    std::string out;
    for (const auto& item : list) {
        if (!item.IsMap()) throw wrong_field{where, "expected a list of name and extension"};
        const auto found = text(item, where, "name").value;
        if (!names.insert(found).second) throw wrong_field{where, "duplicate name"};
        const auto value = member(item, "extension");
        if (found != name || !value.IsDefined()) continue;
        const auto converted = json_of(value, most_extension_values);
        if (!converted) throw wrong_field{where + "[" + found + "]", converted.error()};
        out = boost::json::serialize(*converted);
    }
    return out;
}

void read(const YAML::Node& map, const std::string& where, const std::string& file, cluster_entry& out)
{
    out.server = text(map, where, "server");
    out.authority_file = path(map, where, file, "certificate-authority");
    out.authority_data = text(map, where, "certificate-authority-data");
    out.server_name = text(map, where, "tls-server-name");
    out.proxy_url = text(map, where, "proxy-url");
    out.insecure = flag(map, where, "insecure-skip-tls-verify");
    out.disable_compression = flag(map, where, "disable-compression");
    out.exec_extension = extension(member(map, "extensions"), join(where, "extensions"), exec_extension_name);
}

void read(const YAML::Node& map, const std::string& where, const std::string& file, exec_entry& out)
{
    if (!map.IsMap()) throw wrong_field{where, "expected a map"};
    out.where = where;
    out.command = text(map, where, "command");
    // A name alone is looked for in PATH.
    if (out.command.value.find('/') != std::string::npos) out.command = path(map, where, file, "command");
    out.api_version = text(map, where, "apiVersion");
    out.install_hint = text(map, where, "installHint");
    out.interactive_mode = text(map, where, "interactiveMode");
    out.provide_cluster_info = flag(map, where, "provideClusterInfo");
    out.arguments = texts(member(map, "args"), join(where, "args"));
    const auto variables = member(map, "env");
    if (!variables.IsDefined()) return;
    if (!variables.IsSequence()) throw wrong_field{join(where, "env"), "expected a list"};
    for (const auto& variable : variables) {
        if (!variable.IsMap()) throw wrong_field{join(where, "env"), "expected a list of name and value"};
        auto name = text(variable, join(where, "env"), "name");
        if (name.empty()) throw wrong_field{join(where, "env"), "a name is missing"};
        out.variables.emplace_back(std::move(name.value), text(variable, join(where, "env"), "value").value);
    }
}

void read(const YAML::Node& map, const std::string& where, const std::string& file, user_entry& out)
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
    out.as_groups = texts(member(map, "as-groups"), join(where, "as-groups"));
    if (const auto extra = member(map, "as-user-extra"); extra.IsDefined()) {
        if (!extra.IsMap()) throw wrong_field{join(where, "as-user-extra"), "expected a map"};
        for (const auto& pair : extra)
            for (auto& value : texts(pair.second, join(where, "as-user-extra")))
                out.as_extra.emplace_back(pair.first.Scalar(), std::move(value));
    }
    if (const auto exec = member(map, "exec"); exec.IsDefined())
        read(exec, join(where, "exec"), file, out.exec.emplace());
    if (member(map, "auth-provider").IsDefined()) out.auth_provider = join(where, "auth-provider");
}

void read(const YAML::Node& map, const std::string& where, const std::string&, context_entry& out)
{
    out.cluster = text(map, where, "cluster");
    out.user = text(map, where, "user");
    out.ns = text(map, where, "namespace");
}

template<class Entry>
void add_entries(const YAML::Node& root, const std::string& file, const char* list, const char* inner,
                 std::map<std::string, Entry, std::less<>>& out)
{
    const auto entries = member(root, list);
    if (!entries.IsDefined()) return;
    const std::string at = file + ": " + list;
    if (!entries.IsSequence()) throw wrong_field{at, "expected a list"};
    std::map<std::string, Entry, std::less<>> mine;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const YAML::Node entry = entries[i];
        const auto numbered = at + "[" + std::to_string(i) + "]";
        if (!entry.IsMap()) throw wrong_field{numbered, "expected a map"};
        const auto name = text(entry, numbered, "name");
        if (name.empty()) throw wrong_field{join(numbered, "name"), "missing"};
        const auto shown =
            name.value.size() > most_shown_name ? name.value.substr(0, most_shown_name) + "..." : name.value;
        const auto where = join(at + "[" + shown + "]", inner);
        Entry parsed;
        if (const auto body = member(entry, inner); body.IsDefined()) {
            if (!body.IsMap()) throw wrong_field{where, "expected a map"};
            read(body, where, file, parsed);
        }
        if (!mine.emplace(name.value, std::move(parsed)).second) throw wrong_field{where, "duplicate name"};
    }
    out.merge(mine);
}

} // namespace

result<> kubeconfig_text::add(std::string_view yaml, const std::string& file)
{
    try {
        const YAML::Node root = YAML::Load(std::string(yaml));
        if (root.IsNull() || !root.IsDefined()) return {};
        if (!root.IsMap()) throw wrong_field{file, "expected a map at the top"};
        expansion_check(yaml.size(), file).walk(root);
        add_entries(root, file, "clusters", "cluster", clusters);
        add_entries(root, file, "users", "user", users);
        add_entries(root, file, "contexts", "context", contexts);
        auto current = text(root, file + ": ", "current-context");
        current.where = file + ": current-context";
        if (current_context.empty()) current_context = std::move(current);
        return {};
    } catch (const wrong_field& e) {
        return failure(cond::misconfigured, e.where + ": " + e.why);
    } catch (const YAML::Exception& e) {
        // The text names the position and the expected token, never the content of a scalar.
        return failure(cond::misconfigured, file + ": not YAML: line " + std::to_string(e.mark.line + 1) + ", column " +
                                                std::to_string(e.mark.column + 1) + ": " + e.msg);
    } catch (const std::exception& e) {
        return failure(cond::misconfigured, file + ": cannot be parsed: " + e.what());
    }
}

} // namespace kubecoro::detail
