#pragma once

#include <cstdint>
#include <string_view>

namespace kubecoro::test {

/// A seed for each name, the same on every machine and in every build, unlike std::hash.
[[nodiscard]] inline std::uint64_t seed_of(std::string_view name) noexcept
{
    std::uint64_t out = 14695981039346656037U;
    for (const char c : name) out = (out ^ static_cast<unsigned char>(c)) * 1099511628211U;
    return out;
}

} // namespace kubecoro::test
