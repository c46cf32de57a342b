#pragma once
// Whether a request that was refused, or whose connection broke, is sent again, and when. Sans-io.

#include <kubecoro/base/condition.hpp>

#include <chrono>
#include <optional>
#include <string_view>
#include <variant>

namespace kubecoro::detail {

/// Seconds of a Retry-After header; the date form is not used by Kubernetes and counts as absent.
[[nodiscard]] std::optional<std::chrono::seconds> parse_retry_after(std::string_view header) noexcept;

/// A request whose connection failed before the head of an answer was there.
struct broken_attempt
{
    std::string_view method;
    /// Attempts before this one, each on a connection of its own.
    unsigned earlier = 0;
    /// The connection had carried other requests and was idle since.
    bool reused = false;
    /// The connection took all of the request. A part of one is never carried out.
    bool wholly_sent = false;
    bool answer_begun = false;
    cond why = cond::unreachable;
};

/** Whether to send the same on a new connection.

    A server or something in between may close an idle connection, or forget it, in the moment in which it is picked: then
    what is idempotent is repeated, and everything that was not wholly sent. Twice at most; of what breaks on a new
    connection only what changes nothing is repeated. */
[[nodiscard]] bool may_repeat(const broken_attempt& a) noexcept;

/** The life of one request, as in client-go: a 429 or 5xx is repeated only when the server says how long to
    wait; a 401 once, when other credentials can be had. */
class retry_core
{
public:
    /// @param max_retries  Repetitions after Retry-After.
    explicit retry_core(unsigned max_retries) noexcept : left_(max_retries) {}

    /// Hand the answer to the caller.
    struct deliver
    {
    };
    /// Send it again after this long.
    struct wait
    {
        std::chrono::seconds length;
    };
    /// Read the token again; send again if it is another one, else deliver.
    struct renew_credentials
    {
    };
    using action = std::variant<deliver, wait, renew_credentials>;

    /// An answer's head is there.
    /// @param renewable  The credentials come from somewhere that may have newer ones.
    [[nodiscard]] action on_answer(int status, std::optional<std::chrono::seconds> retry_after,
                                   bool renewable) noexcept;

private:
    unsigned left_;
    bool renewed_ = false;
};

} // namespace kubecoro::detail
