#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro {

/// One entry of a Status's `details.causes`.
struct status_cause
{
    std::string reason;
    std::string message;
    std::string field;
};

/** The server's description of a failed request: the Kubernetes `Status` object as a value.

    All text comes from the server and may contain user data; the library's own text is in failure::message(). Parsed
    by read_status(). Absent fields are empty. */
struct server_status
{
    /// HTTP code stated in the Status, or the code of the response's status line if the Status has none.
    int code = 0;
    /// CamelCase reason such as "NotFound"; empty for plain-text responses.
    std::string reason;
    std::string message;
    /// Kind (or plural resource), group and name of the object concerned.
    std::string kind;
    std::string group;
    std::string name;
    std::vector<status_cause> causes;
    /// `details.retryAfterSeconds` or the Retry-After header, whichever is present.
    std::optional<std::chrono::seconds> retry_after;
    /// `metadata.continue` of a 410: a token that continues at the newest version (inconsistent continuation).
    std::string continue_token;
};

} // namespace kubecoro
