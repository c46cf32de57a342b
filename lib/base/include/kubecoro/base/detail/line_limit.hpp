#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace kubecoro::detail {

/** Decides which lines about one matter are written when others may cause any number of them: some at once, then one a
    minute, after one that says how many were left out. Not thread safe. */
class line_limit
{
public:
    static constexpr std::uint32_t at_once = 10;
    static constexpr duration pause = std::chrono::minutes{1};

    /// For a new line. @return whether to write it now.
    [[nodiscard]] bool pass(const logger& log, time_point now) noexcept
    {
        refill(now);
        if (left_ == 0) {
            ++left_out_;
            return false;
        }
        --left_;
        if (left_out_ != 0) log.info("lines like the next one were left out", {{"lines", std::exchange(left_out_, 0)}});
        return true;
    }
    /// For the last line, if it was left out. @return whether it is time for it.
    [[nodiscard]] bool pass_late(const logger& log, time_point now) noexcept
    {
        if (left_out_ == 0) return false;
        --left_out_;
        return pass(log, now);
    }
    /// The time for pass_late(). Nothing if the last line was written.
    [[nodiscard]] std::optional<time_point> late_at() const noexcept
    {
        return left_out_ == 0 ? std::nullopt : std::optional(since_ + pause);
    }

private:
    void refill(time_point now) noexcept
    {
        if (left_ == at_once) since_ = now;
        const auto gained = (now - since_) / pause;
        if (gained <= 0) return;
        since_ += gained * pause;
        left_ = gained >= at_once - left_ ? at_once : left_ + static_cast<std::uint32_t>(gained);
    }

    std::uint32_t left_ = at_once;
    /// The moment at which the last line was gained.
    time_point since_{};
    std::uint64_t left_out_ = 0;
};

} // namespace kubecoro::detail
