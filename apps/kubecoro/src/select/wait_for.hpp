// Waits until an object meets a condition.
#pragma once

#include "cli/verb.hpp"

#include <kubecoro/api/resource.hpp>
#include <kubecoro/cache/conditions.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>

#include <string>

namespace kubecoro::tool {

/// One object of the server.
struct named_object
{
    resource_type type = {};
    std::string ns = {};
    std::string name = {};
};

/** Waits with an informer of this object alone, which survives lost connections.

    @param timeout  0 = none.
    Errors: as shared_informer::wait_for(). */
[[nodiscard]] boost::asio::awaitable<result<object>>
wait_for_object(client api, named_object which, object_condition wanted, duration timeout, verb_context context);

} // namespace kubecoro::tool
