#pragma once

#include "store/store.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

namespace kubecoro::detail {

/// The objects that a store has at one moment, shown some at a time. Confined to one thread or strand at a time.
class store_walk
{
public:
    /// @param ns  Empty = all.
    store_walk(const store& of, std::string_view ns) { of.open(all_, ns); }

    /// Calls `f` for the next objects, and takes their number off `most`. Returns whether more are left.
    bool some(std::size_t& most, const std::function<void(const object&)>& f)
    {
        const auto n = std::min(most, all_.objects.size() - at_);
        show(std::span<const borrowed_object>(all_.objects).subspan(at_, n), f);
        at_ += n;
        most -= n;
        return at_ != all_.objects.size();
    }

private:
    store_visits::visit all_;
    std::size_t at_ = 0;
};

} // namespace kubecoro::detail
