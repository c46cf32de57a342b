#include <kubecoro/api/resource_version.hpp>

#include <algorithm>

namespace kubecoro {

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
