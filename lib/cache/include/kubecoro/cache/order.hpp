#pragma once

#include <cstdint>

namespace kubecoro {

/** In which order the changes of an informer reach its store and its handlers when several wait.

    Either way each object's own changes keep their order, and a list is compared with the store as one. */
enum class order : std::uint8_t
{
    /// As the server made them, over all objects: the store passes through states that the server had.
    global,
    /// All waiting changes of an object together, at the place of its first: what a classic accumulator of deltas does.
    /// Objects overtake each other, and the store need not equal any one state of the server.
    per_key
};

} // namespace kubecoro
