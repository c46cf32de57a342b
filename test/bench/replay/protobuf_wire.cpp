#include "protobuf_wire.hpp"

namespace kubecoro::bench::protobuf {
namespace {

enum wire_type : unsigned
{
    varint_type = 0,
    fixed64 = 1,
    delimited = 2,
    fixed32 = 5
};

std::size_t varint_size(std::uint64_t value)
{
    std::size_t n = 1;
    for (; value >= 0x80; value >>= 7) ++n;
    return n;
}

} // namespace

void append_varint(std::string& out, std::uint64_t value)
{
    for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
    out += static_cast<char>(value);
}

void append_number(std::string& out, unsigned field, std::uint64_t value)
{
    append_varint(out, std::uint64_t{field} << 3 | varint_type);
    append_varint(out, value);
}

void append_bytes(std::string& out, unsigned field, std::string_view bytes)
{
    append_header(out, field, bytes.size());
    out += bytes;
}

void append_header(std::string& out, unsigned field, std::uint64_t size)
{
    append_varint(out, std::uint64_t{field} << 3 | delimited);
    append_varint(out, size);
}

std::size_t header_size(unsigned field, std::uint64_t size)
{
    return varint_size(std::uint64_t{field} << 3) + varint_size(size);
}

std::optional<std::uint64_t> reader::varint()
{
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        value |= std::uint64_t{byte & 0x7fU} << shift;
        if (byte < 0x80) return value;
    }
    damaged_ = true;
    return std::nullopt;
}

std::optional<std::string_view> reader::take(std::uint64_t size)
{
    if (size > rest_.size()) {
        damaged_ = true;
        return std::nullopt;
    }
    const std::string_view out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
}

std::optional<field> reader::next()
{
    while (!rest_.empty() && !damaged_) {
        const auto tag = varint();
        if (!tag) break;
        field out{static_cast<unsigned>(*tag >> 3)};
        const auto type = static_cast<unsigned>(*tag & 7);
        if (type == fixed64 || type == fixed32) {
            if (!take(type == fixed64 ? 8 : 4)) break;
            continue;
        }
        if (type != varint_type && type != delimited) {
            damaged_ = true;
            break;
        }
        const auto value = varint();
        if (!value) break;
        out.value = *value;
        if (type == varint_type) return out;
        const auto bytes = take(*value);
        if (!bytes) break;
        out.bytes = *bytes;
        return out;
    }
    return std::nullopt;
}

std::string_view find(std::string_view message, unsigned number)
{
    reader fields(message);
    while (const auto f = fields.next())
        if (f->number == number && f->bytes.data() != nullptr) return f->bytes;
    return {};
}

} // namespace kubecoro::bench::protobuf
