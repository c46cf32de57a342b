#pragma once
// Waits for a state of one object without an informer.

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>

namespace kubecoro::detail {

/// Called with each state of an object, null while there is none. Returns the outcome of the wait, or nothing to go on.
using object_verdict = std::function<std::optional<result<>>(const object&)>;

/** Reads the object and watches it until `decide` returns an outcome. A watch that ends is opened again after a pause;
    unreachable, expired, timed_out and retry_later are waited out.

    @par Errors        those of the outcome; those of the requests that do not pass: forbidden, unauthorized, ...
    @par Cancellation  terminal, partial, total. */
[[nodiscard]] boost::asio::awaitable<result<>> follow_object(client cluster, resource_type type, object_key key,
                                                             object_verdict decide);

} // namespace kubecoro::detail
