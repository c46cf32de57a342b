#pragma once

#include <kubecoro/base/callback.hpp>
#include <kubecoro/base/result.hpp>

namespace kubecoro::detail {

/// Calls `called` unless it is empty. Its exceptions are ignored, as the public options say.
inline void tell_user(const callback<void(const failure&)>& called, const failure& why) noexcept
{
    try {
        if (called) called(why);
    } catch (...) { // documented
    }
}

} // namespace kubecoro::detail
