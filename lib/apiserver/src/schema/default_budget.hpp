// Bounds the members that defaults add to lists.
#pragma once

#include "objects/stored_size.hpp"

#include <algorithm>
#include <cstddef>

namespace kubecoro::apiserver {

/** The members that defaults may add to lists. Each takes two bytes at least where it is stored: an object with more is too
    large, and is refused without them. */
class default_budget
{
public:
    [[nodiscard]] bool spent() const noexcept { return left_ == 0; }
    void spend(std::size_t members) noexcept { left_ -= std::min(left_, members); }

private:
    std::size_t left_ = max_stored_bytes / 2;
};

} // namespace kubecoro::apiserver
