#include "storage/packed_body.hpp"

#include "storage/front_slot.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace kubecoro::detail {
namespace {

constexpr std::size_t max_front = std::numeric_limits<std::uint16_t>::max();
constexpr std::size_t max_varint_shift = 28;

} // namespace

void put_varint(std::vector<unsigned char>& out, std::size_t v)
{
    for (; v >= 0x80; v >>= 7) out.push_back(static_cast<unsigned char>(v | 0x80));
    out.push_back(static_cast<unsigned char>(v));
}

bool take_varint(byte_span& in, std::size_t& v) noexcept
{
    v = 0;
    for (std::size_t shift = 0; shift <= max_varint_shift && !in.empty(); shift += 7) {
        const unsigned char b = in.front();
        in = in.subspan(1);
        v |= std::size_t{b & 0x7fu} << shift;
        if (b < 0x80) return true;
    }
    return false;
}

bool tape_splitter::overlaps(tape_range r) const noexcept
{
    return std::any_of(cuts_.begin(), cuts_.end(),
                       [r](const cut& c) { return r.begin < c.range.end && c.range.begin < r.end; });
}

void tape_splitter::put_slot(byte_span value, bool may_be_uuid)
{
    if (may_be_uuid && value.front() == tag::string_0 + uuid_length) {
        const std::string_view text(reinterpret_cast<const char*>(value.data()) + 1, value.size() - 1);
        if (const auto uuid = to_uuid(text)) {
            front_.push_back(front_tag::uuid);
            front_.insert(front_.end(), uuid->begin(), uuid->end());
            return;
        }
    }
    front_.insert(front_.end(), value.begin(), value.end());
}

bool tape_splitter::split(byte_span tape, const std::vector<tape_range>& slots)
{
    cuts_.clear();
    front_.clear();
    body_.clear();
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const tape_range r = slots[i];
        if (!r.outside.empty()) {
            put_slot(r.outside, r.may_be_uuid);
        } else if (r.begin == r.end) {
            front_.push_back(r.elsewhere ? front_tag::elsewhere : front_tag::absent);
        } else {
            if (!overlaps(r)) cuts_.push_back({r, static_cast<std::uint8_t>(i)});
            put_slot(tape.subspan(r.begin, r.end - r.begin), r.may_be_uuid);
        }
        if (front_.size() > max_front) return false;
    }
    std::sort(cuts_.begin(), cuts_.end(), [](const cut& a, const cut& b) { return a.range.begin < b.range.begin; });
    body_.push_back(static_cast<unsigned char>(cuts_.size()));
    std::size_t at = 0;
    for (const cut& c : cuts_) {
        body_.push_back(c.slot);
        put_varint(body_, c.range.begin - at);
        at = c.range.end;
    }
    at = 0;
    for (const cut& c : cuts_) {
        body_.insert(body_.end(), tape.begin() + static_cast<std::ptrdiff_t>(at),
                     tape.begin() + static_cast<std::ptrdiff_t>(c.range.begin));
        at = c.range.end;
    }
    body_.insert(body_.end(), tape.begin() + static_cast<std::ptrdiff_t>(at), tape.end());
    return true;
}

namespace {

/// The complete values of a front.
struct front_slots
{
    explicit front_slots(byte_span front) noexcept
    {
        const unsigned char* const end = front.data() + front.size();
        for (const unsigned char* at = front.data(); at != end && count != values.size();) {
            const unsigned char* const next = skip_slot(at, end);
            if (next == nullptr) break;
            values[count++] = {at, next};
            at = next;
        }
    }
    std::array<byte_span, 64> values;
    std::size_t count = 0;
};

bool append(std::span<unsigned char>& out, byte_span bytes) noexcept
{
    if (bytes.size() > out.size()) return false;
    if (!bytes.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
    out = out.subspan(bytes.size());
    return true;
}

bool append_slot(std::span<unsigned char>& out, byte_span slot) noexcept
{
    const unsigned char* const end = slot.data() + slot.size();
    const std::size_t size = slot_size_in_tape(slot.data(), end);
    if (size > out.size()) return false;
    slot_to_tape(slot.data(), end, out.data());
    out = out.subspan(size);
    return true;
}

} // namespace

bool join_tape(byte_span front, byte_span body, std::span<unsigned char> out) noexcept
{
    if (body.empty()) return false;
    const front_slots slots(front);
    const std::size_t cuts = body.front();
    byte_span table = body.subspan(1);
    byte_span rest = table;
    std::size_t gap = 0;
    for (std::size_t i = 0; i < cuts; ++i) {
        if (rest.empty()) return false;
        rest = rest.subspan(1);
        if (!take_varint(rest, gap)) return false;
    }
    for (std::size_t i = 0; i < cuts; ++i) {
        const std::size_t slot = table.front();
        table = table.subspan(1);
        if (!take_varint(table, gap) || gap > rest.size() || slot >= slots.count) return false;
        if (!append(out, rest.first(gap)) || !append_slot(out, slots.values[slot])) return false;
        rest = rest.subspan(gap);
    }
    return append(out, rest) && out.empty();
}

} // namespace kubecoro::detail
