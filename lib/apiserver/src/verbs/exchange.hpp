// The context of one request, and the request handler's functions for each verb.
#pragma once

#include "render/render.hpp"
#include "request/list_query.hpp"
#include "request/media.hpp"
#include "request/target.hpp"
#include "state/conversions.hpp"
#include "state/resource_store.hpp"

#include <kubecoro/apiserver/detail/http_types.hpp>
#include <kubecoro/apiserver/detail/request_handler.hpp>
#include <kubecoro/base/detail/random.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro::apiserver {

class authorizer;

struct exchange
{
    cluster_state_core& state;
    authorizer& access;
    const std::string& token_key;
    detail::random_source& random;
    const http_request& request;
    wall_time now;
    user_info user;
    parsed_target target;
    api_route route;
    /// Set once the route is resolved to a resource.
    std::shared_ptr<resource_store> store = nullptr;
    /// Text of `Warning: 299` headers.
    std::vector<std::string> warnings = {};

    [[nodiscard]] version_converter versions() const { return version_converter(request.conversions.get()); }
    [[nodiscard]] object_address address() const
    {
        return {store, route.version, route.ns, route.name, route.subresource};
    }
};

/// Returns a response with a JSON body and a trailing newline.
[[nodiscard]] http_response json_response(std::string body, int status = 200);

/// Returns a response with an object in the form. Errors are responses: 500 if the object has no such form.
/// @param json  The object as JSON text.
[[nodiscard]] http_response object_response(std::string json, answer_form form, int status = 200);

/// Returns a text that is no API object.
[[nodiscard]] http_response text_response(std::string body);

/// Returns a 200 whose list is rendered while it is sent.
[[nodiscard]] http_response list_response(const exchange& x, list_page page, rendering form);

/// Negotiates representation and form of the answer of the request's resource. Errors: 406.
[[nodiscard]] answer<media_choice> choose_media(const exchange& x, bool watch = false);

/// Negotiates the rendering of a resource request's answer. Errors: 406.
[[nodiscard]] answer<rendering> choose_rendering(const exchange& x, bool list);

[[nodiscard]] http_response answer_get(exchange& x);
[[nodiscard]] http_response answer_list(exchange& x);
[[nodiscard]] http_response answer_watch(exchange& x);
[[nodiscard]] http_response answer_create(exchange& x);
[[nodiscard]] http_response answer_update(exchange& x);
[[nodiscard]] http_response answer_patch(exchange& x);
[[nodiscard]] http_response answer_delete(exchange& x);
/// Is pending, and takes the exchange over, unless it is a refusal.
[[nodiscard]] http_response answer_delete_collection(exchange& x);

/// Answers GET and POST of a pod's log; POST appends to it, for tests.
[[nodiscard]] http_response answer_log(exchange& x);
[[nodiscard]] http_response answer_log_append(exchange& x);
/// Answers POST of a pod's eviction and binding.
[[nodiscard]] http_response answer_eviction(exchange& x);
[[nodiscard]] http_response answer_binding(exchange& x);
/// Answers requests of an object's scale.
[[nodiscard]] http_response answer_scale_get(exchange& x);
[[nodiscard]] http_response answer_scale_update(exchange& x, write_flags flags);
[[nodiscard]] http_response answer_scale_apply(exchange& x, boost::json::value config, write_flags flags);
/// Writes the replicas of a Scale into its object.
[[nodiscard]] http_response write_scale(exchange& x, boost::json::value scale, write_flags flags);
/// Answers POST of a service account's token.
[[nodiscard]] http_response answer_token_request(exchange& x);

/// Completes a response: its form, encoding, common headers and warnings.
void finish(const exchange& x, http_response& r);

/// Answers non-resource paths: discovery, OpenAPI, version, health.
[[nodiscard]] http_response answer_path(exchange& x);

/// Indents compact JSON by two spaces per level, without a trailing newline.
[[nodiscard]] std::unique_ptr<body_stream> make_pretty(std::unique_ptr<body_stream> compact);

struct watch_request
{
    std::shared_ptr<resource_store> store;
    std::string ns = {};
    list_query query = {};
    selection selected = {};
    rendering form = {};
    /// Null: no webhook converts the objects.
    std::shared_ptr<kubecoro::detail::conversion_ledger> conversions = nullptr;
    /// The server ends the watch after this time.
    std::chrono::seconds lifetime{1800};
    std::chrono::seconds bookmark_interval{60};
};

/// Errors: 500 for an invalid version. Versions too old or in the future are reported by the stream.
[[nodiscard]] answer<std::unique_ptr<watch_body>> open_watch(watch_request request, wall_time now);

} // namespace kubecoro::apiserver
