// One request on its way through the server, and the parts of the handler that answer it.
#pragma once

#include "http/media.hpp"
#include "render/render.hpp"
#include "state/resource_store.hpp"
#include "verbs/target.hpp"

#include <kubecoro/apiserver/request_handler.hpp>

#include <memory>
#include <string>
#include <vector>

namespace kubecoro::apiserver {

struct exchange
{
    cluster_state_core& state;
    const handler_options& options;
    random_source& random;
    const http_request& request;
    wall_time now;
    user_info user;
    parsed_target target;
    api_route route;
    /// Set once the route is known to lead to a resource.
    std::shared_ptr<resource_store> store = nullptr;
    /// Text of `Warning: 299` headers.
    std::vector<std::string> warnings = {};

    [[nodiscard]] object_address address() const
    {
        return {store, route.version, route.ns, route.name, route.subresource};
    }
};

/// 200 or 201 with a JSON body, a newline, and the warnings of the exchange.
[[nodiscard]] http_response json_response(const exchange& x, std::string body, int status = 200);

/// 200 with a list that is made as it is sent.
[[nodiscard]] http_response list_response(const exchange& x, list_page page, rendering form);

/// The form a resource request wants its answer in. Errors: 406.
[[nodiscard]] answer<rendering> choose_rendering(const exchange& x, bool list);

[[nodiscard]] http_response answer_get(exchange& x);
[[nodiscard]] http_response answer_list(exchange& x);
[[nodiscard]] http_response answer_watch(exchange& x);
[[nodiscard]] http_response answer_create(exchange& x);
[[nodiscard]] http_response answer_update(exchange& x);
[[nodiscard]] http_response answer_patch(exchange& x);
[[nodiscard]] http_response answer_delete(exchange& x);
[[nodiscard]] http_response answer_delete_collection(exchange& x);

/// Paths that are no resource: discovery, OpenAPI, version, health.
[[nodiscard]] http_response answer_path(exchange& x);

} // namespace kubecoro::apiserver
