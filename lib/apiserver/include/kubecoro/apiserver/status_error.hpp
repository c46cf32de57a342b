// The refusal of a request inside the embedded server: what becomes a Status answer.
#pragma once

#include <kubecoro/base/status.hpp>

#include <boost/system/result.hpp>

#include <string>

namespace kubecoro::apiserver {

/// A Status of failure, with what is only known on the server's side.
struct status_error : server_status
{
    /// Write `details:{}` though it is empty (errors of the route).
    bool empty_details = false;
    /// The answer is plain text "404 page not found", as for a path nobody serves.
    bool plain_text = false;
    /// Hold the answer back for 3 s (a resource version of the future).
    bool delayed = false;
};

/// A value or the Status that is sent instead.
template<class T>
using answer = boost::system::result<T, status_error>;

} // namespace kubecoro::apiserver
