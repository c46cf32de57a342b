#include "sockets.hpp"

#include <charconv>
#include <string>

namespace kubecoro::bench::live {

namespace {

constexpr std::string_view counter = "bytes_received:";

std::uint64_t counted(std::string_view line)
{
    std::uint64_t bytes = 0;
    if (const auto at = line.find(counter); at != std::string_view::npos)
        std::from_chars(line.data() + at + counter.size(), line.data() + line.size(), bytes);
    return bytes;
}

} // namespace

std::uint64_t bytes_received(std::string_view listing, int pid)
{
    const auto owner = "pid=" + std::to_string(pid) + ",";
    std::uint64_t sum = 0;
    bool own = false;
    while (!listing.empty()) {
        const auto end = std::min(listing.find('\n'), listing.size());
        const auto line = listing.substr(0, end);
        listing.remove_prefix(std::min(end + 1, listing.size()));
        const bool continued = line.starts_with(' ') || line.starts_with('\t');
        if (!continued) own = line.find(owner) != std::string_view::npos;
        if (own) sum += counted(line);
    }
    return sum;
}

} // namespace kubecoro::bench::live
