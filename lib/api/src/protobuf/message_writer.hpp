#pragma once
// Turns JSON values, and structs of the built-in kinds, into the protobuf messages that Go writes for the same objects, from
// their end to their beginning, and says which field has a problem.

#include "protobuf/wire_cursor.hpp"

#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/api/detail/struct_type.hpp>

#include <boost/json/fwd.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

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

/** A problem and its path, which grows at its front while the callers return. The functions that change it return
    false, for their callers to return. */
class field_problem
{
public:
    void clear() noexcept
    {
        path_.clear();
        what_.clear();
    }
    bool is(std::string what)
    {
        what_ = std::move(what);
        return false;
    }
    /// Puts the name of a member before the path.
    bool in(std::string_view name)
    {
        path_ = "." + std::string(name) + path_;
        return false;
    }
    /// Puts the index of an item before the path.
    bool at(std::size_t index)
    {
        path_ = "[" + std::to_string(index) + "]" + path_;
        return false;
    }
    /// Returns "spec.replicas: " and the problem.
    [[nodiscard]] std::string text() const
    {
        if (path_.empty()) return what_;
        return path_.substr(path_.front() == '.' ? 1 : 0) + ": " + what_;
    }

private:
    std::string path_;
    std::string what_;
};

/** Writes messages of the built-in kinds by the rules of the Go types: docs/decisions/0017-protobuf.md.

    Members that the schema does not have are left out, as Go leaves them out. The cost is linear in the value. */
class message_writer
{
public:
    /// Writes the content of a message. False: problem() says which field is wrong, and how.
    [[nodiscard]] bool write(std::uint16_t message, const boost::json::object& from);
    /// After write(): the message. Valid until the next one.
    [[nodiscard]] std::string_view content() const noexcept { return out_.view(); }
    [[nodiscard]] std::string problem() const { return problem_.text(); }

private:
    [[nodiscard]] bool members(std::uint16_t message, const boost::json::object& from);
    [[nodiscard]] bool field(const schema_field& f, const boost::json::object& from);
    /// Writes a field that has one value. Null value = none was given.
    [[nodiscard]] bool single(const schema_field& f, const boost::json::value* given);
    [[nodiscard]] bool list(const schema_field& f, const boost::json::value& items);
    [[nodiscard]] bool map(const schema_field& f, const boost::json::value& entries);
    /// Writes a value as the field `number`. Null is the zero value.
    [[nodiscard]] bool value(const schema_field& f, std::uint32_t number, const boost::json::value& v);
    /// Go reads bytes from base64, and from a list of numbers.
    [[nodiscard]] bool octets(std::uint32_t number, const boost::json::array& items);
    [[nodiscard]] bool integer(const schema_field& f, std::uint32_t number, const boost::json::value& v);
    [[nodiscard]] bool message_content(std::uint16_t message, const boost::json::value& v);
    [[nodiscard]] bool object_content(std::uint16_t message, const boost::json::value& v);
    [[nodiscard]] bool quantity(const boost::json::value& v);
    [[nodiscard]] bool int_or_string(const boost::json::value& v);
    [[nodiscard]] bool time(const boost::json::value& v, bool micro);
    [[nodiscard]] bool duration(const boost::json::value& v);
    [[nodiscard]] bool schema_or(std::uint16_t message, const boost::json::value& v);
    bool fail(std::string_view wanted, const boost::json::value& found);

    wire_builder out_;
    std::size_t depth_ = 0;
    field_problem problem_;
};

class struct_members;

/** Writes what message_writer writes for the JSON of a struct, without the JSON.

    It takes up what structs usually hold, and leaves the rest to loss_check and message_writer: unknown fields, values of
    another type, texts that are not UTF-8, free-form numbers with a fraction. The cost is linear. */
class struct_writer
{
public:
    /// Puts the content of a message before that of the builder. False: the JSON has to be looked at, and the content of
    /// the builder is meaningless.
    [[nodiscard]] bool write(std::uint16_t message, struct_view from, wire_builder& out);

    /// A value of some type. Null = absent, which Go writes as zero.
    struct typed_value
    {
        const value_type* type = nullptr;
        const void* value = nullptr;
    };

private:
    [[nodiscard]] bool object(std::uint16_t message, struct_view from);
    [[nodiscard]] bool members(std::uint16_t message, struct_members& from);
    [[nodiscard]] bool field(const schema_field& f, struct_members& from);
    [[nodiscard]] bool list(const schema_field& f, typed_value from);
    [[nodiscard]] bool map(const schema_field& f, typed_value from);
    /// Writes a value as the field `number`.
    [[nodiscard]] bool value(const schema_field& f, std::uint32_t number, typed_value from);
    [[nodiscard]] bool text(std::uint32_t number, std::string_view content);
    [[nodiscard]] bool integer(const schema_field& f, std::uint32_t number, typed_value from);
    [[nodiscard]] bool real(std::uint32_t number, typed_value from);
    [[nodiscard]] bool message_content(std::uint16_t message, typed_value from);
    [[nodiscard]] bool quantity(typed_value from);
    [[nodiscard]] bool int_or_string(typed_value from);
    [[nodiscard]] bool time(typed_value from);
    [[nodiscard]] bool micro_time(typed_value from);
    [[nodiscard]] bool point(std::int64_t seconds, std::int64_t nanos);
    [[nodiscard]] bool duration(typed_value from);
    [[nodiscard]] bool raw_json(typed_value from);

    wire_builder* out_ = nullptr;
    std::size_t depth_ = 0;
};

} // namespace kubecoro::detail
