#pragma once
// Limits the rate of a client's requests, and the connections in use at a time. Sans-io.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

namespace kubecoro::detail {

struct request_rate_settings
{
    /// Requests per second. > 0.
    double qps = 5;
    /// Requests at once after a pause. At least 1.
    double burst = 10;
    /// Whether a 429 lowers the rate.
    bool adaptive = true;
};

/** Hands out the times at which requests may be sent, in the order of the calls.

    As client-go's: `burst` tokens, `qps` new ones a second. If adaptive, a 429 halves the rate, once a second at most and
    to a hundredth of `qps` at the least, and takes what is left of the burst; without another one the rate is back after
    half a minute. Times passed in must never decrease; those that do count as the last one. */
class request_rate_core
{
public:
    using moment = std::chrono::steady_clock::time_point;
    using span = std::chrono::steady_clock::duration;

    explicit request_rate_core(request_rate_settings settings) noexcept;

    /// Takes a token, also a future one. @return the wait until the request may be sent.
    [[nodiscard]] span take(moment now) noexcept;
    /// Returns the token of a request that was not sent.
    void give_back(moment now) noexcept;
    /// The server has answered 429.
    void on_too_many(moment now) noexcept;
    /// Requests per second now.
    [[nodiscard]] double rate(moment now) const noexcept;

private:
    void advance(moment now) noexcept;

    request_rate_settings settings_;
    /// Negative while requests wait.
    double tokens_;
    moment last_{};
    bool begun_ = false;
    /// The rate after the last 429, and its time.
    double lowered_;
    moment lowered_at_{};
    bool refused_ = false;
};

/// Grants a fixed number of slots, in the order of the requests for them. Every request gives up its place at its end,
/// however many others wait: nothing here takes time linear in their number.
class connection_slots_core
{
public:
    /// Each user has a greater one than those before.
    using id = std::uint64_t;

    /// @param slots  At least 1.
    explicit connection_slots_core(std::size_t slots) noexcept : free_(slots) {}

    /// Whether there is a free slot for this user; otherwise it waits.
    [[nodiscard]] bool enter(id user)
    {
        if (free_ == 0) {
            waiting_.insert(waiting_.end(), user);
            return false;
        }
        --free_;
        return true;
    }
    /// A user leaves its slot. @return the one who has it now.
    [[nodiscard]] std::optional<id> leave()
    {
        if (waiting_.empty()) {
            ++free_;
            return std::nullopt;
        }
        return waiting_.extract(waiting_.begin()).value();
    }
    /// A user no longer waits. @return false if it does not: it has a slot, which it must leave.
    [[nodiscard]] bool give_up(id user) { return waiting_.erase(user) != 0; }

    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

private:
    std::size_t free_;
    std::set<id> waiting_;
};

} // namespace kubecoro::detail
