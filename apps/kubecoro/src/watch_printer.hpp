// Prints the notifications of `kubecoro watch`.
#pragma once

#include "output.hpp"

#include <kubecoro/base/failure.hpp>
#include <kubecoro/cache/notification.hpp>

#include <cstddef>
#include <mutex>
#include <set>
#include <string>

namespace kubecoro::tool {

/// Whether a failure concerns the user: something to fix, or a sign that the copy may be stale. All others are
/// transient and only logged.
[[nodiscard]] bool worth_showing(const failure& why);

/// Prints notifications as rows of a table or as one JSON document per line. Thread safe.
class watch_printer
{
public:
    watch_printer(output& out, bool json);

    /// Prints the head of the table.
    void begin();
    void show(const added& e);
    void show(const updated& e);
    void show(const deleted& e);
    void synced();
    /// Shows a failure once: the same one again only after something arrived. The request is ignored in this
    /// comparison, because it contains a deadline that changes each time.
    void failed(const failure& why);

private:
    /// Prints a line for people. Names and values are untrusted: they cannot move the cursor of a terminal or begin a
    /// new line.
    void table_line(std::string_view text);
    void row(std::string_view event, const object& o, std::string_view detail);
    /// Records an arrival: a later failure is shown again, even if it was shown before.
    void arrived(int change);

    output& out_;
    const bool json_;
    std::mutex mutex_;
    /// Objects shown as added, less those shown as deleted.
    std::size_t objects_ = 0;
    std::set<std::string> shown_failures_;
};

} // namespace kubecoro::tool
