#pragma once

#include "fields.hpp"

#include <kubecoro/cache/lister.hpp>

namespace kubecoro::bench {

/// Nanoseconds per object.
struct read_times
{
    /// Look-up in the cache by key.
    double get = 0;
    /// Fields of an object whose handle exists.
    double one_field = 0;
    double five_fields = 0;
    /// A scan of all objects that compares one field.
    double scan = 0;
    /// A checksum that depends on every read, so that the compiler cannot omit any.
    std::size_t bytes = 0;
};

/// Objects are visited in a shuffled order, as a controller meets them, so that misses of the processor's caches count.
[[nodiscard]] read_times measure_reads(const lister<object>& from, const field_paths& paths);

} // namespace kubecoro::bench
