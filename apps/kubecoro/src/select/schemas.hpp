// Reads the server's OpenAPI documents.
#pragma once

#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/json/value.hpp>

namespace kubecoro::tool {

/// The document with the schemas of a resource. Errors: cond::not_found if the server publishes none; else as client.
[[nodiscard]] boost::asio::awaitable<result<boost::json::value>> fetch_schemas(client api, resource_type type);

} // namespace kubecoro::tool
