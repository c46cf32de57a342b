#pragma once

#include "fields.hpp"

#include <kubecoro/cache/lister.hpp>

namespace kubecoro::bench {

/// Nanoseconds per object.
struct read_times
{
    /// Found in the cache by its key.
    double get = 0;
    /// Fields of an object at hand.
    double one_field = 0;
    double five_fields = 0;
    /// Listing everything and comparing one field.
    double scan = 0;
    /// What was read: it depends on every read, so that none can be left out.
    std::size_t bytes = 0;
};

/// Objects are visited in a shuffled order, as a controller meets them, so that misses of the processor's caches count.
[[nodiscard]] read_times measure_reads(const lister& from, const field_paths& paths);

} // namespace kubecoro::bench
