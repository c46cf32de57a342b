#pragma once
// Writes protobuf messages from their end to their beginning, by the rules of Go's types.

#include "protobuf/wire_cursor.hpp"

#include <kubecoro/api/detail/schema.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// The number of bytes that a varint takes.
[[nodiscard]] constexpr std::size_t varint_size(std::uint64_t value) noexcept
{
    std::size_t size = 1;
    for (; value >= 0x80; value >>= 7) ++size;
    return size;
}

/** Holds a message that grows at its front.

    A length comes before its content. Backwards, it is known when it is written, so no byte is written twice. */
class wire_builder
{
public:
    void clear() noexcept { begin_ = buffer_.size(); }
    [[nodiscard]] std::size_t size() const noexcept { return buffer_.size() - begin_; }
    [[nodiscard]] std::string_view view() const noexcept { return std::string_view(buffer_).substr(begin_); }

    void bytes(std::string_view content)
    {
        if (content.empty()) return;
        make_room(content.size());
        begin_ -= content.size();
        std::memcpy(buffer_.data() + begin_, content.data(), content.size());
    }
    void varint(std::uint64_t value)
    {
        std::array<char, 10> digits{};
        std::size_t n = 0;
        for (; value >= 0x80; value >>= 7) digits[n++] = static_cast<char>(value | 0x80);
        digits[n++] = static_cast<char>(value);
        bytes({digits.data(), n});
    }
    void tag(std::uint32_t number, wire_type type)
    {
        varint(std::uint64_t{number} << 3 | static_cast<std::uint64_t>(type));
    }
    void number_field(std::uint32_t number, std::uint64_t value)
    {
        varint(value);
        tag(number, wire_type::varint);
    }
    void fixed_field(std::uint32_t number, std::uint64_t value)
    {
        std::array<char, 8> little{};
        for (char& byte : little) {
            byte = static_cast<char>(value);
            value >>= 8;
        }
        bytes({little.data(), little.size()});
        tag(number, wire_type::fixed64);
    }
    void text_field(std::uint32_t number, std::string_view text)
    {
        const std::size_t mark = size();
        bytes(text);
        close(number, mark);
    }
    /// Makes everything that was written since size() was `mark` the content of a field.
    void close(std::uint32_t number, std::size_t mark)
    {
        varint(size() - mark);
        tag(number, wire_type::length);
    }

private:
    void make_room(std::size_t wanted)
    {
        if (wanted <= begin_) return;
        std::string larger(std::max<std::size_t>(2 * buffer_.size(), size() + wanted + 256), '\0');
        const std::size_t begin = larger.size() - size();
        std::memcpy(larger.data() + begin, buffer_.data() + begin_, size());
        buffer_.swap(larger);
        begin_ = begin;
    }

    std::string buffer_;
    /// The message is what follows.
    std::size_t begin_ = 0;
};

/// True if Go writes nothing for an absent value.
[[nodiscard]] inline bool may_be_absent(const schema_field& f) noexcept
{
    if (f.has(field_flag::pointer) || f.type == field_type::bytes) return true;
    return f.type == field_type::message && builtin_schemas::message(f.message).form == json_form::array;
}

} // namespace kubecoro::detail
