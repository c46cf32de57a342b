#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro {

/// One entry of a Status's `details.causes`.
struct status_cause
{
    /// A CamelCase reason such as "FieldValueInvalid".
    std::string reason;
    /// The cause in words.
    std::string message;
    /// The field, as a path.
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
    /// The server's message for people.
    std::string message;
    /// Kind (or plural resource), group and name of the object concerned.
    std::string kind;
    /// The API group.
    std::string group;
    /// The object's name.
    std::string name;
    /// Single causes, such as invalid fields.
    std::vector<status_cause> causes;
    /// `details.retryAfterSeconds` or the Retry-After header, whichever is present.
    std::optional<std::chrono::seconds> retry_after;
    /// `metadata.continue` of a 410: a token that continues at the newest version (inconsistent continuation).
    std::string continue_token;
};

} // namespace kubecoro
