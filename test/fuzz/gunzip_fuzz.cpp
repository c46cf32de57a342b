// Decodes arbitrary bytes as a gzip stream: chunking must not change the content or whether it is accepted, and the
// content keeps its proportion to the input.
#include "fuzz.hpp"

#include "http/content_encoding.hpp"

#include <algorithm>
#include <string>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

/// Small enough for inputs of a fuzzer to reach them.
constexpr gunzip_limits limits{.max_ratio = 20, .spare_decoded = 100'000, .max_framing = 4, .spare_encoded = 256};

struct outcome
{
    std::string content = {};
    std::string failed = {};
};

outcome decode(std::string_view text, std::size_t chunk)
{
    gunzip decoder(limits);
    outcome out;
    for (; !text.empty(); text.remove_prefix(std::min(chunk, text.size()))) {
        auto rest = text.substr(0, chunk);
        for (;;) {
            const auto fed = decoder.feed(rest);
            if (!fed) {
                out.failed = fed.error().message();
                fuzz::require(!decoder.feed(rest) && !decoder.end_of_input(), "a failure is final");
                return out;
            }
            fuzz::require(fed->consumed <= rest.size(), "no more than the input is consumed");
            rest.remove_prefix(fed->consumed);
            if (fed->decoded.empty()) break;
            out.content += fed->decoded;
        }
        fuzz::require(rest.empty(), "without decoded bytes the whole input was consumed");
    }
    if (auto ended = decoder.end_of_input(); !ended) out.failed = ended.error().message();
    return out;
}

bool disproportionate(const outcome& o)
{
    return o.failed.find("times its size") != std::string::npos || o.failed.find("hardly") != std::string::npos;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text = fuzz::text(data, size);
    const auto whole = decode(text, size + 1);
    const auto parts = decode(text, fuzz::chunk_of(size));
    // The proportion is checked after each piece, wherever that ends.
    fuzz::require(whole.failed.empty() == parts.failed.empty() || disproportionate(whole) || disproportionate(parts),
                  "chunking does not affect whether a stream is accepted");
    fuzz::require(!whole.failed.empty() || !parts.failed.empty() || whole.content == parts.content,
                  "chunking does not change the content");
    // A piece may exceed the ratio before it is noticed.
    fuzz::require(whole.content.size() <= 100'000 + 64 * 1024 + 21 * size, "the content is bounded");
    return 0;
}
