#pragma once

#include <kubecoro/api/object.hpp>

#include <cstdint>
#include <string_view>

namespace kubecoro::bench {

/// What the worker of every subject reads of an object.
struct three_fields
{
    std::string_view node;
    std::string_view phase;
    std::string_view stamp;
};

[[nodiscard]] std::string_view node_of(const object& o) noexcept;
[[nodiscard]] three_fields read_three(const object& o) noexcept;
/// Those and two more; gives the bytes read, so that reading cannot be left out.
[[nodiscard]] std::size_t read_five(const object& o) noexcept;

/// When the server wrote the object, by CLOCK_MONOTONIC in nanoseconds; 0 when it did not say.
[[nodiscard]] std::int64_t time_of(std::string_view stamp) noexcept;

} // namespace kubecoro::bench
