// Owner references in the bodies of tests.
#pragma once

#include <boost/json.hpp>

#include <string>
#include <vector>

namespace kubecoro::test {

/// An owner, as an object names it.
struct reference
{
    std::string name;
    std::string uid;
    bool blocks = false;
    std::string kind = "ConfigMap";
    std::string api_version = "v1";
};

inline std::string owners_text(const std::vector<reference>& owners)
{
    boost::json::array all;
    for (const auto& o : owners)
        all.push_back({{"apiVersion", o.api_version},
                       {"kind", o.kind},
                       {"name", o.name},
                       {"uid", o.uid},
                       {"blockOwnerDeletion", o.blocks}});
    return boost::json::serialize(all);
}

} // namespace kubecoro::test
