#include <kubecoro/api/resource.hpp>

#include <algorithm>

namespace kubecoro {

std::string resource_type::api_version() const { return group.empty() ? version : group + "/" + version; }

std::string resource_type::path_prefix() const
{
    return group.empty() ? "/api/" + version : "/apis/" + group + "/" + version;
}

std::string resource_type::display_name() const { return group.empty() ? plural : plural + "." + group; }

group_version group_version::parse(std::string_view api_version)
{
    const auto slash = api_version.find('/');
    if (slash == std::string_view::npos) return {{}, std::string(api_version)};
    return {std::string(api_version.substr(0, slash)), std::string(api_version.substr(slash + 1))};
}

bool is_comparable_version(std::string_view version) noexcept
{
    if (version.empty() || (version.size() > 1 && version.front() == '0')) return false;
    return std::all_of(version.begin(), version.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::partial_ordering compare_versions(std::string_view a, std::string_view b) noexcept
{
    if (a == b) return std::partial_ordering::equivalent;
    if (!is_comparable_version(a) || !is_comparable_version(b)) return std::partial_ordering::unordered;
    if (a.size() != b.size()) return a.size() <=> b.size();
    return a < b ? std::partial_ordering::less : std::partial_ordering::greater;
}

} // namespace kubecoro
