// Reads arbitrary bytes as two tapes, with and without a vocabulary: reading stays within bounds and comparison is
// symmetric.
#include "fuzz.hpp"

#include "tape/tape_reader.hpp"

#include <kubecoro/test/read_everything.hpp>

#include <string>
#include <vector>

using namespace kubecoro;

namespace {

void read(const std::uint8_t* data, std::size_t size, const detail::vocabulary* words)
{
    const value_view whole = tape_access::view(data, data + size, words);
    // A one-byte number stands for a text of at most seven bytes, a two-byte number for four arrays of three.
    fuzz::require(test::read_everything(whole) <= 4000 * (size + 1), "a tape yields no more than its bytes allow");
    const value_view first = tape_access::view(data, data + size / 2, words);
    const value_view second = tape_access::view(data + size / 2, data + size, words);
    test::read_everything(first);
    test::read_everything(second);
    fuzz::require((first == second) == (second == first), "equality is symmetric");
    fuzz::require((whole == second) == (second == whole), "equality is symmetric");
    // Without a vocabulary, the same bytes have another meaning, if any.
    const value_view alone = tape_access::view(data, data + size, nullptr);
    fuzz::require((alone == whole) == (whole == alone), "equality is symmetric");
}

/// Arrays of three texts, then pairs of those, then pairs of pairs, 100 of each.
void admit_containers(detail::text_table& containers)
{
    const auto admit = [&containers](const std::vector<unsigned char>& items) {
        std::string tape(1, static_cast<char>(detail::form_of(false, false, items.size()).tag));
        tape.append(items.begin(), items.end());
        containers.admit(tape + std::string(detail::container_trailer, '\0'));
    };
    for (unsigned i = 0; i < 300; ++i) {
        const auto inner = static_cast<unsigned char>(i % 100 + (i < 200 ? 0 : 100));
        const auto text = static_cast<unsigned char>(detail::tag::string_0 + 1);
        if (i < 100)
            admit({detail::tag::value_0, detail::tag::value_0 + 1, text, static_cast<unsigned char>(i)});
        else
            admit({detail::tag::shared_8, inner, detail::tag::shared_8, inner});
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    // Some numbers of every width are known, most are not.
    detail::vocabulary words(true);
    for (int i = 0; i < 300; ++i) {
        words.keys().admit("key" + std::to_string(i));
        words.values().admit("text" + std::to_string(i));
    }
    admit_containers(words.containers());
    read(data, size, &words);
    read(data, size, nullptr);
    return 0;
}
