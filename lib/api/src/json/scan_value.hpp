#pragma once

#include "tape/pruned_tape.hpp"

#include <string_view>

namespace kubecoro::detail {

/// The end of scan_value().
enum class scanned
{
    complete,
    /// The text is not one JSON value. A part of it may be on the tape.
    malformed,
    /// The tape exceeds a limit; it says which.
    too_large
};

/** Appends one JSON value, given as a whole, to a tape where a value may be: as its root, after a key, or as an item.

    @param behind_key  The last event was a key: a container that was here before is copied. */
[[nodiscard]] scanned scan_value(std::string_view json, pruned_tape& out, bool behind_key = false);

} // namespace kubecoro::detail
