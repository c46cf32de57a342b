// The part of the protobuf wire format that lists and watches need: varints, length-delimited fields, and look-ups.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::bench::protobuf {

/** A field is a varint tag (number * 8 + wire type) and a value: a varint (type 0), or a length and that many bytes
    (type 2). Messages, strings and maps are all of type 2; a map is a repeated message of key = 1 and value = 2. */
void append_varint(std::string& out, std::uint64_t value);
void append_number(std::string& out, unsigned field, std::uint64_t value);
void append_bytes(std::string& out, unsigned field, std::string_view bytes);
/// Tag and length of a field whose `size` bytes are written separately.
void append_header(std::string& out, unsigned field, std::uint64_t size);
/// Bytes that append_header writes.
[[nodiscard]] std::size_t header_size(unsigned field, std::uint64_t size);

/// One field of a message.
struct field
{
    unsigned number = 0;
    /// For type 0.
    std::uint64_t value = 0;
    /// For type 2: refers to the input.
    std::string_view bytes = {};
};

/** Walks over the fields of a message. Fixed-size fields are skipped. */
class reader
{
public:
    explicit reader(std::string_view message) : rest_(message) {}

    /// The next field; none at the end, or when the message is damaged.
    [[nodiscard]] std::optional<field> next();
    /// The message was truncated or invalid.
    [[nodiscard]] bool damaged() const { return damaged_; }

private:
    std::optional<std::uint64_t> varint();
    std::optional<std::string_view> take(std::uint64_t size);

    std::string_view rest_;
    bool damaged_ = false;
};

/// The first field of that number in the message, as bytes; null data() when there is none.
[[nodiscard]] std::string_view find(std::string_view message, unsigned number);

} // namespace kubecoro::bench::protobuf
