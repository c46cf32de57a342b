#pragma once

#include <cstdint>

namespace kubecoro {

/** The order in which changes reach an informer's store and handlers when several wait.

    With either value each object's own changes keep their order, and a list is compared with the store as a whole. */
enum class order : std::uint8_t
{
    /// The server's order over all objects: the store passes only through states that the server had.
    global,
    /// All waiting changes of an object together, at the position of its first, as in a classic DeltaFIFO. Objects
    /// overtake each other, and the store need not equal any state of the server.
    per_key
};

} // namespace kubecoro
