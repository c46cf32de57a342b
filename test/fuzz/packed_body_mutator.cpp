// A mutator that changes the body inside a frame half of the time: zstd rejects nearly every frame with a changed byte.
#include "packed_body_fuzz.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

using namespace kubecoro::detail;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

/// The content of the input if it is a frame, else the input.
byte_span inside(byte_span input)
{
    static body_expander expander;
    const auto body = expander.expand(input, fuzz::dictionary(), fuzz::largest_body);
    return body ? *body : input.first(std::min(input.size(), fuzz::largest_body));
}

/// The frame of a mutated body; empty when it would not be smaller than the body.
byte_span packed_mutation(byte_span input)
{
    static body_compressor compressor;
    static std::array<std::uint8_t, fuzz::largest_body> body;
    const byte_span before = inside(input);
    std::copy(before.begin(), before.end(), body.begin());
    const std::size_t size = LLVMFuzzerMutate(body.data(), before.size(), body.size());
    return compressor.compress(byte_span(body).first(size), fuzz::dictionary(), effort::normal);
}

} // namespace

/// Called by libFuzzer instead of its own mutations.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed)
{
    if (seed % 2 == 0) {
        const byte_span frame = packed_mutation({data, size});
        if (!frame.empty() && frame.size() <= max_size) {
            std::copy(frame.begin(), frame.end(), data);
            return frame.size();
        }
    }
    return LLVMFuzzerMutate(data, size, max_size);
}
