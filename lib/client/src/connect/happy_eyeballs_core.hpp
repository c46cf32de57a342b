#pragma once
// Which of a server's addresses to try when (RFC 8305). Sans-io.

#include <kubecoro/base/failure.hpp>

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
    /// The address that worked last; tried first where it is one of them.
    std::string preferred = {};
    /// When to give up; empty = never.
    std::optional<std::chrono::steady_clock::time_point> deadline = {};
    /// How long an attempt is alone before the next one begins beside it.
    std::chrono::steady_clock::duration stagger = std::chrono::milliseconds{250};
    /// Addresses tried at most.
    std::size_t most = 16;
};

/** One connection to whichever of several addresses answers first.

    The addresses alternate between IPv6 and IPv4. Each attempt begins when the one before it has failed or has had its
    stagger; the first that succeeds wins, and the caller ends the others. Inputs are times that never go back. */
class happy_eyeballs_core
{
public:
    using moment = std::chrono::steady_clock::time_point;

    /// @param addresses  As text without brackets, the best first; doubles are tried once.
    happy_eyeballs_core(std::vector<std::string> addresses, happy_eyeballs_settings settings);

    /// Begin an attempt with this address of order().
    struct open
    {
        std::size_t index;
    };
    /// Until an attempt ends, or until that moment.
    struct wait
    {
        std::optional<moment> until;
    };
    struct connected
    {
        std::size_t index;
    };
    /// No address answers; with one failure that lists each address and its cause.
    struct give_up
    {
        failure why;
    };
    using action = std::variant<open, wait, connected, give_up>;

    [[nodiscard]] action next(moment now);
    void on_connected(std::size_t index);
    /// @param why  Its message says what happened and not where.
    void on_failed(std::size_t index, failure why);

    /// The addresses in the order in which they are tried.
    [[nodiscard]] const std::vector<std::string>& order() const noexcept { return order_; }

private:
    [[nodiscard]] failure all_failed(bool late) const;

    happy_eyeballs_settings settings_;
    std::vector<std::string> order_;
    std::size_t left_out_ = 0;
    /// Of the attempts begun; empty while one runs.
    std::vector<std::optional<failure>> outcomes_;
    std::size_t running_ = 0;
    /// When the next attempt begins although others run.
    moment next_open_{};
    std::optional<std::size_t> winner_;
};

} // namespace kubecoro::detail
