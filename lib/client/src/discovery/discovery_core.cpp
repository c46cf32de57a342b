#include "discovery/discovery_core.hpp"

#include <kubecoro/base/printable.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace kubecoro::detail {

namespace {

constexpr std::size_t most_shown = 8;
constexpr std::size_t shown_name = 128;
// A DNS label, as the names of resources are.
constexpr std::size_t longest_name = 63;
// Versions of groups that are asked for one by one. Clusters have some hundreds.
constexpr std::size_t most_versions = 10'000;
constexpr std::string_view openapi_root = "/openapi/v3/";

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

failure too_many_versions()
{
    return failure(cond::corrupt,
                   "the server lists more than " + std::to_string(most_versions) + " versions of groups");
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

/// Versions of a resource after its first one are not preferred.
class first_versions
{
public:
    /// @param t  Outlives this.
    void add(const resource_type& t)
    {
        if (seen_.emplace(t.group, t.plural).second) found_.push_back(t);
    }
    [[nodiscard]] std::vector<resource_type> take() { return std::move(found_); }

private:
    std::set<std::pair<std::string_view, std::string_view>> seen_;
    std::vector<resource_type> found_;
};

template<class Scope>
std::vector<resource_type> named(const discovered_resources& all, std::string_view name, Scope in_scope)
{
    for (auto test : name_tests) {
        first_versions out;
        for (const auto& r : all.resources)
            if (in_scope(r.type) && test(r.type, name)) out.add(r.type);
        if (auto found = out.take(); !found.empty()) return found;
    }
    return {};
}

std::string joined(const std::vector<resource_type>& types)
{
    std::string out;
    for (std::size_t i = 0; i < std::min(types.size(), most_shown); ++i)
        out += (i == 0 ? "" : ", ") + printable(types[i].display_name(), shown_name);
    return types.size() > most_shown ? out + ", ..." : out;
}

/// Resources of groups whose names begin like this.
result<std::vector<resource_type>> by_shortened_group(const discovered_resources& all, std::string_view name,
                                                      std::string_view beginning)
{
    if (beginning.empty()) return std::vector<resource_type>{};
    auto found = named(all, name, [&](const resource_type& t) { return t.group.starts_with(beginning); });
    if (found.size() > 1)
        return failure(cond::invalid,
                       "several groups begin with \"" + std::string(beginning.substr(0, 128)) + "\": " + joined(found));
    return found;
}

result<std::vector<resource_type>> look_up(const discovered_resources& all, std::string_view word)
{
    const auto dot = word.find('.');
    if (dot == std::string_view::npos) return named(all, word, [](const resource_type&) { return true; });
    const auto name = word.substr(0, dot);
    const auto rest = word.substr(dot + 1);
    if (const auto second = rest.find('.'); second != std::string_view::npos) {
        const auto version = rest.substr(0, second);
        const auto group = rest.substr(second + 1);
        auto found = named(all, name, [&](const resource_type& t) { return t.version == version && t.group == group; });
        if (!found.empty()) return found;
    }
    auto found = named(all, name, [&](const resource_type& t) { return t.group == rest; });
    return found.empty() ? by_shortened_group(all, name, rest) : std::move(found);
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

std::string alike(const discovered_resources& all, std::string_view word)
{
    const auto name = word.substr(0, word.find('.'));
    if (name.empty() || name.size() > longest_name) return {};
    const std::size_t near = name.size() <= 4 ? 1 : 2;
    // Comparing takes time and memory by the product of the lengths.
    const auto distance_to = [&](const std::string& other) {
        return other.size() > longest_name ? longest_name : distance(name, lower(other));
    };
    std::set<std::string> seen;
    std::vector<std::pair<std::size_t, std::string>> found;
    for (const auto& r : all.resources) {
        auto shown = printable(r.type.display_name(), shown_name);
        const auto close = std::min(distance_to(r.type.plural), distance_to(r.type.singular));
        const bool begins = name.size() >= 3 && r.type.plural.starts_with(name);
        const bool elsewhere = lower(r.type.plural) == name;
        if (!(close <= near || begins || elsewhere)) continue;
        if (seen.insert(shown).second) found.emplace_back(close, std::move(shown));
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string out;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, found.size()); ++i)
        out += (i == 0 ? "; did you mean " : ", ") + found[i].second;
    return out.empty() ? out : out + "?";
}

/// Names the groups that may have what was not found.
std::string missing_groups(const discovered_resources& all)
{
    std::string out;
    for (std::size_t i = 0; i < std::min(all.missing.size(), most_shown); ++i)
        out += (i == 0 ? "; these groups do not respond: " : ", ") +
               printable(all.missing[i].group + "/" + all.missing[i].version, shown_name);
    return out;
}

} // namespace

bool is_aggregated(const object& document) noexcept { return document.kind() == "APIGroupDiscoveryList"; }

result<discovered_resources> read_aggregated(const object& document)
{
    if (!is_aggregated(document) || !document["items"].is_array())
        return not_discovery(document, "APIGroupDiscoveryList");
    discovered_resources out;
    for (auto group : document["items"].items()) {
        const auto name = group["metadata"]["name"].as_string();
        for (auto version : group["versions"].items()) {
            const auto version_name = version["version"].as_string();
            if (version["freshness"].as_string() == "Stale") {
                out.missing.push_back({std::string(name), std::string(version_name),
                                       failure(cond::unreachable, "the server of the group does not respond")});
                continue;
            }
            for (auto r : version["resources"].items()) {
                auto parsed = aggregated_resource(r, name, version_name);
                // An entry without a kind exists only as the parent of subresources.
                if (!parsed.type.plural.empty() && !parsed.type.kind.empty())
                    out.resources.push_back(std::move(parsed));
            }
        }
    }
    return out;
}

result<std::vector<group_version>> read_group_versions(const object& document)
{
    std::vector<group_version> out;
    if (document.kind() == "APIVersions") {
        for (auto& version : texts(document["versions"])) out.push_back({"", version});
        if (out.size() > most_versions) return too_many_versions();
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
        if (out.size() > most_versions) return too_many_versions();
    }
    return out;
}

result<std::vector<discovered_resource>> read_resource_list(const object& document, const group_version& of)
{
    if (document.kind() != "APIResourceList") return not_discovery(document, "APIResourceList");
    std::vector<discovered_resource> out;
    std::map<std::string_view, std::size_t> places;
    for (auto r : document["resources"].items()) {
        const auto name = r["name"].as_string();
        const auto slash = name.find('/');
        if (slash != std::string_view::npos) {
            const auto parent = places.find(name.substr(0, slash));
            if (parent != places.end()) out[parent->second].subresources.emplace_back(name.substr(slash + 1));
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
        if (parsed.type.plural.empty() || parsed.type.kind.empty()) continue;
        places.emplace(name, out.size());
        out.push_back(std::move(parsed));
    }
    return out;
}

result<std::vector<resource_type>> matching_resources(const discovered_resources& all, std::string_view word)
{
    const auto asked = lower(word);
    if (asked.empty()) return failure(cond::invalid, "the name of a resource is empty");
    auto found = look_up(all, asked);
    if (!found || !found->empty()) return found;
    return failure(cond::not_found, "the server has no resource \"" + std::string(word.substr(0, 128)) + "\"" +
                                        alike(all, asked) + missing_groups(all));
}

result<resource_type> pick_resource(const discovered_resources& all, std::string_view word)
{
    auto found = matching_resources(all, word);
    if (!found) return found.error();
    return std::move(found->front());
}

result<resource_type> pick_kind(const discovered_resources& all, std::string_view api_version, std::string_view kind)
{
    const auto gv = group_version::parse(api_version);
    for (const auto& r : all.resources)
        if (r.type.kind == kind && r.type.group == gv.group && r.type.version == gv.version) return r.type;
    return failure(cond::not_found, "the server has no kind \"" + std::string(kind.substr(0, 128)) + "\" in " +
                                        std::string(api_version.substr(0, 128)) + missing_groups(all));
}

std::vector<resource_type> members_of(const discovered_resources& all, std::string_view category)
{
    first_versions out;
    for (const auto& r : all.resources)
        if (std::find(r.categories.begin(), r.categories.end(), category) != r.categories.end()) out.add(r.type);
    return out.take();
}

result<server_version> read_version(std::string_view body)
{
    const auto parsed = object::parse(body);
    if (!parsed) return parsed.error();
    const auto root = parsed->root();
    server_version out{text(root["major"]), text(root["minor"]), text(root["gitVersion"]), text(root["platform"])};
    if (out.git_version.empty()) return failure(cond::corrupt, "the response is not the version of a server");
    return out;
}

result<std::vector<openapi_document>> read_openapi_index(std::string_view body)
{
    const auto parsed = object::parse(body);
    if (!parsed) return parsed.error();
    const auto paths = parsed->root()["paths"];
    if (!paths.is_object()) return failure(cond::corrupt, "the response is not an index of OpenAPI documents");
    std::vector<openapi_document> out;
    for (const auto [name, entry] : paths.members()) {
        openapi_document d{std::string(name), text(entry["serverRelativeURL"])};
        // The target is sent as it is, to this server.
        const bool plain = std::all_of(d.target.begin(), d.target.end(), [](char c) { return c > ' ' && c < 0x7f; });
        if (!d.target.starts_with(openapi_root) || !plain)
            return failure(cond::corrupt, "an OpenAPI document is outside " + std::string(openapi_root));
        out.push_back(std::move(d));
    }
    return out;
}

namespace {

constexpr duration max_age = std::chrono::minutes{10};
/// Between reads that unknown names cause, so that a typing error in a loop does not load the server.
constexpr duration miss_interval = std::chrono::seconds{10};

} // namespace

discovery_cache_core::list discovery_cache_core::current(time_point now) const noexcept
{
    if (!list_) return nullptr;
    const auto age = now - read_at_;
    if (age >= max_age) return nullptr;
    // The groups that did not respond may have come back.
    if (!list_->missing.empty() && age >= miss_interval) return nullptr;
    return list_;
}

bool discovery_cache_core::may_read_after_miss(time_point now) const noexcept
{
    return !list_ || now - tried_at_ >= miss_interval;
}

void discovery_cache_core::on_begin(time_point now) noexcept
{
    tried_at_ = now;
    invalidated_ = false;
}

void discovery_cache_core::on_read(list found, time_point now) noexcept
{
    if (invalidated_) return;
    list_ = std::move(found);
    read_at_ = now;
}

void discovery_cache_core::invalidate() noexcept
{
    list_ = nullptr;
    invalidated_ = true;
}

} // namespace kubecoro::detail
