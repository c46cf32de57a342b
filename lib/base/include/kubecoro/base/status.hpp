#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro {

/// One cause inside a server's `Status.details.causes`.
struct status_cause
{
    /// A CamelCase reason such as "FieldValueInvalid".
    std::string reason;
    /// The cause in words.
    std::string message;
    /// The field, as a path.
    std::string field;
};

/** The server's own account of a failed request: the Kubernetes `Status` object as a value.

    All text comes from the server and may contain what users wrote; our own words are in failure::message(). Parsed by
    read_status(). Absent fields are empty. */
struct server_status
{
    /// HTTP code as the Status states it; the answer's status line if the Status has none.
    int code = 0;
    /// CamelCase reason such as "NotFound"; empty for plain-text answers.
    std::string reason;
    /// The server's message for people.
    std::string message;
    /// Kind (or plural resource), group and name of what the failure is about.
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
