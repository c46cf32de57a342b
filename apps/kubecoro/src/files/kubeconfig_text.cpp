#include "files/kubeconfig_text.hpp"

#include "print/json_lines.hpp"

#include <kubecoro/api/yaml.hpp>
#include <kubecoro/client/detail/kubeconfig_document.hpp>

#include <algorithm>
#include <array>

namespace kubecoro::tool {

namespace json = boost::json;

namespace {

constexpr std::array lists{"clusters", "contexts", "users"};

constexpr std::string_view context_key = "current-context:";

json::string_view view(std::string_view text) { return {text.data(), text.size()}; }

json::array* list_in(json::object& config, std::string_view name)
{
    auto* found = config.if_contains(view(name));
    return found ? found->if_array() : nullptr;
}

const json::value* entry_of(const json::object& config, std::string_view list, const std::string& name)
{
    const auto* entries = config.if_contains(view(list));
    if (!entries || !entries->is_array()) return nullptr;
    for (const auto& entry : entries->get_array())
        if (text_member(entry, {"name"}) == name) return &entry;
    return nullptr;
}

void add_missing_entries(json::object& out, const json::object& file, std::string_view list)
{
    const auto* entries = file.if_contains(view(list));
    if (!entries || !entries->is_array()) return;
    auto& mine = out[view(list)];
    if (!mine.is_array()) mine = json::array();
    for (const auto& entry : entries->get_array())
        if (!entry_of(out, list, text_member(entry, {"name"}))) mine.get_array().push_back(entry);
}

bool is_list(std::string_view name) { return std::find(lists.begin(), lists.end(), name) != lists.end(); }

/// Whether a member of an unknown kind may be secret, by its name.
bool sounds_secret(std::string name)
{
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    for (const char* word : {"token", "password", "secret", "key-data", "credential"})
        if (name.find(word) != name.npos) return true;
    return false;
}

/// "http://user:password@proxy" -> "http://REDACTED@proxy"
void redact_url(json::value& url)
{
    if (!url.is_string()) return;
    const std::string text = scalar_text(url);
    const auto scheme = text.find("://");
    const auto begin = scheme == text.npos ? 0 : scheme + 3;
    const auto at = text.rfind('@', std::min(text.find_first_of("/?#", begin), text.size()));
    if (at == text.npos || at < begin) return;
    url = json::value(view(text.substr(0, begin) + "REDACTED" + text.substr(at)));
}

/// All values below, whatever their names.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the YAML, which is bounded
void redact_values(json::value& v)
{
    if (auto* object = v.if_object())
        for (auto& member : *object) redact_values(member.value());
    else if (auto* array = v.if_array())
        for (auto& item : *array) redact_values(item);
    else if (!v.is_null())
        v = "REDACTED";
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the YAML, which is bounded
void redact_members(json::object& object)
{
    for (auto& member : object) {
        const std::string name(member.key().data(), member.key().size());
        auto& value = member.value();
        if (name.ends_with("certificate-data") || name.ends_with("certificate-authority-data")) {
            value = "DATA+OMITTED";
        } else if (name == "tokenFile") {
            continue; // a path
        } else if (name == "server" || name == "proxy-url") {
            redact_url(value);
        } else if (name == "env" && value.is_array()) {
            for (auto& variable : value.get_array())
                if (auto* o = variable.if_object())
                    if (auto* text = o->if_contains("value")) *text = "REDACTED";
        } else if (name == "auth-provider" || sounds_secret(name)) {
            redact_values(value);
        } else if (auto* inner = value.if_object()) {
            redact_members(*inner);
        }
    }
}

/// The position and length of the line of a top-level member of a block mapping; npos if there is none.
std::pair<std::size_t, std::size_t> find_line(const std::string& text, std::string_view key)
{
    for (std::size_t begin = 0; begin < text.size();) {
        const auto end = std::min(text.find('\n', begin), text.size());
        if (std::string_view(text).substr(begin, end - begin).starts_with(key)) return {begin, end - begin};
        begin = end + 1;
    }
    return {std::string::npos, 0};
}

std::string edited(const std::string& text, const std::string& context)
{
    std::string line = to_yaml(json::object{{"current-context", json::value(view(context))}});
    line.pop_back();
    const auto [at, length] = find_line(text, context_key);
    std::string out = text;
    if (at != std::string::npos) return out.replace(at, length, line);
    if (!out.empty() && out.back() != '\n') out += '\n';
    return out + line + "\n";
}

} // namespace

result<json::object> read_kubeconfig(std::string_view text, const std::string& name)
{
    return detail::read_kubeconfig_document(text, name);
}

json::object merge_kubeconfigs(const std::vector<json::object>& files)
{
    json::object out{{"apiVersion", "v1"}, {"kind", "Config"}};
    for (const auto& file : files) {
        for (const auto* list : lists) add_missing_entries(out, file, list);
        for (const auto& member : file) {
            const bool known = is_list({member.key().data(), member.key().size()}) || out.contains(member.key());
            const bool empty =
                member.value().is_null() || (member.value().is_string() && member.value().get_string().empty());
            if (!known && !empty) out[member.key()] = member.value();
        }
    }
    return out;
}

void redact(json::object& config)
{
    for (const auto* list : lists) {
        auto* entries = list_in(config, list);
        if (!entries) continue;
        for (auto& entry : *entries)
            if (auto* object = entry.if_object()) redact_members(*object);
    }
}

result<> keep_only(json::object& config, const std::string& context)
{
    const auto* chosen = entry_of(config, "contexts", context);
    if (!chosen) return failure(cond::not_found, "there is no context \"" + context + "\"");
    const auto cluster = text_member(*chosen, {"context", "cluster"});
    const auto user = text_member(*chosen, {"context", "user"});
    const auto keep = [&](const char* list, const std::string& name) {
        if (auto* entries = list_in(config, list)) {
            json::array kept;
            for (auto& entry : *entries)
                if (text_member(entry, {"name"}) == name) kept.push_back(std::move(entry));
            *entries = std::move(kept);
        }
    };
    keep("contexts", context);
    keep("clusters", cluster);
    keep("users", user);
    config["current-context"] = json::value(view(context));
    return {};
}

std::vector<std::string> context_names(const json::object& config)
{
    std::vector<std::string> out;
    const auto* entries = config.if_contains("contexts");
    if (entries && entries->is_array())
        for (const auto& entry : entries->get_array()) out.push_back(text_member(entry, {"name"}));
    return out;
}

result<std::string> with_current_context(const std::string& text, const std::string& context)
{
    auto before = read_kubeconfig(text, "the kubeconfig");
    if (!before) return before.error();
    const bool has_one = before->contains("current-context");
    (*before)["current-context"] = json::value(view(context));
    // A file in JSON has no comments that could be lost.
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first != text.npos && text[first] == '{') return to_json_text(*before);
    auto after = edited(text, context);
    auto check = read_kubeconfig(after, "the kubeconfig");
    const bool same_place = has_one == (find_line(text, context_key).first != std::string::npos);
    if (!same_place || !check || *check != *before)
        return failure(cond::misconfigured, "the kubeconfig is laid out in a way that cannot be changed safely: set "
                                            "current-context by hand");
    return after;
}

} // namespace kubecoro::tool
