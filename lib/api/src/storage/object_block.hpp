// The single allocation behind an object, in one of two forms: a tape, or a packed record with an uncompressed front.
#pragma once

#include "storage/encoding.hpp"
#include "storage/front_slot.hpp"
#include "tape/tape_reader.hpp"

#include <kubecoro/api/detail/kept_object.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro {

/// Values found without a search. Those before `metadata` form the front of a packed object, in this order.
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
    annotations,
    spec,
    status
};
inline constexpr std::size_t front_fields = 14;
inline constexpr std::size_t packed_front_fields = 10;

/// Offsets of values in a tape. 0, the offset of the root, stands for an absent value; 1, inside the root's head, for a
/// value of an unexpected kind.
using front_offsets = std::array<std::uint32_t, front_fields>;
inline constexpr std::uint32_t offset_elsewhere = 1;

/** Keyed digests of the text of an object's sections on the wire. Equal digests count as equal text: see
    docs/decisions/0057-former-states.md. 0 = not known. */
struct section_digests
{
    /// Covers each `fieldsV1` in metadata.managedFields.
    std::uint64_t fields = 0;
    std::uint64_t spec = 0;

    [[nodiscard]] bool empty() const noexcept { return fields == 0 && spec == 0; }
};

struct plain_block;
struct packed_block;

/** Common header of both forms.

    A plain block is followed by its hot slots, its front offsets, its tape, and the digests of its sections if it has
    any. A packed block is followed by its
    front (the values of the first front fields and of the hot fields, see front_slot.hpp) and its record
    (packed_body.hpp). */
struct object::block
{
    block(detail::encoding* e, bool is_packed) noexcept
        : encoding(e), packed(is_packed), partial(false), digested(false)
    {
    }

    /// Resolves the tape's references; null for a self-contained tape.
    detail::encoding* encoding;
    /// Reference counts; see block_life.hpp.
    std::atomic<std::uint64_t> counts{1};
    /// Bytes of the tape or of the record.
    std::uint32_t size = 0;
    /// Bytes of the hot slots or of the front.
    std::uint16_t front_size = 0;
    /// Dictionary id of a packed block.
    std::uint8_t dictionary = 0;
    const bool packed : 1;
    /// The decoder passed over fields that it does not know. Set before other threads see the block.
    bool partial : 1;
    /// A plain block with digests.
    bool digested : 1;

    [[nodiscard]] const detail::vocabulary* words() const noexcept { return detail::encoding::words_of(encoding); }
    /// Expands a packed block for a uid and for fields from metadata on.
    [[nodiscard]] value_view front(front_field f) const noexcept;
    /// These three never expand.
    [[nodiscard]] bool has_uid(std::string_view uid) const noexcept;
    [[nodiscard]] bool has_uid_of(const block& other) const noexcept;
    [[nodiscard]] std::optional<detail::uuid_bytes> uuid() const noexcept;
    [[nodiscard]] detail::head front_head(front_field f) const noexcept { return tape_access::head_of(front(f)); }
    [[nodiscard]] const plain_block& as_plain() const noexcept;
    [[nodiscard]] const packed_block& as_packed() const noexcept;
    [[nodiscard]] packed_block& as_packed() noexcept;
};

/** A hot slot holds one of: a value, if it fits into the slot; front_tag::absent; front_tag::elsewhere and the
    value's offset in the tape; front_tag::searched, if the value is in a shared container. A hot field with a short
    text, a numbered text or a word is therefore read from the cache line that the handle points to. Slots come first
    because they are read most. */
struct plain_block : object::block
{
    /// @param hot  Number of slots: one per hot field of the encoding, or none.
    plain_block(detail::encoding* e, std::size_t tape_size, std::size_t hot) noexcept : block(e, false)
    {
        size = static_cast<std::uint32_t>(tape_size);
        front_size = static_cast<std::uint16_t>(hot * slot_width(tape_size));
    }

