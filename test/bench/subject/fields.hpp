#pragma once

#include <kubecoro/api/object.hpp>

#include <cstdint>
#include <string_view>

namespace kubecoro::bench {

/// The fields of an object that the worker of every subject reads.
struct three_fields
{
    std::string_view first;
    std::string_view phase;
    std::string_view stamp;
};

/// The names of the fields that the subjects of the bench read; they differ between widgets and pods.
struct field_paths
{
    /// Names of the first field, and of the last that read_five() adds.
    std::string_view first = "spec.nodeName";
    std::string_view fifth = "status.podIP";
};

/// For "pods" or "widgets".
[[nodiscard]] field_paths paths_of(std::string_view plural) noexcept;

[[nodiscard]] std::string_view read_first(const object& o, const field_paths& paths) noexcept;
[[nodiscard]] three_fields read_three(const object& o, const field_paths& paths) noexcept;
/// Reads those and two more; returns the number of bytes, so that the compiler cannot omit the reads.
[[nodiscard]] std::size_t read_five(const object& o, const field_paths& paths) noexcept;

/// When the server wrote the object, by CLOCK_MONOTONIC in nanoseconds; 0 without a stamp.
[[nodiscard]] std::int64_t time_of(std::string_view stamp) noexcept;

} // namespace kubecoro::bench
