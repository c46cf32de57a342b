// Lets one line of a kind pass in a while, so that clients cannot flood the log. Sans-io.
#pragma once

#include <kubecoro/base/clock.hpp>

#include <cstdint>
#include <optional>

namespace kubecoro::detail {

class log_pace
{
public:
    explicit log_pace(duration pause) noexcept : pause_(pause) {}

    /// @return the number of lines held back since the last one that passed; empty when this one is held back too.
    [[nodiscard]] std::optional<std::uint64_t> pass(time_point now) noexcept;

private:
    duration pause_;
    std::optional<time_point> last_;
    std::uint64_t held_back_ = 0;
};

} // namespace kubecoro::detail
