// Any bytes as a zstd frame, as a body whose frame is spoilt, and as front and body of a tape: refused, or expanded
// within bounds and readable.
#include "fuzz.hpp"

#include "packed_body.hpp"
#include "tape_reader.hpp"

#include <kubecoro/test/read_everything.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace kubecoro::detail;

namespace {

const body_dictionary& dictionary()
{
    static const auto made = [] {
        std::vector<std::vector<unsigned char>> samples;
        for (int i = 0; i < 64; ++i) {
            const std::string text = "restartPolicy Always schedulerName default-scheduler nodeName n" +
                                     std::to_string(i * 31) + " terminationMessagePath /dev/termination-log";
            samples.emplace_back(text.begin(), text.end());
        }
        return body_dictionary::train(samples, 4096);
    }();
    return *made;
}

constexpr std::size_t largest = 4096;

/// The tape that front and body make, if they do, is read like any other.
void join(bytes_view front, bytes_view body, std::size_t size)
{
    std::vector<unsigned char> tape(size);
    if (tape.empty() || !join_tape(front, body, tape)) return;
    kubecoro::test::read_everything(kubecoro::tape_access::view(tape.data(), tape.data() + tape.size(), nullptr));
}

/// zstd refuses nearly every frame that it has not made: here it makes one, of which four bytes may then change.
void expand_spoilt(bytes_view changes, bytes_view front, bytes_view body)
{
    static body_compressor compressor;
    static body_expander expander;
    const bytes_view made = compressor.compress(body, dictionary(), effort::normal);
    if (made.empty()) return;
    std::vector<unsigned char> frame(made.begin(), made.end());
    const auto same = expander.expand(frame, dictionary(), body.size());
    fuzz::require(same && std::equal(same->begin(), same->end(), body.begin(), body.end()),
                  "what was packed comes back");
    for (std::size_t i = 0; i + 1 < changes.size(); i += 2) frame[changes[i] % frame.size()] ^= changes[i + 1];
    const auto other = expander.expand(frame, dictionary(), largest);
    if (!other) return;
    fuzz::require(other->size() <= largest, "a frame yields no more than was asked for");
    join(front, *other, changes.front() * std::size_t{4});
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static body_expander expander;
    const bytes_view all(data, size);
    if (const auto body = expander.expand(all, dictionary(), largest))
        fuzz::require(body->size() <= largest, "a frame yields no more than was asked for");

    // The first byte says where the front ends and how long the tape is to be.
    if (size == 0) return 0;
    const std::size_t front = data[0] % size;
    join(all.subspan(1, front), all.subspan(1 + front), data[0] * std::size_t{2});

    constexpr std::size_t changes = 8;
    if (size <= changes + front) return 0;
    const bytes_view rest = all.subspan(changes);
    expand_spoilt(all.first(changes), rest.first(front), rest.subspan(front));
    return 0;
}
