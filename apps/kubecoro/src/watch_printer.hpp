// Prints the notifications of `kubecoro watch`.
#pragma once

#include "output.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/notification.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace kubecoro::tool {

/// Whether a failure concerns the user: something to fix, or a sign that the copy may be stale. All others are
/// transient and only logged.
[[nodiscard]] bool worth_showing(const failure& why);

/// Whether retries cannot mend the failure: the server rejects the request (400), does not permit it (403), or does not
/// have the resource (404).
[[nodiscard]] bool is_permanent(const failure& why);

struct watch_style
{
    /// One JSON document per line in place of a table.
    bool json = false;
    /// The time, in UTC, before each row or as the member `time` of each document.
    bool timestamps = false;
    bool colours = false;
};

/// Prints notifications as rows of a table or as one JSON document per line. Thread safe.
class watch_printer
{
public:
    explicit watch_printer(output& out, watch_style style = {}, std::shared_ptr<time_source> time = real_clock());

    /// Prints the head of the table.
    void begin();
    /// @param prefix  Put before the object's key where several resources are watched: "pod".
    void show(const added<object>& e, const std::string& prefix = {});
    void show(const updated<object>& e, const std::string& prefix = {});
    void show(const deleted<object>& e, const std::string& prefix = {});
    void synced();
    /// Shows a failure once: the same one again only after something arrived. The request is ignored in this
    /// comparison, because it contains a deadline that changes each time.
    void failed(const failure& why);

private:
    /// Prints a line for people. Names and values are untrusted: they cannot move the cursor of a terminal or begin a
    /// new line.
    void table_line(std::string_view text, std::string_view colour = {});
    /// Prints a document from its text, which begins with a brace.
    void document(std::string_view text);
    void row(std::string_view event, const object& o, std::string_view detail, const std::string& prefix);
    /// Records an arrival: a later failure is shown again, even if it was shown before.
    void arrived(int change);

    output& out_;
    const watch_style style_;
    std::shared_ptr<time_source> time_;
    std::mutex mutex_;
    /// Objects shown as added, less those shown as deleted.
    std::size_t objects_ = 0;
    std::set<std::string> shown_failures_;
};

} // namespace kubecoro::tool
