// Defaults that need no code: the place of an object, a member, and its value.
#pragma once

#include "schema/default_budget.hpp"

#include <boost/json/value.hpp>

#include <string_view>

namespace kubecoro::apiserver {

/// Fills in the defaults of a kind that is listed; none for other kinds.
void apply_default_rules(std::string_view kind, boost::json::value& object, default_budget& budget);

/// The same for the volumes in the specification of a pod, and for one of its containers.
void apply_volume_rules(boost::json::value& spec, default_budget& budget);
void apply_container_rules(boost::json::value& container, default_budget& budget);

} // namespace kubecoro::apiserver
