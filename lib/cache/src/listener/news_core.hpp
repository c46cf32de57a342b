#pragma once
// Decides which of many reports are new. Sans-io.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/** Distinguishes the first report of a kind from its repetitions at every step of a backoff.

    Two reports are of one kind when operation, conditions and messages are equal; the request does not count, because
    its timeout varies. */
class news_core
{
public:
    /// After this time a report counts as new again, so that a truncated log still shows the problem.
    static constexpr duration told_again_after = std::chrono::minutes{5};
    /// The same for a server that cannot be reached, which people wait for; doubled with each report.
    static constexpr duration unreachable_again_after = std::chrono::seconds{10};
    /// Number of kinds remembered, since a server may word every refusal differently.
    static constexpr std::size_t most_kinds = 32;

    /// Returns whether to report it; if so, remembers it as reported.
    [[nodiscard]] bool is_news(std::string_view what, const failure& why, time_point now);

private:
    struct report
    {
        time_point at = {};
        duration pause = {};
    };
    std::map<std::string, report> told_;
};

} // namespace kubecoro::detail
