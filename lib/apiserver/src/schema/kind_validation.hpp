// Rules of single kinds: events, roles, kinds that the server only stores, and the fields that an update must leave.
#pragma once

#include "objects/registry.hpp"
#include "objects/status_errors.hpp"

#include <boost/json/value.hpp>

#include <vector>

namespace kubecoro::apiserver {

/// Checks members that are needed, that are one of some texts, or that are not negative.
void validate_plain_kind(const resource_info& info, const boost::json::value& body, std::vector<status_cause>& causes);

/// Gives the members of an Event the names of the other form.
[[nodiscard]] boost::json::value event_form(boost::json::value event, bool core);

/// Checks a new event.
void validate_event(const resource_info& info, const boost::json::value& body, std::vector<status_cause>& causes);

/// Checks a change of an event: in events.k8s.io only its series and its metadata may change.
void validate_event_update(const resource_info& info, const boost::json::value& before, const boost::json::value& after,
                           std::vector<status_cause>& causes);

/// Checks a Role or ClusterRole.
void validate_role(const resource_info& info, const boost::json::value& body, std::vector<status_cause>& causes);

/// Checks a RoleBinding or ClusterRoleBinding.
void validate_role_binding(const resource_info& info, const boost::json::value& body,
                           std::vector<status_cause>& causes);

/// The role of a binding is immutable: who may change its subjects need not have the rights of another role.
void validate_role_binding_update(const boost::json::value& before, const boost::json::value& after,
                                  std::vector<status_cause>& causes);

/// Checks that an update leaves the immutable fields of its kind as they are.
void validate_spec_update(const resource_info& info, const boost::json::value& before, const boost::json::value& after,
                          std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
