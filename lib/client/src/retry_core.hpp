#pragma once
// Whether a refused request is sent again, and when. Sans-io.

#include <chrono>
#include <optional>
#include <string_view>
#include <variant>

namespace kubecoro::detail {

/// Seconds of a Retry-After header; the date form is not used by Kubernetes and counts as absent.
[[nodiscard]] std::optional<std::chrono::seconds> parse_retry_after(std::string_view header) noexcept;

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
