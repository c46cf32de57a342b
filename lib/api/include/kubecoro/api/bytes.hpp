#pragma once

#include <kubecoro/base/result.hpp>

#include <string>
#include <string_view>

namespace kubecoro {

/** Binary data, such as a value of a Secret. JSON has it in base64.

    A type of its own, so that neither text nor base64 is taken for it. */
struct bytes
{
    /// The data itself, not its base64.
    std::string data;

    bytes() = default;
    /// @param d  The data itself, not its base64.
    explicit bytes(std::string d) : data(std::move(d)) {}

    /// Decodes standard base64 with padding, as Go's encoding/json does: line ends are skipped. Errors: cond::invalid.
    [[nodiscard]] static result<bytes> from_base64(std::string_view text);
    /// The data in base64.
    [[nodiscard]] std::string base64() const;

    friend bool operator==(const bytes&, const bytes&) = default;
};

} // namespace kubecoro
