#pragma once
// Decides which of a server's addresses to try, and when (RFC 8305). Sans-io.

#include <kubecoro/base/result.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace kubecoro::detail {

struct happy_eyeballs_settings
{
    /// For messages: "api.example:6443".
    std::string peer = {};
    /// The address that worked last; tried first if it is in the list.
    std::string preferred = {};
    /// When to give up; empty = never.
    std::optional<std::chrono::steady_clock::time_point> deadline = {};
    /// Head start of an attempt before the next one begins in parallel.
    std::chrono::steady_clock::duration stagger = std::chrono::milliseconds{250};
    /// Maximum number of addresses to try.
    std::size_t most = 16;
};

/** Plans a connection to the first of several addresses that responds.

    The addresses alternate between IPv6 and IPv4. Each attempt begins when the previous one has failed or its head
    start has elapsed; the first that succeeds wins, and the caller ends the others. Times passed in must never
    decrease. */
class happy_eyeballs_core
{
public:
    using moment = std::chrono::steady_clock::time_point;

    /// @param addresses  As text without brackets, the best first; duplicates are tried once.
    happy_eyeballs_core(std::vector<std::string> addresses, happy_eyeballs_settings settings);

    /// Start an attempt with this address of order().
    struct open
    {
        std::size_t index;
    };
    /// Wait until an attempt ends, at most until `until`.
    struct wait
    {
        std::optional<moment> until;
    };
    struct connected
    {
        std::size_t index;
    };
    /// No address responds; the failure lists each address and its cause.
    struct give_up
    {
        failure why;
    };
    using action = std::variant<open, wait, connected, give_up>;

    [[nodiscard]] action next(moment now);
    void on_connected(std::size_t index);
    /// @param why  Its message states what happened but not where.
    void on_failed(std::size_t index, failure why);

    /// The addresses in the order of the attempts.
    [[nodiscard]] const std::vector<std::string>& order() const noexcept { return order_; }

private:
    [[nodiscard]] failure all_failed(bool late) const;

    happy_eyeballs_settings settings_;
    std::vector<std::string> order_;
    std::size_t left_out_ = 0;
    /// Outcomes of the attempts begun; empty while an attempt runs.
    std::vector<std::optional<failure>> outcomes_;
    std::size_t running_ = 0;
    /// When the next attempt begins although others still run.
    moment next_open_{};
    std::optional<std::size_t> winner_;
};

} // namespace kubecoro::detail
