// Any bytes as a zstd frame, and as front and body of a tape: refused, or expanded within bounds.
#include "fuzz.hpp"

#include "packed_body.hpp"

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

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr std::size_t largest = 4096;
    static body_expander expander;
    if (const auto body = expander.expand({data, size}, dictionary(), largest))
        fuzz::require(body->size() <= largest, "a frame yields no more than was asked for");

    // The first byte says where the front ends and how long the tape is to be.
    if (size == 0) return 0;
    const std::size_t front = data[0] % size;
    std::vector<unsigned char> tape(data[0] * 2);
    (void)join_tape({data + 1, front}, {data + 1 + front, size - 1 - front}, tape);
    return 0;
}
