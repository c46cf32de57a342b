// The conditions in an object's status.
#pragma once

#include <kubecoro/base/clock.hpp>

#include <boost/json/value.hpp>

#include <string_view>

namespace kubecoro::apiserver::live {

/// The content of a condition, without its times.
struct condition
{
    std::string_view type;
    bool holds = true;
    std::string_view reason = {};
    std::string_view message = {};
    /// Whether it has a lastUpdateTime besides, as those of a Deployment.
    bool has_update_time = false;
};

/// Whether the condition is True.
[[nodiscard]] bool has_condition(const boost::json::value& body, std::string_view type);
/// The condition; null if the status has none of this type.
[[nodiscard]] const boost::json::value* find_condition(const boost::json::value& body, std::string_view type);

/// Sets a condition in a status. One that says the same stays as it is; lastTransitionTime moves with its truth only.
void set_condition(boost::json::object& status, const condition& c, wall_time now);
void erase_condition(boost::json::object& status, std::string_view type);

} // namespace kubecoro::apiserver::live
