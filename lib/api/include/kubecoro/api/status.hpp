#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/result.hpp>

#include <string_view>

namespace kubecoro {

/// Reads a `Status` object. Fields of wrong types count as absent.
[[nodiscard]] server_status read_status(value_view status);

/** Returns the failure that an error response stands for: its Status when the body is one, else the code with at
    most 2,048 bytes of the body, control characters replaced. */
[[nodiscard]] failure failure_of_answer(int http_code, std::string_view body);

} // namespace kubecoro
