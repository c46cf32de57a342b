// Lines on standard output.
#pragma once

#include <kubecoro/base/result.hpp>

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace kubecoro::tool {

/** Writes whole lines to standard output, each at once: a reader on a pipe sees every line when it happens.

    Thread safe. When a line cannot be written, `on_closed` is called once and further lines are dropped. */
class output
{
public:
    /// @param on_closed  Gets success when the reader has gone, and else why nothing can be written.
    explicit output(std::function<void(result<>)> on_closed = {});

    void line(std::string_view text);
    /// Standard output is a terminal that shows colours.
    [[nodiscard]] static bool shows_colours();

private:
    std::mutex mutex_;
    std::function<void(result<>)> on_closed_;
    bool closed_ = false;
};

/// The text, or its beginning: what goes into messages.
[[nodiscard]] std::string shortened(std::string_view text);

/// JSON string literal, quotes included.
[[nodiscard]] std::string quoted(std::string_view text);

} // namespace kubecoro::tool
