// Shared by all fuzz targets: the entry point that libFuzzer calls, and a check that aborts the program.
#pragma once

#include <kubecoro/base/hash.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fuzz {

/// Fixes the hash secrets, so that failures are reproducible.
inline const bool repeatable = kubecoro::fix_hash_secrets(1);

inline void require(bool holds, const char* what)
{
    if (holds) return;
    std::fprintf(stderr, "property violated: %s\n", what);
    std::abort();
}

inline std::string_view text(const std::uint8_t* data, std::size_t size)
{
    return {reinterpret_cast<const char*>(data), size};
}

/// A chunk size that depends only on the input, so that a corpus file is plain JSON.
inline std::size_t chunk_of(std::size_t size) { return 1 + size % 17; }

} // namespace fuzz
