// The refusal of a request inside the embedded server, sent as a Status.
#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/system/result.hpp>

#include <string>

namespace kubecoro::apiserver {

/// A failure Status with instructions for how to send it.
struct status_error : server_status
{
    /// Write `details:{}` even when it is empty (routing errors).
    bool empty_details = false;
    /// Send the plain text "404 page not found", as for an unknown path.
    bool plain_text = false;
    /// Delay the response by 3 s (a resource version in the future).
    bool delayed = false;
};

/// Called by `value()` of an answer.
[[noreturn]] inline void throw_exception_from_error(const status_error& refusal, const boost::source_location& where)
{
    throw_exception_from_error(failure(static_cast<const server_status&>(refusal)), where);
}

/// A value, or the Status to send instead.
template<class T>
using answer = boost::system::result<T, status_error>;

} // namespace kubecoro::apiserver
