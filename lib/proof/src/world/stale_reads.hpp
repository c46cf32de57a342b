#pragma once
// Requests as a server reads them that has no watch cache, or one that stands still, and refusals in a server's place.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::testing::detail {

/// A list at version 0, with a limit: becomes one of the newest, since only a watch cache ignores the limit. Others stay.
[[nodiscard]] std::string paged_at_zero(std::string target);

/// A list that the cache may answer, as one of the version that the cache has. Nothing for other lists and other requests.
/// @param cache  The cache's version; 0 = it is up to date.
[[nodiscard]] std::optional<std::string> stale_list(const std::string& target, std::uint64_t cache);

/// Whether a watch begins at the cache's version or at an older one.
[[nodiscard]] bool is_refused_watch(std::string_view target, std::uint64_t cache);
/// The answer to such a watch.
[[nodiscard]] std::string refused_event();

/// A Status as JSON.
[[nodiscard]] std::string status_text(int code, std::string_view reason, std::string_view message = "simulated");

} // namespace kubecoro::testing::detail
