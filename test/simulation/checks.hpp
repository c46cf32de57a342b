#pragma once
// What must be true of one informer at a quiet point: the server is left alone and everything has arrived.

#include "journal.hpp"
#include "world.hpp"

#include <string>
#include <vector>

namespace kubecoro::simulation {

/// The name of the index every pod informer has, by node.
inline constexpr std::string_view node_index = "node";

/// Empty when a user's belief and the store have the versions the server has, else the first difference.
[[nodiscard]] std::string first_difference(const watched& w);

/// Store, listers and index against the server, object by object, content included.
void check_store(const watched& w, journal& notes);
/// Each user's belief, content included.
void check_beliefs(const watched& w, journal& notes);
/// Users that kept up without a relist since the last quiet point heard exactly what happened.
/// @return how many users could be compared.
std::size_t check_exactness(watched& w, journal& notes);

} // namespace kubecoro::simulation
