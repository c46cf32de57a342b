// Lines on standard output.
#pragma once

#include <kubecoro/base/result.hpp>

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace kubecoro::tool {

/** Writes each line to standard output at once and as a whole: a reader on a pipe sees it immediately.

    Thread safe. When a line cannot be written, `on_closed` is called once and further lines are dropped. */
class output
{
public:
    /// @param on_closed  Receives success when the reader has closed the pipe, else the reason why writing failed.
    explicit output(std::function<void(result<>)> on_closed = {});

    void line(std::string_view words);
    /// Text as it is, without an added line break.
    void text(std::string_view whole);
    /// Whether standard output is a terminal that supports colours.
    [[nodiscard]] static bool shows_colours();

private:
    std::mutex mutex_;
    std::function<void(result<>)> on_closed_;
    bool closed_ = false;
};

/// The text, truncated for use in messages.
[[nodiscard]] std::string shortened(std::string_view text);

/// A JSON string literal, including the quotes.
[[nodiscard]] std::string json_quoted(std::string_view text);

} // namespace kubecoro::tool
