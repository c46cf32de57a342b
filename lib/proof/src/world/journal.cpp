#include "world/journal.hpp"

#include <kubecoro/base/printable.hpp>

#include <chrono>
#include <cstdio>
#include <utility>

namespace kubecoro::testing::detail {
namespace {

constexpr std::size_t most_steps = 400;
constexpr std::size_t most_lines = 20'000;
constexpr std::size_t longest_step = 400;

} // namespace

journal::journal(std::shared_ptr<virtual_clock> clock, bool traced)
    : clock_(std::move(clock)), begin_(clock_->now()), traced_(traced)
{
}

void journal::note(std::string_view subject, std::string_view what)
{
    if (!traced_) return;
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now()).count();
    char when[32];
    std::snprintf(when, sizeof when, "%10.3f  ", static_cast<double>(ms) / 1000.0);
    steps_.push_back(when + std::string(subject) + ": " + printable(what, longest_step));
    if (steps_.size() <= most_steps) return;
    steps_.pop_front();
    ++dropped_;
}

void journal::log(std::string line)
{
    note("log", line);
    if (lines_.size() < most_lines) lines_.push_back(std::move(line));
}

std::vector<std::string> journal::steps() const
{
    std::vector<std::string> out;
    if (dropped_ != 0) out.push_back("(" + std::to_string(dropped_) + " steps before)");
    out.insert(out.end(), steps_.begin(), steps_.end());
    return out;
}

} // namespace kubecoro::testing::detail
