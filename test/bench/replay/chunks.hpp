// Chunked bodies, written from memory as it is.
#pragma once

#include "channel.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::bench {

/// The head of a 200 answer whose body comes in chunks.
[[nodiscard]] std::string chunked_head(std::string_view type);

/// The last chunk.
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

/// Bytes of one chunk of a long body: many times what a server sends, so that chunks cost nobody time.
inline constexpr std::size_t body_chunk = 64 * 1024;

/** The pieces of a chunked body in the order of writing. The bytes are the caller's and stay until written. */
class chunk_list
{
public:
    /// One chunk of these parts together, which may be empty.
    void add(const std::vector<std::string_view>& parts);
    /// As many chunks as it takes.
    void add_long(std::string_view bytes);
    void add_last() { parts_.push_back(last_chunk); }

    /// False when the peer is gone.
    [[nodiscard]] bool write(channel& to) const { return to.write(parts_); }
    /// Bytes within chunks.
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

private:
    std::vector<std::string_view> parts_;
    /// Sizes of chunks as text; a deque does not move what is pointed to.
    std::deque<std::string> sizes_;
    std::uint64_t bytes_ = 0;
};

} // namespace kubecoro::bench
