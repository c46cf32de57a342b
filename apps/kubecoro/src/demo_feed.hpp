// The output of the demo while it runs.
#pragma once

#include "output.hpp"

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/clock.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace kubecoro::tool {

/// Number of notifications that reached a handler, by type.
struct event_counts
{
    std::atomic<std::uint64_t> initial = 0;
    std::atomic<std::uint64_t> added = 0;
    std::atomic<std::uint64_t> updated = 0;
    std::atomic<std::uint64_t> deleted = 0;
};

/** The live feed: one line per notification, with headings in between. Thread safe.

    Objects of the first list are counted but not shown, because there are too many. */
class feed
{
public:
    feed(time_source& time, bool colour);

    void heading(std::string_view text);
    void note(std::string_view text);
    /// Prints a line unchanged, without a timestamp: for summaries.
    void plain(std::string_view text);

    void added(std::string_view resource, const object& o, bool initial);
    void updated(std::string_view resource, const object& before, const object& after);
    void deleted(std::string_view resource, const object& o, bool final_state_unknown);

    [[nodiscard]] const event_counts& counts() const noexcept { return counts_; }
    [[nodiscard]] std::string bold(std::string_view text) const;
    /// Prints in green if good, else in red.
    [[nodiscard]] std::string verdict(bool good, std::string_view text) const;

private:
    void event(char sign, std::string_view code, std::string_view resource, const object& o, std::string_view detail);
    [[nodiscard]] std::string painted(std::string_view code, std::string_view text) const;
    [[nodiscard]] std::string stamp() const;

    time_source& clock_;
    const time_point start_;
    const bool colour_;
    output out_;
    event_counts counts_;
};

} // namespace kubecoro::tool
