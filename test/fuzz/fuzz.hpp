// What every fuzz target shares: the entry point libFuzzer calls, and a check that ends the program.
#pragma once

#include <kubecoro/base/hash.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fuzz {

/// An input that breaks something has to break it again.
inline const bool repeatable = kubecoro::fix_hash_secrets(1);

inline void require(bool holds, const char* what)
{
    if (holds) return;
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
}

inline std::string_view text(const std::uint8_t* data, std::size_t size)
{
    return {reinterpret_cast<const char*>(data), size};
}

/// Chunks that depend on nothing but the input, so that a corpus file is plain JSON.
inline std::size_t chunk_of(std::size_t size) { return 1 + size % 17; }

} // namespace fuzz
