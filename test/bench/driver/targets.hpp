#pragma once

#include "results.hpp"
#include "table.hpp"

#include <span>
#include <string_view>

namespace kubecoro::bench {

/** A number the project set itself to reach: ours against a peer's measured in the same run, or against a constant. */
struct target
{
    /// "cold sync, plain".
    std::string_view work;
    std::string_view workload;
    std::string_view metric;
    /// Ours.
    std::string_view subject;
    std::string_view data;
    std::uint64_t objects = 0;
    /// A peer whose same metric is the measure; empty: `reach` and `stretch` are absolute; "own steady": our resident memory
    /// after the sync is.
    std::string_view against = {};
    /// Ours may be this much (times the peer's) and no more; with `more`, must be at least.
    double reach = 0;
    /// The same, for those who want more; 0 = none.
    double stretch = 0;
    /// More is better.
    bool more = false;
};

enum class verdict
{
    not_measured,
    not_reached,
    reached,
    stretch_reached
};

struct judgement
{
    const target* what = nullptr;
    verdict outcome = verdict::not_measured;
    double ours = 0;
    /// The peer's; 0 for absolute targets.
    double theirs = 0;
    std::string_view unit = {};
    /// Which of the two numbers is not there, when one is not, and why if that is known.
    std::string_view absent = {};
    std::string why = {};
};

/// All of them, in the order of the design's table.
[[nodiscard]] std::span<const target> all_targets();

/// The result refers to `rows`.
[[nodiscard]] judgement judge(const target& t, const std::vector<row>& rows);

/// What the target asks for, in words: "at most 1/3.5 of client-go/protobuf (stretch 1/6)".
[[nodiscard]] std::string wish_text(const target& t);
/// "reached: 18.4 us/object = 1/4.10 of 75.4", "NOT reached: 0.65 s", "not measured: no number of client-go/protobuf".
[[nodiscard]] std::string verdict_text(const judgement& j);

} // namespace kubecoro::bench
