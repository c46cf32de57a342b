// The arrays behind builtin_schemas; defined by the file that make_tables writes at build time.
#pragma once

#include <kubecoro/api/detail/schema.hpp>

namespace kubecoro::detail {

struct schema_tables
{
    std::string_view kubernetes_version;
    /// All texts, one after the other, in bytewise order; the first is empty.
    std::string_view texts;
    /// The offset of each text, and the end of the last.
    std::span<const std::uint16_t> text_offsets;
    std::span<const schema_field> fields;
    std::span<const schema_message> messages;
    /// By API version and kind.
    std::span<const schema_kind> kinds;
    /// Indexes of the kinds that are resources, by API version and plural.
    std::span<const std::uint16_t> resources;
};

extern const schema_tables builtin_schema_tables;

} // namespace kubecoro::detail
