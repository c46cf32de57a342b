// The columns and cells of kinds that are stored without rules of their own, and cells that are computed from a whole object.
#pragma once

#include "objects/registry.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// The columns of a kind without rules of its own; name and age for one that needs no others.
[[nodiscard]] std::vector<table_column> plain_columns(const resource_info& info);

/// One cell per column. @param age  As `kubectl get` shows it.
[[nodiscard]] boost::json::array plain_cells(const resource_info& info, const boost::json::value& body,
                                             std::string_view age);

} // namespace kubecoro::apiserver

namespace kubecoro::apiserver::cells {

/// The items, or a member of each, with commas. @param member  Empty: the items themselves.
[[nodiscard]] std::string joined(const json::array* items, std::string_view member);
[[nodiscard]] json::value shown(std::string_view text, std::string_view otherwise = "<none>");
[[nodiscard]] json::value count(const json::array* items);
[[nodiscard]] json::value labels_of(const json::object* labels);
/// "k in (a,b),x=y", sorted by key, as kubectl writes the selector at a path.
[[nodiscard]] json::value selector(const json::value& body, std::string_view path);
[[nodiscard]] json::value flag(const json::value& body, std::string_view path);

[[nodiscard]] json::value volume_modes(const json::value& body);
[[nodiscard]] json::value claim_modes(const json::value& body);
[[nodiscard]] json::value claim_capacity(const json::value& body);
[[nodiscard]] json::value phase(const json::value& body);
[[nodiscard]] json::value attributes_class(const json::value& body);
[[nodiscard]] json::value claim(const json::value& body);
[[nodiscard]] json::value endpoint_addresses(const json::value& body);
[[nodiscard]] json::value slice_ports(const json::value& body);
[[nodiscard]] json::value slice_addresses(const json::value& body);
[[nodiscard]] json::value ingress_hosts(const json::value& body);
[[nodiscard]] json::value ingress_address(const json::value& body);
[[nodiscard]] json::value ingress_ports(const json::value& body);
[[nodiscard]] json::value scale_target(const json::value& body);
[[nodiscard]] json::value scale_metrics(const json::value& body);
[[nodiscard]] json::value least_available(const json::value& body);
[[nodiscard]] json::value most_unavailable(const json::value& body);
[[nodiscard]] json::value role(const json::value& body);
[[nodiscard]] json::value users(const json::value& body);
[[nodiscard]] json::value groups(const json::value& body);
[[nodiscard]] json::value accounts(const json::value& body);
[[nodiscard]] json::value signing_condition(const json::value& body);
[[nodiscard]] json::value quota_requests(const json::value& body);
[[nodiscard]] json::value quota_limits(const json::value& body);
[[nodiscard]] json::value controller(const json::value& body);
[[nodiscard]] json::value class_parameters(const json::value& body);
[[nodiscard]] json::value api_service(const json::value& body);
[[nodiscard]] json::value api_available(const json::value& body);
[[nodiscard]] json::value token_requests(const json::value& body);
[[nodiscard]] json::value pod_selector(const json::value& body);

} // namespace kubecoro::apiserver::cells
