// The names that the messages of the built-in schemas have in OpenAPI documents.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace kubecoro::detail {

/// By the index of the message. Defined by the file that make_tables writes at build time.
extern const std::span<const std::string_view> builtin_message_names;

namespace builtin_schemas {
/// Returns the name of the message with this index, which must exist: "io.k8s.api.core.v1.Pod".
[[nodiscard]] inline std::string_view message_name(std::uint16_t message) noexcept
{
    return builtin_message_names[message];
}
} // namespace builtin_schemas

} // namespace kubecoro::detail
