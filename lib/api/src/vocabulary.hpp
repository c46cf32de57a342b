// What the objects of one informer have in common: texts by number.
#pragma once

#include <cstddef>

namespace kubecoro::detail {

class vocabulary
{
public:
    explicit vocabulary(bool values) noexcept : values_(values) {}

    [[nodiscard]] std::size_t bytes() const noexcept { return 0; }
    [[nodiscard]] bool keeps_values() const noexcept { return values_; }

private:
    bool values_;
};

} // namespace kubecoro::detail
