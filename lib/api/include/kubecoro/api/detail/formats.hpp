// The formats of texts that the API server knows, as `format` in a schema names them.
#pragma once

#include <string_view>

namespace kubecoro::detail {

/// True if a text has a format.
using format_check = bool (*)(std::string_view text);

/// The check of a format ("date-time" and "datetime" are the same one). Null for those that the server ignores.
[[nodiscard]] format_check format_named(std::string_view name);

/// Addresses as Go's net package reads them. IPv4 parts may have leading zeros.
[[nodiscard]] bool is_ipv4_format(std::string_view text);
[[nodiscard]] bool is_ipv6_format(std::string_view text);
[[nodiscard]] bool is_cidr_format(std::string_view text);
[[nodiscard]] bool is_mac_format(std::string_view text);

/// An absolute URI or an absolute path, as Go's url.ParseRequestURI reads it.
[[nodiscard]] bool is_uri_format(std::string_view text);
/// An address with or without a display name, as Go's mail.ParseAddress reads it.
[[nodiscard]] bool is_email_format(std::string_view text);

/// `2026-01-31`.
[[nodiscard]] bool is_date_format(std::string_view text);
[[nodiscard]] bool is_date_time_format(std::string_view text);
/// `1h30m` as in Go, or `2 weeks` and the like.
[[nodiscard]] bool is_duration_format(std::string_view text);

} // namespace kubecoro::detail
