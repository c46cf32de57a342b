#pragma once
// Decides whether and when to resend a request that was refused or whose connection broke. Sans-io.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <chrono>
#include <optional>
#include <string_view>
#include <variant>

namespace kubecoro::detail {

/// Seconds of a Retry-After header; the date form is not used by Kubernetes and counts as absent.
[[nodiscard]] std::optional<std::chrono::seconds> parse_retry_after(std::string_view header) noexcept;

/** The pause before a retry: what the server asks for and up to half of it more, because many clients are refused at the
    same time.

    @param draw  Uniform in [0, 1). */
[[nodiscard]] duration spread(std::chrono::seconds asked, double draw) noexcept;

/// A request whose connection failed before the head of a response had arrived.
struct broken_attempt
{
    std::string_view method;
    /// Earlier attempts, each on a connection of its own.
    unsigned earlier = 0;
    /// The connection had carried other requests and was idle before this one.
    bool reused = false;
    /// The connection accepted the whole request. A server never executes a partial one.
    bool wholly_sent = false;
    bool answer_begun = false;
    cond why = cond::unreachable;
};

/** Whether to send the same request on a new connection.

    A server or a middlebox may close or forget an idle connection at the moment it is reused. Then requests without side
    effects are repeated, and any that were not completely sent, at most once. As in Go, a write that the server may have
    carried out is not repeated, even if its method is idempotent: another client may have recreated or replaced the
    object in the meantime. After a failure on a new connection only requests without side effects are repeated. */
[[nodiscard]] bool may_repeat(const broken_attempt& a) noexcept;

/** Decides how to proceed after each response to a request, as client-go does: a 429 or 5xx is retried only when the
    server sends Retry-After; a 401 once, when other credentials can be obtained. */
class retry_core
{
public:
    /// @param max_retries  Maximum number of retries after Retry-After.
    explicit retry_core(unsigned max_retries) noexcept : left_(max_retries) {}

    /// Hand the response to the caller.
    struct deliver
    {
    };
    /// Send the request again after this delay.
    struct wait
    {
        std::chrono::seconds length;
    };
    /// Read the token again; resend if it has changed, else deliver.
    struct renew_credentials
    {
    };
    using action = std::variant<deliver, wait, renew_credentials>;

    /// Called with the head of a response.
    /// @param renewable  Whether the credentials come from a source that may have newer ones.
    [[nodiscard]] action on_answer(int status, std::optional<std::chrono::seconds> retry_after,
                                   bool renewable) noexcept;

private:
    unsigned left_;
    bool renewed_ = false;
};

} // namespace kubecoro::detail
