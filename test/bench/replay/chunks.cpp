#include "chunks.hpp"

#include <algorithm>
#include <cstdio>

namespace kubecoro::bench {
namespace {

constexpr std::string_view line_end = "\r\n";

std::string size_line(std::uint64_t size)
{
    char text[32];
    const int n = std::snprintf(text, sizeof text, "%llx\r\n", static_cast<unsigned long long>(size));
    return {text, static_cast<std::size_t>(n)};
}

} // namespace

std::string chunked_head(std::string_view type)
{
    return "HTTP/1.1 200 OK\r\nCache-Control: no-cache, private\r\nContent-Type: " + std::string(type) +
           "\r\nTransfer-Encoding: chunked\r\n\r\n";
}

void chunk_list::add(const std::vector<std::string_view>& parts)
{
    std::uint64_t size = 0;
    for (const std::string_view part : parts) size += part.size();
    if (size == 0) return;
    parts_.push_back(sizes_.emplace_back(size_line(size)));
    parts_.insert(parts_.end(), parts.begin(), parts.end());
    parts_.push_back(line_end);
    bytes_ += size;
}

void chunk_list::add_long(std::string_view bytes)
{
    for (; !bytes.empty(); bytes.remove_prefix(std::min(body_chunk, bytes.size()))) add({bytes.substr(0, body_chunk)});
}

} // namespace kubecoro::bench
