// Sizes and paths of values that are not known yet, for estimates of cost.
#pragma once

#include "schema/schema_node.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace kubecoro::cel::detail {

inline constexpr std::uint64_t without_limit = std::numeric_limits<std::uint64_t>::max();

[[nodiscard]] inline std::uint64_t sum_of(std::uint64_t a, std::uint64_t b) noexcept
{
    return a > without_limit - b ? without_limit : a + b;
}
[[nodiscard]] inline std::uint64_t product_of(std::uint64_t a, std::uint64_t b) noexcept
{
    return b != 0 && a > without_limit / b ? without_limit : a * b;
}
/// A product that is rounded up.
[[nodiscard]] inline std::uint64_t scaled_by(std::uint64_t a, double factor) noexcept
{
    const double out = std::ceil(static_cast<double>(a) * factor);
    return out >= 0x1p64 ? without_limit : static_cast<std::uint64_t>(out);
}

/// The least and the greatest size that a value may have.
struct size_range
{
    std::uint64_t least = 0;
    std::uint64_t most = without_limit;

    [[nodiscard]] size_range plus(size_range other) const noexcept
    {
        return {sum_of(least, other.least), sum_of(most, other.most)};
    }
    [[nodiscard]] size_range times(size_range other) const noexcept
    {
        return {product_of(least, other.least), product_of(most, other.most)};
    }
    [[nodiscard]] size_range with(size_range other) const noexcept
    {
        return {std::min(least, other.least), std::max(most, other.most)};
    }
};

/// The sizes of the keys and of the items in a list or map.
struct entry_sizes
{
    bool is_list = false;
    size_range key = {};
    size_range item = {};
};

/** The way from a variable to a value: names of members, `@items`, `@values`.

    As a slice of Go, which cel-go has: a longer path may be written into the same cells as another one, which then changes. Estimates
    depend on that. */
class value_trail
{
public:
    value_trail() = default;
    explicit value_trail(std::string_view variable)
        : cells_(std::make_shared<std::vector<std::string_view>>(1, variable)), length_(1)
    {
    }
    [[nodiscard]] value_trail below(std::string_view name) const
    {
        value_trail out = *this;
        const std::size_t room = cells_ ? cells_->size() : 0;
        if (length_ == room) {
            out.cells_ = std::make_shared<std::vector<std::string_view>>(std::max<std::size_t>(2 * room, 1));
            for (std::size_t i = 0; i < length_; ++i) (*out.cells_)[i] = (*cells_)[i];
        }
        (*out.cells_)[out.length_++] = name;
        return out;
    }
    [[nodiscard]] bool empty() const noexcept { return length_ == 0; }
    [[nodiscard]] std::span<const std::string_view> names() const noexcept
    {
        return cells_ ? std::span<const std::string_view>(*cells_).first(length_) : std::span<const std::string_view>();
    }
    /// The size of the value that it leads to from a schema. Nothing if it leads nowhere.
    [[nodiscard]] std::optional<size_range> size(const schema_node& from) const;

private:
    std::shared_ptr<std::vector<std::string_view>> cells_;
    std::size_t length_ = 0;
};

} // namespace kubecoro::cel::detail
