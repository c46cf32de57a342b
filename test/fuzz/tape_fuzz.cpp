// Any bytes as two tapes: reading stays inside them and comparing is symmetric.
#include "fuzz.hpp"

#include "tape_reader.hpp"

#include <kubecoro/test/read_everything.hpp>

using namespace kubecoro;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const value_view whole = tape_access::view(data, data + size, nullptr);
    fuzz::require(test::read_everything(whole) <= 200 * (size + 1), "a tape yields no more than its bytes allow");
    const value_view first = tape_access::view(data, data + size / 2, nullptr);
    const value_view second = tape_access::view(data + size / 2, data + size, nullptr);
    test::read_everything(first);
    test::read_everything(second);
    fuzz::require((first == second) == (second == first), "equality is symmetric");
    fuzz::require((whole == second) == (second == whole), "equality is symmetric");
    return 0;
}
