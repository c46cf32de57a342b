#pragma once
// Short texts of objects for comparisons: "web/a@5".

#include <kubecoro/api/object.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace cache_test {

inline std::string name_of(const kubecoro::object& o)
{
    return kubecoro::to_string(o.key()) + "@" + std::string(o.resource_version());
}

/// For a relist's deletions and a late joiner's initial events, whose order is unspecified.
inline std::vector<std::string> sorted(std::vector<std::string> v)
{
    std::sort(v.begin(), v.end());
    return v;
}

inline std::vector<std::string> names(const std::vector<kubecoro::object>& objects)
{
    std::vector<std::string> out;
    for (const auto& o : objects) out.push_back(name_of(o));
    return sorted(std::move(out));
}

} // namespace cache_test
