// Names the parts of definitions that a cluster acts on and this server ignores.
#pragma once

#include "objects/registry.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace kubecoro::apiserver {

/// True for the kinds of which unevaluated_parts() may say something.
[[nodiscard]] bool may_be_unevaluated(const resource_info& info) noexcept;

/** Says what a new or updated definition asks for without effect: CEL rules and conversion webhooks of
    CustomResourceDefinitions, admission webhooks and policies, quotas, limits of resources, disruption budgets and
    aggregated APIs.

    @return one sentence of at most about 1 KiB, for a `Warning` header; empty if all of the object has its effect. */
[[nodiscard]] std::string unevaluated_parts(const resource_info& info, const boost::json::value& body);

} // namespace kubecoro::apiserver
