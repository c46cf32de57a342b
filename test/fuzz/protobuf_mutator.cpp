// A mutator that changes one field of a message, at any depth, and repairs the lengths around it: nearly every message
// with a wrong length is rejected at once.
#include "protobuf/object_reader.hpp"
#include "protobuf/wire_cursor.hpp"

#include <kubecoro/test/protobuf_bytes.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace kubecoro::detail;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

constexpr std::size_t frame_head = 4;

struct place
{
    /// The field with its head.
    std::string_view whole;
    wire_field field;
};

class mutation
{
public:
    mutation(unsigned seed, std::size_t most) : random_(seed), most_(most) {}

    std::string document(std::string_view bytes)
    {
        if (bytes.size() <= frame_head || bytes.starts_with(protobuf_magic)) return message(bytes);
        std::string head(frame_head, '\0');
        std::string event = message(bytes.substr(frame_head));
        for (std::size_t i = 0; i < frame_head; ++i)
            head[i] = static_cast<char>(event.size() >> (8 * (frame_head - 1 - i)));
        return head + event;
    }

private:
    bool one_in(unsigned n) { return random_() % n == 0; }

    std::string message(std::string_view bytes)
    {
        if (bytes.starts_with(protobuf_magic))
            return std::string(protobuf_magic) + message(bytes.substr(protobuf_magic.size()));
        const auto fields = fields_of(bytes);
        if (fields.empty() || one_in(8)) return anything(bytes);
        const place& chosen = fields[random_() % fields.size()];
        const auto before = bytes.substr(0, static_cast<std::size_t>(chosen.whole.data() - bytes.data()));
        const auto after = bytes.substr(before.size() + chosen.whole.size());
        return std::string(before) + changed(chosen) + std::string(after);
    }

    std::string changed(const place& at)
    {
        if (one_in(16)) return {};
        if (one_in(16)) return std::string(at.whole) + std::string(at.whole);
        if (at.field.type == wire_type::varint) return kubecoro::test::field(at.field.number, number(at.field.value));
        if (at.field.type != wire_type::length) return anything(at.whole);
        return kubecoro::test::field(at.field.number, message(at.field.content));
    }

    std::uint64_t number(std::uint64_t before)
    {
        constexpr std::array<std::uint64_t, 6> odd{
            0, 1, 0x7fffffff, 0x80000000, ~std::uint64_t{0}, std::uint64_t{1} << 63};
        return one_in(2) ? odd[random_() % odd.size()] : before + random_() % 32 - 16;
    }

    /// The mutations of libFuzzer.
    std::string anything(std::string_view bytes)
    {
        std::vector<std::uint8_t> room(std::max<std::size_t>(bytes.size() + 64, 64));
        std::copy(bytes.begin(), bytes.end(), room.begin());
        const std::size_t size = LLVMFuzzerMutate(room.data(), bytes.size(), std::min(room.size(), most_));
        return std::string(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(size));
    }

    /// Empty if the bytes are no message.
    static std::vector<place> fields_of(std::string_view bytes)
    {
        std::vector<place> out;
        wire_cursor in(bytes);
        while (!in.done()) {
            const char* const begin = in.position();
            place p;
            if (!in.next(p.field)) return {};
            p.whole = {begin, static_cast<std::size_t>(in.position() - begin)};
            out.push_back(p);
        }
        return out;
    }

    std::mt19937 random_;
    std::size_t most_;
};

} // namespace

/// Called by libFuzzer instead of its own mutations.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed)
{
    if (seed % 4 != 0) {
        const std::string made = mutation(seed, max_size).document({reinterpret_cast<const char*>(data), size});
        if (!made.empty() && made.size() <= max_size) {
            std::copy(made.begin(), made.end(), data);
            return made.size();
        }
    }
    return LLVMFuzzerMutate(data, size, max_size);
}
