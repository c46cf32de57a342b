// The one allocation behind an object, in one of two forms: a tape, or a packed record with its front in plain.
#pragma once

#include "encoding.hpp"
#include "tape_reader.hpp"

#include <kubecoro/api/object.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

namespace kubecoro {

/// What objects answer for without a search. Those before `metadata` are the front of a packed object, in this order.
enum class front_field : std::uint8_t
{
    name,
    ns,
    uid,
    resource_version,
    generation,
    deletion_timestamp,
    api_version,
    kind,
    labels,
    owner_references,
    metadata,
    annotations
};
inline constexpr std::size_t front_fields = 12;
inline constexpr std::size_t packed_front_fields = 10;

/// Where values lie in a tape; 0, where the root lies, stands for absent.
using front_offsets = std::array<std::uint32_t, front_fields>;

struct plain_block;
struct packed_block;

/** What both forms begin with.

    A plain block is followed by its tape. A packed block is followed by its front (the values of the first front fields
    and of the hot fields, one after the other, null for what is absent) and its record (packed_body.hpp). */
struct object::block
{
    block(detail::encoding* e, bool is_packed) noexcept : encoding(e), packed(is_packed) {}

    /// What the tape refers to; null for a tape that stands alone.
    detail::encoding* encoding;
    /// Who holds it; see block_life.hpp.
    std::atomic<std::uint64_t> counts{1};
    /// Bytes of the tape, or of the record.
    std::uint32_t size = 0;
    // Of a packed block.
    std::uint16_t front_size = 0;
    std::uint8_t dictionary = 0;
    const bool packed;

    /// metadata and annotations of a packed block expand it.
    [[nodiscard]] value_view front(front_field f) const noexcept;
    [[nodiscard]] const plain_block& as_plain() const noexcept;
    [[nodiscard]] const packed_block& as_packed() const noexcept;
    [[nodiscard]] packed_block& as_packed() noexcept;
};

struct plain_block : object::block
{
    explicit plain_block(detail::encoding* e) noexcept : block(e, false) {}

    front_offsets offsets{};

    [[nodiscard]] const unsigned char* tape() const noexcept
    {
        return reinterpret_cast<const unsigned char*>(this + 1);
    }
    [[nodiscard]] unsigned char* tape() noexcept { return reinterpret_cast<unsigned char*>(this + 1); }
    [[nodiscard]] std::span<const unsigned char> bytes() const noexcept { return {tape(), size}; }
    [[nodiscard]] value_view root() const noexcept { return tape_access::view(tape(), tape() + size); }
    [[nodiscard]] value_view at(front_field f) const noexcept
    {
        const std::uint32_t offset = offsets[static_cast<std::size_t>(f)];
        return offset == 0 ? value_view{} : tape_access::view(tape() + offset, tape() + size);
    }
};

struct packed_block : object::block
{
    explicit packed_block(detail::encoding* e) noexcept : block(e, true) {}

    /// The whole object while somebody reads it; owned.
    std::atomic<const plain_block*> expanded{nullptr};

    [[nodiscard]] const unsigned char* begin() const noexcept
    {
        return reinterpret_cast<const unsigned char*>(this + 1);
    }
    [[nodiscard]] unsigned char* begin() noexcept { return reinterpret_cast<unsigned char*>(this + 1); }
    [[nodiscard]] std::span<const unsigned char> front_bytes() const noexcept { return {begin(), front_size}; }
    [[nodiscard]] std::span<const unsigned char> record() const noexcept { return {begin() + front_size, size}; }
    /// The value at that place of the front, be it a front field or, behind those, a hot field.
    [[nodiscard]] value_view slot(std::size_t index) const noexcept;
};

inline const plain_block& object::block::as_plain() const noexcept { return static_cast<const plain_block&>(*this); }
inline const packed_block& object::block::as_packed() const noexcept { return static_cast<const packed_block&>(*this); }
inline packed_block& object::block::as_packed() noexcept { return static_cast<packed_block&>(*this); }

/// What an object comes for.
enum class arrival : std::uint8_t
{
    /// To be stored.
    at_rest,
    /// To be read at once, and stored.
    in_use,
    /// To be read and forgotten: bookmarks, Status. Never packed, never learnt from.
    in_passing
};

/// Makes objects of tapes.
class object_builder
{
public:
    /** Makes a block of a tape, in the form its encoding wants.

        @param tape      One object.
        @param encoding  What it was written with; kept alive by the block.
        @param kind, api_version  Put in front of the members when the object has none; empty = leave it as it is.
        @param use       in_use: a packed object comes expanded. */
    [[nodiscard]] static object build(std::span<const unsigned char> tape, detail::encoding* encoding = nullptr,
                                      std::string_view kind = {}, std::string_view api_version = {},
                                      arrival use = arrival::in_use);
    /// The same object with what it lacks of the two.
    [[nodiscard]] static object with_type(const object& from, std::string_view kind, std::string_view api_version);
    [[nodiscard]] static std::span<const unsigned char> tape_of(const object& o) noexcept;
    [[nodiscard]] static front_offsets find_front(std::span<const unsigned char> tape) noexcept;

    [[nodiscard]] static object adopt(object::block* b) noexcept { return object(b); }
    [[nodiscard]] static object::block* block_of(const object& o) noexcept { return o.block_; }
    /// A block without content, and with no count in its encoding.
    [[nodiscard]] static plain_block* new_plain(std::size_t tape_size, detail::encoding* encoding);
    [[nodiscard]] static packed_block* new_packed(std::size_t front_and_record, detail::encoding* encoding);

private:
    [[nodiscard]] static object finish(std::span<const unsigned char> tape, detail::encoding* encoding, arrival use);
};

} // namespace kubecoro
