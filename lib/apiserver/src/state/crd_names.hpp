// The names by which the definitions of an API group are called.
#pragma once

#include "objects/registry.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// The names of one definition.
struct crd_names
{
    /// Plural, singular and short names.
    std::vector<std::string> resources;
    /// Kind and list kind.
    std::vector<std::string> kinds;
};

/// The names of a definition that is served.
[[nodiscard]] crd_names names_of(const resource_info& info);
/// The accepted names of a definition that is not.
[[nodiscard]] crd_names accepted_names_of(const boost::json::value& crd);

/// The names that definitions have taken.
class names_in_use
{
public:
    void add(const crd_names& names);
    /// @param names  They were added.
    void remove(const crd_names& names);
    [[nodiscard]] bool has_resource(std::string_view name) const { return resources_.contains(name); }
    [[nodiscard]] bool has_kind(std::string_view name) const { return kinds_.contains(name); }

private:
    /// How many definitions have a name: two with the same one can come from a saved state.
    using counts = std::map<std::string, std::size_t, std::less<>>;
    counts resources_;
    counts kinds_;
};

} // namespace kubecoro::apiserver
