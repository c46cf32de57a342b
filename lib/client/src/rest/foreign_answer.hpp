#pragma once
// What to say of answers that no API server gives. Sans-io.

#include <kubecoro/base/failure.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

namespace kubecoro::detail {

/// As much of a foreign answer as is worth reading.
inline constexpr std::size_t foreign_beginning = 640;

/// A media type of JSON, or none at all: then the decoder finds out.
[[nodiscard]] bool may_be_json(std::string_view content_type);

/** A good answer in a format that is not Kubernetes', such as a proxy's login page: cond::corrupt, with the media type and
    the first words.

    @param body  Its beginning, or all of it. */
[[nodiscard]] failure foreign_answer(std::string_view content_type, std::string_view body);

/** As failure_of_answer; says so when a server of TLS complains about a request in the clear.

    @param retry_after  Of the answer's header; counts where the Status has none. */
[[nodiscard]] failure refused_answer(int code, std::string_view body,
                                     std::optional<std::chrono::seconds> retry_after = {});

} // namespace kubecoro::detail
