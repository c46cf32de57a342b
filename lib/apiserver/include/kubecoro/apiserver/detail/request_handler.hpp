// HTTP semantics of the embedded API server, sans-io: one request in, one response out.
#pragma once

#include <kubecoro/apiserver/detail/access_control.hpp>
#include <kubecoro/apiserver/detail/cluster_state_core.hpp>
#include <kubecoro/apiserver/detail/http_types.hpp>
#include <kubecoro/base/detail/random.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace kubecoro::apiserver {

class authorizer;

/** Answers requests against a cluster state: authentication, authorization, routing, verbs, discovery, OpenAPI, tables.

    Authorization is by the rules of `access`, then by the Roles and ClusterRoles that the state holds.
    Reports every error as a response. Not thread safe: used on the strand of the state, which must outlive it. */
class request_handler
{
public:
    /// @param state, access  Must outlive the handler. @param seed  Makes its random choices.
    request_handler(cluster_state_core& state, access_control& access, std::uint64_t seed = 1);
    ~request_handler();
    request_handler(const request_handler&) = delete;
    request_handler& operator=(const request_handler&) = delete;

    /** Answers one request; every error is a response with a Status.
        @param now  The present time, for the expiry of tokens, timestamps, and the timeout of a watch. */
    [[nodiscard]] http_response handle(const http_request& request, wall_time now);

    /** Begins to answer one request, as handle() does. The response is pending while a part of the work is left, that
        of a deletion of many objects: other requests may be answered before its next step.

        @param request  Must outlive a pending response. @param now  As for handle(). */
    [[nodiscard]] http_response begin(const http_request& request, wall_time now);

    /** Checks a request by its head, so that the body of an unauthorized request is not read.

        @param head  Its body is ignored. @return the refusal that handle() would return; empty: call handle(). */
    [[nodiscard]] std::optional<http_response> refuse_early(const http_request& head, wall_time now);

    /// The state it serves, for tick() and on_change().
    [[nodiscard]] cluster_state_core& state() noexcept { return state_; }

private:
    cluster_state_core& state_;
    std::unique_ptr<authorizer> authorizer_;
    /// Signs tokens of service accounts, which end with the handler.
    std::string token_key_;
    detail::random_source random_;
};

} // namespace kubecoro::apiserver
