#include <kubecoro/api/resource.hpp>

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

} // namespace kubecoro
