#pragma once
// Checks of one informer at a quiet point, when the server does not change and all events have arrived.

#include "journal.hpp"
#include "world.hpp"

#include <string>
#include <vector>

namespace kubecoro::simulation {

/// The name of the index by node, which every pod informer has.
inline constexpr std::string_view node_index = "node";

/// Empty when the states derived by the users and the store have the server's versions, else the first difference.
[[nodiscard]] std::string first_difference(const watched& w);

/// Compares store, listers and index with the server, object by object, including content.
void check_store(const watched& w, journal& notes);
/// Compares the state that each user has derived with the server, including content.
void check_derived_states(const watched& w, journal& notes);
/// Users that kept up without a relist since the last quiet point must have received exactly the events that happened.
/// @return the number of users compared.
std::size_t check_exactness(watched& w, journal& notes);

} // namespace kubecoro::simulation
