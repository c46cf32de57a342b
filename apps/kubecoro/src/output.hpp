// Lines on standard output.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace kubecoro::tool {

/** Writes whole lines to standard output, each at once: a reader on a pipe sees every line when it happens.

    Thread safe. When the reader has gone, `on_closed` is called once and further lines are dropped. */
class output
{
public:
    explicit output(std::function<void()> on_closed = {});

    void line(std::string_view text);
    /// Standard output is a terminal that shows colours.
    [[nodiscard]] static bool shows_colours();

private:
    std::mutex mutex_;
    std::function<void()> on_closed_;
    bool closed_ = false;
};

/// JSON string literal, quotes included.
[[nodiscard]] std::string quoted(std::string_view text);

} // namespace kubecoro::tool
