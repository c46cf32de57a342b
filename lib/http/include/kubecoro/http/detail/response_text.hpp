// The texts around the body of a response: head and chunks. Sans-io.
#pragma once

#include <kubecoro/base/clock.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// Names and values, in their order.
using header_list = std::vector<std::pair<std::string, std::string>>;

/// How the end of a response body is marked.
enum class framing
{
    length,
    chunked,
    until_close
};

/// Returns the status line and headers. @param length  Used with framing::length.
[[nodiscard]] std::string format_head(int status, const header_list& headers, framing frame, std::size_t length,
                                      bool keep_alive, wall_time now);

/// The text before a chunk that frame_chunk() replaces: room for the line end of the chunk before, 16 digits, and a line end.
inline constexpr std::string_view room_for_chunk_head("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
/// Writes the head of a chunk in front of it, so that one write sends both. @param chunk  Begins with room_for_chunk_head, or gets
/// it, which moves the chunk. @return the bytes to send; none for an empty chunk, which would end the body.
[[nodiscard]] std::string_view frame_chunk(std::string& chunk, bool is_first);
/// The bytes after the chunks of a body. @param is_first  There was no chunk, or its line end has been sent.
[[nodiscard]] constexpr std::string_view end_of_chunks(bool is_first) noexcept
{
    return is_first ? "0\r\n\r\n" : "\r\n0\r\n\r\n";
}

/// Asks the client for the body of its request.
inline constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";

} // namespace kubecoro::detail
