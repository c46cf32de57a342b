#pragma once
// Percent-encoding of paths and queries.

#include <string>

namespace kubecoro::detail {

[[nodiscard]] inline bool is_unreserved(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_' || c == '~';
}

inline void append_percent(std::string& out, char c)
{
    static constexpr char hex[] = "0123456789ABCDEF";
    const auto u = static_cast<unsigned char>(c);
    out += '%';
    out += hex[u >> 4];
    out += hex[u & 15];
}

} // namespace kubecoro::detail
