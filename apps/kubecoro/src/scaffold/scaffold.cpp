#include "scaffold/scaffold.hpp"

#include <kubecoro/client/manifests.hpp>
#include <kubecoro/codegen/detail/crd.hpp>
#include <kubecoro/codegen/detail/generate.hpp>

#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <utility>

namespace kubecoro::tool {

namespace {

using values = std::map<std::string, std::string, std::less<>>;

constexpr std::size_t longest_label = 63;
constexpr std::string_view definition_file = "crd.yaml";
constexpr std::string_view webhooks_folder = "webhooks/";

bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool is_label(std::string_view text) noexcept
{
    const auto fits = [](char c) { return is_lower(c) || is_digit(c) || c == '-'; };
    return !text.empty() && text.size() <= longest_label && std::ranges::all_of(text, fits) && is_lower(text.front()) &&
           text.back() != '-';
}

/// A program of such a name would be a target that every build has already.
bool is_target_of_every_build(std::string_view name) noexcept
{
    constexpr std::array<std::string_view, 6> names{"all", "clean", "help", "install", "package", "test"};
    return std::ranges::find(names, name) != names.end();
}

bool is_group(std::string_view text)
{
    if (text.find('.') == text.npos || text.size() > 253) return false;
    while (true) {
        const auto dot = text.find('.');
        if (!is_label(text.substr(0, dot))) return false;
        if (dot == text.npos) return true;
        text.remove_prefix(dot + 1);
    }
}

bool is_kind(std::string_view text) noexcept
{
    const auto fits = [](char c) { return is_lower(c) || is_upper(c) || is_digit(c); };
    return !text.empty() && text.size() <= longest_label && is_upper(text.front()) && std::ranges::all_of(text, fits);
}

std::string lower(std::string text)
{
    for (auto& c : text)
        if (is_upper(c)) c = static_cast<char>(c - 'A' + 'a');
    return text;
}

std::string plural_of(std::string word)
{
    const auto ends_with = [&word](std::string_view end) { return word.ends_with(end); };
    if (ends_with("y") && word.size() > 1 && std::string_view("aeiou").find(word[word.size() - 2]) == std::string::npos)
        return word.substr(0, word.size() - 1) + "ies";
    if (ends_with("s") || ends_with("x") || ends_with("ch") || ends_with("sh")) return word + "es";
    return word + "s";
}

failure wrong(const std::string& what, const std::string& name, const std::string& expected)
{
    return failure(cond::misconfigured, what + " \"" + name + "\": expected " + expected);
}

/// Replaces `@NAME@` by its value.
result<std::string> filled(std::string_view text, const values& all, const std::string& path)
{
    std::string out;
    for (;;) {
        const auto begin = text.find('@');
        out.append(text.substr(0, begin));
        if (begin == text.npos) return out;
        const auto end = text.find('@', begin + 1);
        const auto value = all.find(text.substr(begin + 1, end == text.npos ? 0 : end - begin - 1));
        if (value == all.end()) return failure(cond::internal, "the template " + path + " has an unknown placeholder");
        out += value->second;
        text.remove_prefix(end + 1);
    }
}

/// The lines that the project needs, without their conditions.
std::string chosen(std::string_view text, const std::map<std::string_view, bool>& conditions)
{
    std::string out;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
        auto line = text.substr(0, end);
        text.remove_prefix(end);
        bool wanted = true;
        for (const auto& [condition, holds] : conditions) {
            if (!line.starts_with(condition)) continue;
            wanted = holds;
            line.remove_prefix(condition.size());
            break;
        }
        if (wanted) out += line;
    }
    return out;
}

/// Rules are sorted by group: those for webhooks come before that of the kind, or behind it.
std::map<std::string_view, bool> conditions_of(const scaffold_names& n)
{
    const bool first = n.group > "admissionregistration.k8s.io";
    return {{"@IF_PLAIN@", !n.webhooks},
            {"@IF_WEBHOOKS@", n.webhooks},
            {"@IF_WEBHOOKS_FIRST@", n.webhooks && first},
            {"@IF_WEBHOOKS_LAST@", n.webhooks && !first}};
}

values names_of(const scaffold_names& n)
{
    std::string target = n.project;
    std::ranges::replace(target, '-', '_');
    std::string path = n.group; // in that of a webhook
    std::ranges::replace(path, '.', '-');
    return {{"GROUPPATH", std::move(path)},
            {"NAME", n.project},
            {"TARGET", std::move(target)},
            {"KIND", n.kind},
            {"GROUP", n.group},
            {"VERSION", n.version},
            {"PLURAL", n.plural},
            {"SINGULAR", lower(n.kind)},
            {"PACKAGE", KUBECORO_VERSION}};
}

/// Adds the names that the generated types have.
result<> add_types(values& all, const std::string& definition)
{
    const auto documents = load_manifests(definition, definition_file);
    if (!documents) return documents.error();
    const auto model = codegen::read_crds(*documents, std::string(definition_file));
    if (!model) return model.error();
    codegen::generate_options options;
    options.folder = all.at("TARGET") + "_types";
    options.exists = codegen::is_built_in;
    const auto files = codegen::generate(*model, options);
    if (!files) return files.error();
    const auto header = std::ranges::find(*files, false, &codegen::generated_file::is_source);
    if (header == files->end()) return failure(cond::internal, "the definition gives no types");
    const std::filesystem::path path(header->path);
    all["HEADER"] = header->path;
    all["TYPE"] = path.stem().string();
    all["SPACE"] = path.parent_path().filename().string();
    return {};
}

} // namespace

result<scaffold_names> checked(scaffold_names n)
{
    if (!is_label(n.project))
        return wrong("the name", n.project, "small letters, digits and dashes, such as gadget-operator");
    if (is_target_of_every_build(n.project))
        return wrong("the name", n.project, "one that is no target of every build, such as gadget-operator");
    if (!is_kind(n.kind))
        return wrong("the kind", n.kind, "letters and digits, the first one a capital, such as Gadget");
    if (!is_group(n.group)) return wrong("the group", n.group, "a domain, such as shop.example.com");
    if (!is_label(n.version) || n.version.front() != 'v')
        return wrong("the version", n.version, "such as v1 or v1alpha1");
    if (n.plural.empty()) n.plural = plural_of(lower(n.kind));
    if (!is_label(n.plural)) return wrong("the plural", n.plural, "small letters, such as gadgets");
    return n;
}

result<std::vector<scaffold_file>> scaffold(const scaffold_names& names,
                                            const std::vector<scaffold_template>& templates)
{
    auto all = names_of(names);
    const auto definition =
        std::ranges::find(templates, std::string(definition_file) + ".in", &scaffold_template::path);
    if (definition == templates.end()) return failure(cond::internal, "the templates have no definition");
    const auto text = filled(definition->text, all, definition->path);
    if (!text) return text.error();
    if (const auto types = add_types(all, *text); !types) return types.error();
    std::vector<scaffold_file> out;
    const auto conditions = conditions_of(names);
    for (const auto& each : templates) {
        const bool of_webhooks = each.path.starts_with(webhooks_folder);
        if (of_webhooks && !names.webhooks) continue;
        auto content = filled(chosen(each.text, conditions), all, each.path);
        if (!content) return content.error();
        auto path = each.path.substr(0, each.path.size() - std::string_view(".in").size());
        if (of_webhooks) path.erase(0, webhooks_folder.size());
        out.push_back({path == "gitignore" ? ".gitignore" : path, std::move(*content)});
    }
    return out;
}

} // namespace kubecoro::tool
