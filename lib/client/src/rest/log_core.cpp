#include "rest/log_core.hpp"

#include <algorithm>
#include <utility>

namespace kubecoro::detail {

namespace {

/// Length of the character that begins with this byte; 1 for a byte that begins none.
std::size_t length_of(unsigned char lead) noexcept
{
    if (lead >= 0xF0 && lead <= 0xF4) return 4;
    if (lead >= 0xE0) return lead <= 0xEF ? 3 : 1;
    return lead >= 0xC2 ? 2 : 1;
}

bool continues(unsigned char c) noexcept { return (c & 0xC0) == 0x80; }

} // namespace

std::size_t incomplete_tail(std::string_view bytes) noexcept
{
    const std::size_t most = std::min<std::size_t>(3, bytes.size());
    for (std::size_t n = 1; n <= most; ++n) {
        const auto c = static_cast<unsigned char>(bytes[bytes.size() - n]);
        if (continues(c)) continue;
        return length_of(c) > n ? n : 0;
    }
    return 0;
}

void log_lines::feed(std::string_view bytes, std::vector<log_line>& out)
{
    while (!bytes.empty()) {
        const auto end = bytes.find('\n');
        held_.append(bytes.substr(0, end));
        deliver_pieces(out);
        if (end == bytes.npos) return;
        out.push_back({std::exchange(held_, {}), true});
        bytes.remove_prefix(end + 1);
    }
}

void log_lines::deliver_pieces(std::vector<log_line>& out)
{
    std::size_t from = 0;
    while (held_.size() - from > most_) {
        const auto piece = std::string_view(held_).substr(from, most_);
        const auto length = most_ - incomplete_tail(piece);
        out.push_back({std::string(piece.substr(0, length)), false});
        from += length;
    }
    held_.erase(0, from);
}

void log_lines::finish(bool cut, std::vector<log_line>& out)
{
    if (!held_.empty()) out.push_back({std::exchange(held_, {}), !cut});
}

std::string_view log_pieces::feed(std::string_view bytes)
{
    if (!held_.empty()) {
        piece_ = std::exchange(held_, {});
        piece_.append(bytes);
        bytes = piece_;
    }
    const auto whole = bytes.size() - incomplete_tail(bytes);
    held_.assign(bytes.substr(whole));
    return bytes.substr(0, whole);
}

std::string_view log_pieces::finish()
{
    piece_ = std::exchange(held_, {});
    return piece_;
}

} // namespace kubecoro::detail
