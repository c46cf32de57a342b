// Snapshots of the parts of a program as JSON.
#pragma once

#include <kubecoro/cache/shared_informer.hpp>
#include <kubecoro/controller/controller_options.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace kubecoro::detail {

[[nodiscard]] boost::json::object to_json(const resource_type& resource, const informer_stats& s);
[[nodiscard]] boost::json::object to_json(const controller_stats& s);
[[nodiscard]] boost::json::object to_json(const workqueue_stats& s);

} // namespace kubecoro::detail
