#pragma once

#include "election/leader_election_core.hpp"

#include <kubecoro/controller/leader_election_options.hpp>

#include <string>

namespace kubecoro::detail {

/// Checks the options as client-go does. Errors: cond::misconfigured, which names the option.
[[nodiscard]] result<> check_election(const leader_election_options& o);
/// Settings of the core, from checked options.
[[nodiscard]] leader_election_core::settings settings_of(const leader_election_options& o);
/// An identity of this process: its host's name and a random UUID. No seed repeats it: two that share one would both lead.
[[nodiscard]] std::string new_identity();

} // namespace kubecoro::detail
