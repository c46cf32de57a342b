// Random UUIDs.
#pragma once

#include <kubecoro/base/random.hpp>

#include <cstdint>
#include <string>

namespace kubecoro::apiserver {

/// Returns a UUID of version 4, such as "0b9f1d3c-...". As unpredictable as its source.
inline std::string make_uuid(random_source& random)
{
    static constexpr char hex[] = "0123456789abcdef";
    std::string uuid;
    const std::uint64_t bits[2] = {random(), random()};
    for (int i = 0; i < 32; ++i) {
        if (i == 8 || i == 12 || i == 16 || i == 20) uuid += '-';
        auto digit = (bits[i / 16] >> (4 * (i % 16))) & 15;
        if (i == 12) digit = 4;
        if (i == 16) digit = 8 | (digit & 3);
        uuid += hex[digit];
    }
    return uuid;
}

} // namespace kubecoro::apiserver