    /// Offsets take 2 bytes where that is enough.
    [[nodiscard]] static std::size_t offset_width(std::size_t tape_size) noexcept
    {
        return tape_size < 0x10000 ? 2 : 4;
    }
    [[nodiscard]] static std::size_t slot_width(std::size_t tape_size) noexcept { return 1 + offset_width(tape_size); }
    /// Size of the whole allocation.
    [[nodiscard]] static std::size_t bytes_for(std::size_t tape_size, std::size_t hot) noexcept
    {
        return sizeof(plain_block) + hot * slot_width(tape_size) + front_fields * offset_width(tape_size) + tape_size;
    }
    [[nodiscard]] std::size_t allocated() const noexcept
    {
        return bytes_for(size, 0) + front_size + (digested ? sizeof(section_digests) : 0);
    }
    [[nodiscard]] section_digests digests() const noexcept
    {
        section_digests d;
        if (digested) std::memcpy(&d, tape() + size, sizeof d);
        return d;
    }
    /// Requires a block that was created with room for them.
    void set_digests(const section_digests& d) noexcept
    {
        std::memcpy(tape() + size, &d, sizeof d);
        digested = true;
    }

    [[nodiscard]] const unsigned char* slots() const noexcept
    {
        return reinterpret_cast<const unsigned char*>(this + 1);
    }
    [[nodiscard]] const unsigned char* tape() const noexcept
    {
        return slots() + front_size + front_fields * offset_width(size);
    }
    [[nodiscard]] unsigned char* slots() noexcept { return reinterpret_cast<unsigned char*>(this + 1); }
    [[nodiscard]] unsigned char* tape() noexcept { return slots() + front_size + front_fields * offset_width(size); }
    [[nodiscard]] std::span<const unsigned char> bytes() const noexcept { return {tape(), size}; }
    [[nodiscard]] value_view root() const noexcept { return tape_access::view(tape(), tape() + size, words()); }
    [[nodiscard]] value_view at(front_field f) const noexcept
    {
        const std::size_t at = offset(f);
        return at <= offset_elsewhere ? value_view{} : tape_access::view(tape() + at, tape() + size, words());
    }
    [[nodiscard]] std::uint32_t offset(front_field f) const noexcept
    {
        const std::size_t width = offset_width(size);
        return static_cast<std::uint32_t>(
            detail::load(slots() + front_size + static_cast<std::size_t>(f) * width, width));
    }
    [[nodiscard]] front_offsets offsets() const noexcept;
    void set_offsets(const front_offsets& offsets) noexcept;
    /// Fills the slots from tape and offsets.
    void fill_slots() noexcept;

    /// Fast paths of root()[name] and root().path(dotted).
    [[nodiscard]] value_view member(std::string_view name) const noexcept;
    [[nodiscard]] value_view path(std::string_view dotted) const noexcept;

private:
    [[nodiscard]] value_view hot(std::size_t index, std::string_view dotted) const noexcept
    {
        const std::size_t width = slot_width(size);
        const unsigned char* const slot = slots() + index * width;
        if (*slot < detail::front_tag::uuid) return tape_access::view(slot, slot + width, words());
        if (*slot == detail::front_tag::absent) return {};
        if (*slot == detail::front_tag::searched) return search(dotted);
        return tape_access::view(tape() + detail::load(slot + 1, width - 1), tape() + size, words());
    }
    [[nodiscard]] value_view search(std::string_view dotted) const noexcept;
};

struct packed_block : object::block
{
    explicit packed_block(detail::encoding* e) noexcept : block(e, true) {}

    /// The whole object while it has a reader; owned.
    std::atomic<const plain_block*> expanded{nullptr};

    [[nodiscard]] const unsigned char* begin() const noexcept
    {
        return reinterpret_cast<const unsigned char*>(this + 1);
    }
    [[nodiscard]] unsigned char* begin() noexcept { return reinterpret_cast<unsigned char*>(this + 1); }
    [[nodiscard]] std::span<const unsigned char> front_bytes() const noexcept { return {begin(), front_size}; }
    [[nodiscard]] std::span<const unsigned char> record() const noexcept { return {begin() + front_size, size}; }
    /// The value at this index of the front, which holds the front fields followed by the hot fields; null beyond.
    [[nodiscard]] const unsigned char* slot_at(std::size_t index) const noexcept;
    [[nodiscard]] const unsigned char* front_end() const noexcept { return begin() + front_size; }
};

