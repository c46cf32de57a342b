#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/read_everything.hpp>

#include "json_samples.hpp"

// The tape itself is private to the module; here it is corrupted on purpose.
#include "storage/object_block.hpp"

#include <memory>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

std::vector<unsigned char> tape_of(std::string_view json)
{
    const auto o = object::parse(json);
    REQUIRE(o);
    const auto tape = object_builder::tape_of(*o);
    return {tape.begin(), tape.end()};
}

// Reads a copy that ends where the tape ends, so that a sanitizer detects any read past its end.
std::size_t read_copy(const std::vector<unsigned char>& tape)
{
    const auto copy = std::make_unique<unsigned char[]>(tape.size());
    std::copy(tape.begin(), tape.end(), copy.get());
    return test::read_everything(tape_access::view(copy.get(), copy.get() + tape.size(), nullptr));
}

const std::string& sample()
{
    static const std::string text = R"({"a":{"b":[1,-200,70000,-9223372036854775808,1.5,null,true,false,{},[]],"c":")" +
                                    std::string(100, 'x') + R"("},"d":")" + std::string(300, 'y') + R"(",")" +
                                    std::string(250, 'k') + R"(":{"e":{"f":["text",18446744073709551615]}}})";
    return text;
}

} // namespace

TEST_CASE("corrupted tape: a tape with any byte changed is read within bounds", "[api][tape]")
{
    const std::vector<unsigned char> whole = tape_of(sample());
    const std::size_t intact = read_copy(whole);
    CHECK(intact > 0);
    std::size_t most = 0;
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::vector<unsigned char> broken = whole;
        // Every value in structural bytes, a few inside the long texts.
        for (int value = 0; value < 256; value += whole[at] >= 'x' ? 15 : 1) {
            broken[at] = static_cast<unsigned char>(value);
            most = std::max(most, read_copy(broken));
        }
    }
    // No reading may yield more than the tape's bytes allow.
    CHECK(most < 100 * whole.size());
}

TEST_CASE("corrupted tape: a tape cut at any byte is read within bounds", "[api][tape]")
{
    const std::vector<unsigned char> whole = tape_of(sample());
    for (std::size_t n = 0; n < whole.size(); ++n) {
        const std::vector<unsigned char> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
        // The root states its length, so a truncated tape has no value.
        REQUIRE(read_copy(cut) == 0);
    }
}

TEST_CASE("corrupted tape: random bytes are read within bounds", "[api][tape]")
{
    testing_samples::generator random(99);
    const std::vector<unsigned char> whole = tape_of(testing_samples::pod);
    const value_view intact = tape_access::view(whole.data(), whole.data() + whole.size(), nullptr);
    std::size_t readable = 0;
    for (int round = 0; round < 5000; ++round) {
        std::vector<unsigned char> broken = whole;
        for (std::size_t n = 1 + random.below(8); n != 0; --n)
            broken[random.below(broken.size())] = static_cast<unsigned char>(random.below(256));
        if (read_copy(broken) != 0) ++readable;
        const value_view v = tape_access::view(broken.data(), broken.data() + broken.size(), nullptr);
        REQUIRE((v == intact) == (intact == v));
    }
    CHECK(readable > 0);
}

TEST_CASE("corrupted tape: nesting beyond the writer's limit does not exhaust the stack", "[api][tape]")
{
    // Arrays of one array each, with 32-bit headers, innermost first.
    constexpr std::size_t levels = 100000;
    constexpr std::size_t header = 5;
    std::vector<unsigned char> tape(levels * header + 1, detail::tag::null);
    for (std::size_t level = 0; level < levels; ++level) {
        unsigned char* at = tape.data() + level * header;
        at[0] = detail::tag::array_32;
        detail::store(at + 1, tape.size() - (level + 1) * header, 4);
    }
    const value_view v = tape_access::view(tape.data(), tape.data() + tape.size(), nullptr);
    REQUIRE(v.is_array());
    std::vector<unsigned char> other = tape;
    other.back() = detail::tag::true_;
    const value_view w = tape_access::view(other.data(), other.data() + other.size(), nullptr);
    CHECK_FALSE(v == w);
    CHECK(v.to_text().size() < 3000);
    CHECK(v.to_json().is_array());
}
