// The one allocation behind an object: reference count, where the front fields lie, the tape.
#pragma once

#include "encoding.hpp"
#include "tape_reader.hpp"

#include <kubecoro/api/object.hpp>

#include <atomic>
#include <cstdint>
#include <span>

namespace kubecoro {

struct object::block
{
    /// What the tape refers to; null for a tape that stands alone.
    detail::encoding* encoding = nullptr;
    std::atomic<std::uint32_t> references{1};
    std::uint32_t tape_size = 0;
    // Offsets of values in the tape; 0, where the root lies, stands for absent.
    std::uint32_t api_version = 0;
    std::uint32_t kind = 0;
    std::uint32_t metadata = 0;
    std::uint32_t ns = 0;
    std::uint32_t name = 0;
    std::uint32_t uid = 0;
    std::uint32_t resource_version = 0;
    std::uint32_t generation = 0;
    std::uint32_t labels = 0;
    std::uint32_t annotations = 0;
    std::uint32_t owner_references = 0;
    std::uint32_t deletion_timestamp = 0;

    [[nodiscard]] const unsigned char* tape() const noexcept
    {
        return reinterpret_cast<const unsigned char*>(this + 1);
    }
    [[nodiscard]] unsigned char* tape() noexcept { return reinterpret_cast<unsigned char*>(this + 1); }
    [[nodiscard]] value_view root() const noexcept { return tape_access::view(tape(), tape() + tape_size); }
    [[nodiscard]] value_view at(std::uint32_t offset) const noexcept
    {
        return offset == 0 ? value_view{} : tape_access::view(tape() + offset, tape() + tape_size);
    }
};

/// Makes objects of tapes.
class object_builder
{
public:
    /** Copies a tape into a block and finds the front fields.

        @param tape      One object.
        @param encoding  What it was written with; kept alive by the block.
        @param kind, api_version  Put in front of the members when the object has none; empty = leave it as it is. */
    [[nodiscard]] static object build(std::span<const unsigned char> tape, detail::encoding* encoding = nullptr,
                                      std::string_view kind = {}, std::string_view api_version = {});
    /// The same object with what it lacks of the two.
    [[nodiscard]] static object with_type(const object& from, std::string_view kind, std::string_view api_version);
    [[nodiscard]] static std::span<const unsigned char> tape_of(const object& o) noexcept;

private:
    [[nodiscard]] static object::block* allocate(std::size_t tape_size, detail::encoding* encoding);
    static void find_front_fields(object::block& b) noexcept;
};

} // namespace kubecoro
