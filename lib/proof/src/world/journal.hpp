// The steps of one run, for people, and the lines that the operator logged.
#pragma once

#include <kubecoro/testing/virtual_clock.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::testing::detail {

class journal
{
public:
    /// @param traced  Whether steps are kept.
    journal(std::shared_ptr<virtual_clock> clock, bool traced);

    /// A step, such as ("user", "creates gadgets default/one").
    void note(std::string_view subject, std::string_view what);
    /// A line of the operator's log.
    void log(std::string line);

    [[nodiscard]] bool traced() const noexcept { return traced_; }
    /// Since the beginning.
    [[nodiscard]] duration now() const { return clock_->now() - begin_; }
    [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }
    /// The last steps, with their times.
    [[nodiscard]] std::vector<std::string> steps() const;

private:
    std::shared_ptr<virtual_clock> clock_;
    time_point begin_;
    bool traced_;
    std::size_t dropped_ = 0;
    std::deque<std::string> steps_;
    std::vector<std::string> lines_;
};

} // namespace kubecoro::testing::detail
