#include "informer/namespaces_core.hpp"

#include <algorithm>
#include <iterator>

namespace kubecoro::detail {

namespaces_core::namespaces_core(const std::vector<std::string>& wanted) : wanted_(wanted.begin(), wanted.end())
{
    if (wanted_.empty()) wanted_.insert("");
}

std::set<std::string> namespaces_core::watched() const
{
    if (all()) return {""};
    return {wanted_.begin(), wanted_.end()};
}

bool namespaces_core::covers(std::string_view ns) const { return all() || wanted_.contains(ns); }

namespaces_core::change namespaces_core::from(const std::set<std::string>& present) const
{
    const auto needed = watched();
    change c;
    std::set_difference(present.begin(), present.end(), needed.begin(), needed.end(), std::back_inserter(c.leave));
    std::set_difference(needed.begin(), needed.end(), present.begin(), present.end(), std::back_inserter(c.join));
    return c;
}

} // namespace kubecoro::detail
