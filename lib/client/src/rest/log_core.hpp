#pragma once
// Splits the bytes of a log into lines, and into pieces that end between two characters. Sans-io.

#include <kubecoro/client/log_stream.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// Number of bytes at the end that begin a UTF-8 character without completing it: 0 to 3. Bytes that are not UTF-8
/// are complete.
[[nodiscard]] std::size_t incomplete_tail(std::string_view bytes) noexcept;

/// Forms lines. Holds at most one line, up to the limit.
class log_lines
{
public:
    /// @param most  Bytes of a line beyond which it is delivered in pieces; at least 4.
    explicit log_lines(std::size_t most) noexcept : most_(most) {}
    /// Appends the lines that these bytes complete.
    void feed(std::string_view bytes, std::vector<log_line>& out);
    /// Appends the last line, if it has no line break. @param cut  The stream broke off: the line is not whole.
    void finish(bool cut, std::vector<log_line>& out);

private:
    void deliver_pieces(std::vector<log_line>& out);
    std::size_t most_;
    std::string held_;
};

/// Moves the end of each piece back to the end of a character.
class log_pieces
{
public:
    /// The bytes that can be delivered; empty: none yet. Valid until the next call, as long as `bytes` is.
    [[nodiscard]] std::string_view feed(std::string_view bytes);
    /// The beginning of a character that the stream did not complete. Valid until the next call.
    [[nodiscard]] std::string_view finish();

private:
    std::string held_;
    std::string piece_;
};

} // namespace kubecoro::detail
