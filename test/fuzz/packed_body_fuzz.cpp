// Uses arbitrary bytes as a zstd frame, as a body whose frame is corrupted, and as front and body of a tape: each must
// be rejected, or expanded within bounds and readable.
#include "packed_body_fuzz.hpp"

#include "fuzz.hpp"

#include "storage/packed_body.hpp"
#include "tape/tape_reader.hpp"

#include <kubecoro/test/read_everything.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace kubecoro::detail;
using fuzz::dictionary;
using fuzz::largest_body;

namespace {

/// Reads the tape that front and body form, if they do.
void join(byte_span front, byte_span body, std::size_t size)
{
    std::vector<unsigned char> tape(size);
    if (tape.empty() || !join_tape(front, body, tape)) return;
    kubecoro::test::read_everything(kubecoro::tape_access::view(tape.data(), tape.data() + tape.size(), nullptr));
}

/// The first byte determines where the front ends and the size of the tape.
std::size_t join_halves(byte_span all)
{
    if (all.empty()) return 0;
    const std::size_t front = all[0] % all.size();
    join(all.subspan(1, front), all.subspan(1 + front), all[0] * std::size_t{2});
    return front;
}

/// Compresses the body and changes up to four bytes of its frame: zstd rejects nearly every frame that it did not
/// produce.
void expand_spoilt(byte_span changes, byte_span front, byte_span body)
{
    static body_compressor compressor;
    static body_expander expander;
    const byte_span made = compressor.compress(body, dictionary(), effort::normal);
    if (made.empty()) return;
    std::vector<unsigned char> frame(made.begin(), made.end());
    const auto same = expander.expand(frame, dictionary(), body.size());
    fuzz::require(same && std::equal(same->begin(), same->end(), body.begin(), body.end()),
                  "a packed body expands to itself");
    for (std::size_t i = 0; i + 1 < changes.size(); i += 2) frame[changes[i] % frame.size()] ^= changes[i + 1];
    const auto other = expander.expand(frame, dictionary(), largest_body);
    if (!other) return;
    fuzz::require(other->size() <= largest_body, "a frame expands to at most the requested size");
    join(front, *other, changes.front() * std::size_t{4});
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static body_expander expander;
    const byte_span all(data, size);
    if (const auto body = expander.expand(all, dictionary(), largest_body)) {
        fuzz::require(body->size() <= largest_body, "a frame expands to at most the requested size");
        join_halves(*body);
    }
    const std::size_t front = join_halves(all);
    constexpr std::size_t changes = 8;
    if (size <= changes + front) return 0;
    const byte_span rest = all.subspan(changes);
    expand_spoilt(all.first(changes), rest.first(front), rest.subspan(front));
    return 0;
}
