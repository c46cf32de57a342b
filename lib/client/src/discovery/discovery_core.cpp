#include "discovery/discovery_core.hpp"

#include <algorithm>

namespace kubecoro::detail {

namespace {

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

std::string text(value_view v) { return std::string(v.as_string()); }

std::vector<std::string> texts(value_view list)
{
    std::vector<std::string> out;
    out.reserve(list.is_array() ? list.size() : 0);
    for (auto item : list.items())
        if (item.is_string()) out.push_back(text(item));
    return out;
}

failure not_discovery(const object& document, const char* expected)
{
    return failure(cond::corrupt, std::string("expected a discovery document (") + expected + "), got kind \"" +
                                      std::string(document.kind().substr(0, 64)) + "\"");
}

discovered_resource aggregated_resource(value_view r, std::string_view group, std::string_view version)
{
    discovered_resource out;
    out.type = {.group = std::string(group),
                .version = std::string(version),
                .plural = text(r["resource"]),
                .kind = text(r["responseKind"]["kind"]),
                .namespaced = r["scope"].as_string() == "Namespaced",
                .singular = text(r["singularResource"]),
                .short_names = texts(r["shortNames"])};
    out.verbs = texts(r["verbs"]);
    out.categories = texts(r["categories"]);
    for (auto sub : r["subresources"].items()) out.subresources.push_back(text(sub["subresource"]));
    return out;
}

bool has(const std::vector<std::string>& names, std::string_view word)
{
    return std::any_of(names.begin(), names.end(), [&](const std::string& n) { return lower(n) == word; });
}

using name_test = bool (*)(const resource_type&, std::string_view word);

// In this order, so that a resource's own name is never hidden by another resource's short name.
constexpr name_test name_tests[] = {
    [](const resource_type& t, std::string_view w) { return lower(t.plural) == w || lower(t.singular) == w; },
    [](const resource_type& t, std::string_view w) { return has(t.short_names, w); },
    [](const resource_type& t, std::string_view w) { return lower(t.kind) == w; },
};

template<class Scope>
const resource_type* first_named(std::span<const discovered_resource> all, std::string_view name, Scope in_scope)
{
    for (auto test : name_tests)
        for (const auto& r : all)
            if (in_scope(r.type) && test(r.type, name)) return &r.type;
    return nullptr;
}

const resource_type* look_up(std::span<const discovered_resource> all, std::string_view word)
{
    const auto dot = word.find('.');
    if (dot == std::string_view::npos) return first_named(all, word, [](const resource_type&) { return true; });
    const auto name = word.substr(0, dot);
    const auto rest = word.substr(dot + 1);
    if (const auto second = rest.find('.'); second != std::string_view::npos) {
        const auto version = rest.substr(0, second);
        const auto group = rest.substr(second + 1);
        const auto* found =
            first_named(all, name, [&](const resource_type& t) { return t.version == version && t.group == group; });
        if (found) return found;
    }
    if (const auto* found = first_named(all, name, [&](const resource_type& t) { return t.group == rest; }))
        return found;
    return rest.empty() ? nullptr
                        : first_named(all, name, [&](const resource_type& t) { return t.group.starts_with(rest); });
}

/// Edit distance of two short words: insertions, deletions, replacements and swaps of neighbours.
std::size_t distance(std::string_view a, std::string_view b)
{
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j) {
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

std::string alike(std::span<const discovered_resource> all, std::string_view word)
{
    const auto name = word.substr(0, word.find('.'));
    // Longer than any resource name (63 characters by DNS rules): no match is possible, and comparing would be slow.
    if (name.empty() || name.size() > 63) return {};
    const std::size_t near = name.size() <= 4 ? 1 : 2;
    std::vector<std::pair<std::size_t, std::string>> found;
    for (const auto& r : all) {
        auto shown = r.type.display_name();
        const auto close = std::min(distance(name, lower(r.type.plural)), distance(name, lower(r.type.singular)));
        const bool begins = name.size() >= 3 && r.type.plural.starts_with(name);
        const bool elsewhere = lower(r.type.plural) == name;
        if (!(close <= near || begins || elsewhere)) continue;
        if (std::none_of(found.begin(), found.end(), [&](const auto& f) { return f.second == shown; }))
            found.emplace_back(close, std::move(shown));
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string out;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, found.size()); ++i)
        out += (i == 0 ? "; did you mean " : ", ") + found[i].second;
    return out.empty() ? out : out + "?";
}

} // namespace

bool is_aggregated(const object& document) noexcept { return document.kind() == "APIGroupDiscoveryList"; }

result<std::vector<discovered_resource>> read_aggregated(const object& document)
{
    if (!is_aggregated(document) || !document["items"].is_array())
        return not_discovery(document, "APIGroupDiscoveryList");
    std::vector<discovered_resource> out;
    for (auto group : document["items"].items()) {
        const auto name = group["metadata"]["name"].as_string();
        for (auto version : group["versions"].items())
            for (auto r : version["resources"].items()) {
                auto parsed = aggregated_resource(r, name, version["version"].as_string());
                // An entry without a kind exists only as the parent of subresources.
                if (!parsed.type.plural.empty() && !parsed.type.kind.empty()) out.push_back(std::move(parsed));
            }
    }
    return out;
}

result<std::vector<group_version>> read_group_versions(const object& document)
{
    std::vector<group_version> out;
    if (document.kind() == "APIVersions") {
        for (auto& version : texts(document["versions"])) out.push_back({"", version});
        return out;
    }
    if (document.kind() != "APIGroupList") return not_discovery(document, "APIVersions or APIGroupList");
    for (auto group : document["groups"].items()) {
        const auto preferred = group_version::parse(group["preferredVersion"]["groupVersion"].as_string());
        const auto first = out.size();
        for (auto version : group["versions"].items())
            out.push_back(group_version::parse(version["groupVersion"].as_string()));
        std::stable_partition(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                              [&](const group_version& v) { return v == preferred; });
    }
    return out;
}

result<std::vector<discovered_resource>> read_resource_list(const object& document, const group_version& of)
{
    if (document.kind() != "APIResourceList") return not_discovery(document, "APIResourceList");
    std::vector<discovered_resource> out;
    for (auto r : document["resources"].items()) {
        const auto name = r["name"].as_string();
        const auto slash = name.find('/');
        if (slash != std::string_view::npos) {
            const auto parent = std::find_if(out.begin(), out.end(), [&](const discovered_resource& d) {
                return d.type.plural == name.substr(0, slash);
            });
            if (parent != out.end()) parent->subresources.emplace_back(name.substr(slash + 1));
            continue;
        }
        discovered_resource parsed;
        parsed.type = {.group = of.group,
                       .version = of.version,
                       .plural = std::string(name),
                       .kind = text(r["kind"]),
                       .namespaced = r["namespaced"].as_bool(),
                       .singular = text(r["singularName"]),
                       .short_names = texts(r["shortNames"])};
        parsed.verbs = texts(r["verbs"]);
        parsed.categories = texts(r["categories"]);
        if (!parsed.type.plural.empty() && !parsed.type.kind.empty()) out.push_back(std::move(parsed));
    }
    return out;
}

result<resource_type> pick_resource(std::span<const discovered_resource> all, std::string_view word)
{
    const auto asked = lower(word);
    if (asked.empty()) return failure(cond::invalid, "the name of a resource is empty");
    if (const auto* found = look_up(all, asked)) return *found;
    return failure(cond::not_found,
                   "the server has no resource \"" + std::string(word.substr(0, 128)) + "\"" + alike(all, asked));
}

} // namespace kubecoro::detail
