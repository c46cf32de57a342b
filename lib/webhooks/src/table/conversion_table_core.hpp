// The conversions between the versions of kinds, by way of their hubs. Sans-io.
#pragma once

#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/webhooks/detail/version_pair.hpp>

#include <boost/json/object.hpp>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

class conversion_table
{
public:
    /// Errors: cond::misconfigured: versions of different kinds, a version that is there already, or a second hub.
    [[nodiscard]] result<> add(const resource_type& spoke, const resource_type& hub, version_step up,
                               version_step down);

    /// An object that has the version already is left as it is. Errors: those of the steps; cond::not_found for a kind or
    /// version that it does not convert.
    [[nodiscard]] result<boost::json::object> convert(const boost::json::object& from, std::string_view wanted) const;

    [[nodiscard]] bool empty() const noexcept { return kinds_.empty(); }
    /// The hubs of the kinds.
    [[nodiscard]] std::vector<resource_type> hubs() const;

private:
    struct spoke
    {
        version_step up;
        version_step down;
    };
    struct kind
    {
        resource_type hub;
        /// By apiVersion.
        std::map<std::string, spoke, std::less<>> spokes = {};
    };
    /// By group and kind.
    std::map<std::pair<std::string, std::string>, kind> kinds_;
};

} // namespace kubecoro::detail
