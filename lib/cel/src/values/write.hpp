// Values as texts.
#pragma once

#include "values/data.hpp"

#include <string>

namespace kubecoro::cel::detail {

/// As Go's fmt writes a double with `%g`, with the fewest digits that give it back.
[[nodiscard]] std::string write_real(double number);
/// An address in its canonical form.
[[nodiscard]] std::string write_ip(const ip_address& address);
/// An address, or a network with its prefix.
[[nodiscard]] std::string write_network(const ip_data& from);
[[nodiscard]] std::string write_semver(const semver_data& from);

} // namespace kubecoro::cel::detail
