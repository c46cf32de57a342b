#pragma once
// Compares what this library makes of a text with what kubectl makes of it.

#include <string>
#include <string_view>

namespace kubecoro::test {

/// @param line  A text with kubectl's verdict, as lib/api/schemas/extract/documents prints it.
/// @return what differs; empty if nothing does.
[[nodiscard]] std::string differs_from_kubectl(std::string_view line);

/// Whether a difference is a defect of go-yaml that is not followed: docs/decisions/0065-libyaml.md lists them.
[[nodiscard]] bool is_known_defect(std::string_view line);

/// The text of such a line.
[[nodiscard]] std::string text_of_verdict(std::string_view line);

} // namespace kubecoro::test
