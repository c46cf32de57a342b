#pragma once
// Which of many reports are news. Sans-io.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/failure.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/** Tells the first report of a kind from the same one at every step of a backoff.

    Two reports are of one kind when what happened and the words for it are equal; the request does not count, for the
    timeout in it is another one each time. */
class news_core
{
public:
    /// After this long a report is news again, so that a log that is cut off still tells what is wrong.
    static constexpr duration told_again_after = std::chrono::minutes{5};
    /// Kinds remembered; a server may give every refusal other words.
    static constexpr std::size_t most_kinds = 32;

    /// Whether to tell of it; if so, it counts as told.
    [[nodiscard]] bool is_news(std::string_view what, const failure& why, time_point now);

private:
    std::map<std::string, time_point> told_;
};

} // namespace kubecoro::detail
