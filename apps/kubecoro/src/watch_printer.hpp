// How `kubecoro watch` shows what its informer says.
#pragma once

#include "output.hpp"

#include <kubecoro/base/failure.hpp>
#include <kubecoro/cache/notification.hpp>

#include <cstddef>
#include <mutex>
#include <set>
#include <string>

namespace kubecoro::tool {

/// Whether the user can do something about it, or should know of it because the copy may be stale. The rest passes and is
/// the log's business.
[[nodiscard]] bool worth_showing(const failure& why);

/// Prints notifications as rows of a table or as one JSON document a line. Thread safe.
class watch_printer
{
public:
    watch_printer(output& out, bool json);

    /// The head of the table.
    void begin();
    void show(const added& e);
    void show(const updated& e);
    void show(const deleted& e);
    void synced();
    /// Shows a failure once: the same one again only after something arrived. The request does not count, for the
    /// deadline in it is another one each time.
    void failed(const failure& why);

private:
    /// A line for people. Everybody who may write objects chooses names and values: none of them moves the cursor of a
    /// terminal or begins a line of its own.
    void table_line(std::string_view text);
    void row(std::string_view event, const object& o, std::string_view detail);
    /// Something arrived: a failure that comes later is news, even one that was shown before.
    void arrived(int change);

    output& out_;
    const bool json_;
    std::mutex mutex_;
    /// Objects whose arrival was shown, less those whose end was.
    std::size_t objects_ = 0;
    std::set<std::string> shown_failures_;
};

} // namespace kubecoro::tool
