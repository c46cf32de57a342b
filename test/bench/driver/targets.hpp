#pragma once

#include "results.hpp"
#include "table.hpp"

#include <span>
#include <string_view>

namespace kubecoro::bench {

/** A goal of the project: kubecoro's number against a peer's of the same run, or against a constant. */
struct target
{
    /// "cold sync, plain".
    std::string_view work;
    std::string_view workload;
    std::string_view metric;
    /// kubecoro's subject.
    std::string_view subject;
    std::string_view data;
    std::uint64_t objects = 0;
    /// A peer whose same metric is the base; empty: `reach` and `stretch` are absolute; "own steady": kubecoro's
    /// resident memory after the sync is the base.
    std::string_view against = {};
    /// The upper limit (times the base); with `more`, the lower limit.
    double reach = 0;
    /// A more ambitious limit; 0 = none.
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
    /// Which of the two numbers is missing, if any, and the reason if known.
    std::string_view absent = {};
    std::string why = {};
};

/// All targets, in the order of the design's table.
[[nodiscard]] std::span<const target> all_targets();

/// The result refers to `rows`.
[[nodiscard]] judgement judge(const target& t, const std::vector<row>& rows);

/// The target in words: "at most 1/3.5 of client-go/protobuf (stretch 1/6)".
[[nodiscard]] std::string wish_text(const target& t);
/// "reached: 18.4 us/object = 1/4.10 of 75.4", "NOT reached: 0.65 s", "not measured: no number of client-go/protobuf".
[[nodiscard]] std::string verdict_text(const judgement& j);

} // namespace kubecoro::bench
