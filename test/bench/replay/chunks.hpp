// Chunked bodies, written without copying.
#pragma once

#include "channel.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::bench {

/// The head of a 200 answer with a chunked body.
[[nodiscard]] std::string chunked_head(std::string_view type);

/// The last chunk.
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

/// Bytes of one chunk of a long body: many times as many as a server sends, so that chunks cost no client time.
inline constexpr std::size_t body_chunk = 64 * 1024;

/** The pieces of a chunked body in the order of writing. Refers to the caller's bytes until they are written. */
class chunk_list
{
public:
    /// Adds one chunk of all these parts, which may be empty.
    void add(const std::vector<std::string_view>& parts);
    /// Adds as many chunks as needed.
    void add_long(std::string_view bytes);
    void add_last() { parts_.push_back(last_chunk); }

    /// false = the peer is gone.
    [[nodiscard]] bool write(channel& to) const { return to.write(parts_); }
    /// Bytes within chunks.
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

private:
    std::vector<std::string_view> parts_;
    /// Sizes of chunks as text; a deque keeps their addresses stable.
    std::deque<std::string> sizes_;
    std::uint64_t bytes_ = 0;
};

} // namespace kubecoro::bench
