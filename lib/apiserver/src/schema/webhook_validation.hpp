// Validates configurations of admission webhooks, and the parts that they have in common with definitions.
#pragma once

#include "objects/status_errors.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace kubecoro::apiserver {

/// Checks a member `clientConfig`. @param field  Its path.
void validate_webhook_client(const boost::json::value& client, const std::string& field,
                             std::vector<status_cause>& causes);

/// Checks a MutatingWebhookConfiguration or a ValidatingWebhookConfiguration.
void validate_webhooks(const boost::json::value& configuration, std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