inline const plain_block& object::block::as_plain() const noexcept { return static_cast<const plain_block&>(*this); }
inline const packed_block& object::block::as_packed() const noexcept { return static_cast<const packed_block&>(*this); }
inline packed_block& object::block::as_packed() noexcept { return static_cast<packed_block&>(*this); }

/// How an object will be used.
enum class arrival : std::uint8_t
{
    /// To be stored only.
    at_rest,
    /// To be read at once, and stored.
    in_use,
    /// To be read and discarded: bookmarks, Status. Never packed, never used for training.
    in_passing
};

/// `kind` and `apiVersion` as tape members for list items that came without them; made once per list.
class type_members
{
public:
    type_members() = default;
    /// An empty text adds no member.
    type_members(detail::encoding* encoding, std::string_view kind, std::string_view api_version);

    [[nodiscard]] std::string_view kind() const noexcept { return kind_; }
    [[nodiscard]] std::string_view api_version() const noexcept { return api_version_; }

private:
    std::string kind_;
    std::string api_version_;
};

/// The text of a front field; empty without a block.
[[nodiscard]] inline std::string_view front_text(const object::block* b, front_field f) noexcept
{
    return b == nullptr ? std::string_view{} : tape_access::text_of(b->front(f));
}

/// Builds objects from tapes.
class object_builder
{
public:
    /** Builds a block from a tape, in the form its encoding requires.

        @param tape      One object.
        @param encoding  The encoding it was written with; kept alive by the block.
        @param missing   Prepended to the members when the object has none; made with the same encoding.
        @param use       in_use: a packed object is created with its expansion.
        @param partial   See object::is_partial().
        @param digests   Those of the sections in the tape. */
    [[nodiscard]] static object build(std::span<const unsigned char> tape, detail::encoding* encoding = nullptr,
                                      const type_members& missing = {}, arrival use = arrival::in_use,
                                      bool partial = false, const section_digests& digests = {});
    /// The same object, with kind and apiVersion added if missing.
    [[nodiscard]] static object with_type(const object& from, std::string_view kind, std::string_view api_version);
    [[nodiscard]] static std::span<const unsigned char> tape_of(const object& o) noexcept;
    [[nodiscard]] static front_offsets find_front(std::span<const unsigned char> tape,
                                                  const detail::vocabulary* words) noexcept;

    [[nodiscard]] static object adopt(object::block* b) noexcept { return object(b); }
    /// Inverse of adopt(): sets the handle to null without dropping its count.
    static void forget(object& o) noexcept { o.block_ = nullptr; }
    [[nodiscard]] static object::block* block_of(const object& o) noexcept { return o.block_; }
    [[nodiscard]] static object::block* block_of(const detail::kept_object& o) noexcept { return o.block_; }
    /// Creates a block without content, not counted in its encoding.
    /// @param extra  Bytes behind the tape.
    [[nodiscard]] static plain_block* new_plain(std::size_t tape_size, detail::encoding* encoding, std::size_t hot,
                                                std::size_t extra = 0);
    [[nodiscard]] static packed_block* new_packed(std::size_t front_and_record, detail::encoding* encoding);

private:
    [[nodiscard]] static std::vector<unsigned char> untyped(std::span<const unsigned char> tape,
                                                            detail::encoding* encoding, const type_members& missing);
    [[nodiscard]] static object complete(std::span<const unsigned char> tape, detail::encoding* encoding,
                                         const type_members& missing, arrival use, bool partial,
                                         const section_digests& digests);
    [[nodiscard]] static object finish(std::span<const unsigned char> tape, detail::encoding* encoding, arrival use,
                                       bool partial, const section_digests& digests);
};

} // namespace kubecoro
