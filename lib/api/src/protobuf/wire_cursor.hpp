#pragma once
// Reads the fields of a protobuf message that is wholly in memory, and messages of texts: envelopes, frames, and the types in them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kubecoro::detail {

enum class wire_type : std::uint8_t
{
    varint = 0,
    fixed64 = 1,
    length = 2,
    fixed32 = 5
};

/// One field: its number and its value as the wire has it.
struct wire_field
{
    std::uint32_t number = 0;
    wire_type type = wire_type::varint;
    /// For varint, fixed64 and fixed32.
    std::uint64_t value = 0;
    /// For length.
    std::string_view content;
};

/** Reads a message field by field.

    Damaged input stops it: next() returns false although done() is false. Groups, which Kubernetes does not use, are
    damage as well. */
class wire_cursor
{
public:
    static constexpr std::uint64_t largest_number = (std::uint64_t{1} << 29) - 1;

    explicit wire_cursor(std::string_view message) noexcept : at_(message.data()), end_(message.data() + message.size())
    {
    }

    [[nodiscard]] bool done() const noexcept { return at_ == end_; }
    /// The start of the next field.
    [[nodiscard]] const char* position() const noexcept { return at_; }

    [[nodiscard]] bool next(wire_field& out) noexcept { return next_tag(out) && next_value(out); }

    /// The first half of next(): reads number and type. The other half, next_value() or next_content(), must follow.
    [[nodiscard]] bool next_tag(wire_field& out) noexcept
    {
        field_ = at_;
        std::uint64_t tag = 0;
        if (!next_varint(tag) || (tag >> 3) == 0 || (tag >> 3) > largest_number) return false;
        out.number = static_cast<std::uint32_t>(tag >> 3);
        out.type = static_cast<wire_type>(tag & 7);
        return true;
    }
    [[nodiscard]] bool next_value(wire_field& out) noexcept
    {
        switch (out.type) {
        case wire_type::varint:
            return next_varint(out.value);
        case wire_type::length:
            return next_content(out.content);
        case wire_type::fixed64:
            return read_fixed(out, 8);
        case wire_type::fixed32:
            return read_fixed(out, 4);
        }
        return false;
    }
    /// The same after a tag of type length.
    [[nodiscard]] bool next_content(std::string_view& out) noexcept
    {
        std::uint64_t size = 0;
        if (!next_varint(size) || size > static_cast<std::size_t>(end_ - at_)) return false;
        out = {at_, static_cast<std::size_t>(size)};
        at_ += out.size();
        return true;
    }

    /// After a failed next(): the field with as much of its content as is there. None if its length is not there.
    [[nodiscard]] std::optional<wire_field> cut_field() const noexcept
    {
        wire_cursor following(std::string_view(field_, static_cast<std::size_t>(end_ - field_)));
        std::uint64_t tag = 0;
        if (!following.next_varint(tag) || (tag >> 3) > largest_number) return std::nullopt;
        std::uint64_t size = 0;
        if (static_cast<wire_type>(tag & 7) != wire_type::length || !following.next_varint(size)) return std::nullopt;
        const std::string_view rest(following.at_, static_cast<std::size_t>(end_ - following.at_));
        return wire_field{static_cast<std::uint32_t>(tag >> 3), wire_type::length, 0, rest};
    }

    /// Reads a bare varint, as in a packed list.
    [[nodiscard]] bool next_varint(std::uint64_t& out) noexcept
    {
        // Nearly all have one byte.
        if (at_ != end_ && static_cast<unsigned char>(*at_) < 0x80) [[likely]] {
            out = static_cast<unsigned char>(*at_++);
            return true;
        }
        return long_varint(out);
    }

    /// Returns the number of the next field without reading it; 0 at the end and in damaged input.
    [[nodiscard]] std::uint32_t next_number() const noexcept
    {
        wire_cursor following = *this;
        std::uint64_t tag = 0;
        return following.next_varint(tag) && (tag >> 3) <= largest_number ? static_cast<std::uint32_t>(tag >> 3) : 0;
    }

private:
    [[nodiscard]] bool long_varint(std::uint64_t& out) noexcept
    {
        out = 0;
        for (unsigned shift = 0; shift < 64 && at_ != end_; shift += 7) {
            const auto byte = static_cast<unsigned char>(*at_++);
            out |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) return true;
        }
        return false;
    }
    [[nodiscard]] bool read_fixed(wire_field& out, std::size_t size) noexcept
    {
        if (static_cast<std::size_t>(end_ - at_) < size) return false;
        out.value = 0;
        for (std::size_t i = size; i-- > 0;) out.value = out.value << 8 | static_cast<unsigned char>(at_[i]);
        at_ += size;
        return true;
    }

    const char* at_;
    const char* end_;
    /// The start of the last field.
    const char* field_ = at_;
};

/** Returns the texts in the fields 1 to N of a message; absent ones have no data(). Later fields are passed over.

    @param is_cut  The message may end inside one of its fields: that text is as much of it as is there.
    @return none if the message is damaged, if one of the fields is no text, or if fields are out of order. */
template<std::size_t N>
[[nodiscard]] std::optional<std::array<std::string_view, N>> read_texts(std::string_view message,
                                                                        bool is_cut = false) noexcept
{
    std::array<std::string_view, N> out;
    std::uint32_t last = 0;
    wire_cursor in(message);
    while (!in.done()) {
        wire_field w;
        const bool is_whole = in.next(w);
        if (!is_whole) {
            const auto begun = is_cut ? in.cut_field() : std::nullopt;
            if (!begun) return std::nullopt;
            w = *begun;
        }
        const bool is_known = w.number <= N;
        if (w.number < last || (w.number == last && is_known)) return std::nullopt;
        last = w.number;
        if (is_known && w.type != wire_type::length) return std::nullopt;
        if (is_known) out[w.number - 1] = w.content;
        if (!is_whole) return out;
    }
    return out;
}

} // namespace kubecoro::detail
