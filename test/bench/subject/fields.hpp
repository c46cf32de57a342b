#pragma once

#include <kubecoro/api/object.hpp>

#include <cstdint>
#include <string_view>

namespace kubecoro::bench {

/// What the worker of every subject reads of an object.
struct three_fields
{
    std::string_view first;
    std::string_view phase;
    std::string_view stamp;
};

/// The fields that the subjects of the bench read, which have other names in a widget than in a pod.
struct field_paths
{
    /// Of the first field, and of the last that read_five() adds.
    std::string_view first = "spec.nodeName";
    std::string_view fifth = "status.podIP";
};

/// Of "pods" or "widgets".
[[nodiscard]] field_paths paths_of(std::string_view plural) noexcept;

[[nodiscard]] std::string_view read_first(const object& o, const field_paths& paths) noexcept;
[[nodiscard]] three_fields read_three(const object& o, const field_paths& paths) noexcept;
/// Those and two more; gives the bytes read, so that reading cannot be left out.
[[nodiscard]] std::size_t read_five(const object& o, const field_paths& paths) noexcept;

/// When the server wrote the object, by CLOCK_MONOTONIC in nanoseconds; 0 when it did not say.
[[nodiscard]] std::int64_t time_of(std::string_view stamp) noexcept;

} // namespace kubecoro::bench
