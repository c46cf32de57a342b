// The parts of an object that seldom change, as its former state has them.
#pragma once

#include "storage/object_block.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace kubecoro::detail {

/// Sections are found and copied only where that is much cheaper than reading them.
inline constexpr std::size_t shortest_section = 128;

/** The keyed digest of a section's text; never 0.

    @param before  The digest of the texts in front of this one, or the type of the section.
    @param terms   Under which the text was read. */
[[nodiscard]] std::uint64_t section_digest(std::string_view text, std::uint64_t before, std::uint64_t terms) noexcept;

/** The sections of a former state of an object, with their digests.

    A decoder that finds a section with the same digest copies the value from here: docs/decisions/0057-former-states.md. */
class former_sections
{
public:
    /// No former state.
    former_sections() = default;
    /// @param former   Outlives this.
    /// @param decodes  The encoding of the new state; a state in another one has no sections.
    former_sections(const object& former, const encoding* decodes) noexcept;

    [[nodiscard]] const section_digests& digests() const noexcept { return digests_; }
    /// The value of `spec`; empty if there is none.
    [[nodiscard]] std::span<const unsigned char> spec() const noexcept;
    /// Begins with the first of metadata.managedFields.
    void begin_fields() noexcept;
    /// The value of the next `fieldsV1` among them; empty behind the last one.
    [[nodiscard]] std::span<const unsigned char> next_fields() noexcept;

private:
    [[nodiscard]] std::span<const unsigned char> member(const head& of, std::string_view key) const noexcept;
    [[nodiscard]] head resolved(std::span<const unsigned char> value) const noexcept;

    const plain_block* block_ = nullptr;
    section_digests digests_;
    /// The managedFields that have not been visited.
    const unsigned char* entry_ = nullptr;
    const unsigned char* entries_end_ = nullptr;
};

} // namespace kubecoro::detail
