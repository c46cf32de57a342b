// Loops over more objects than the processor's caches hold: counting a handle waits for the object's memory.
#pragma once

#include <kubecoro/api/object.hpp>

#include <cstddef>
#include <vector>

namespace kubecoro::detail {

/// Distance, in objects, at which a loop requests memory: loading it takes as long as a few short reads of an object.
inline constexpr std::size_t ahead = 8;

/// Requests the memory of counts, front and key. @param identity  That of an object; null has no effect.
inline void prefetch_object(const void* identity) noexcept
{
    constexpr std::size_t line = 64;
    if (identity == nullptr) return;
    __builtin_prefetch(identity);
    __builtin_prefetch(static_cast<const unsigned char*>(identity) + line);
}

/// Destroys the elements from the last one on. @param object_of  Returns the object of an element.
template<class T, class Of>
void drop_all(std::vector<T>& all, Of object_of) noexcept
{
    for (; !all.empty(); all.pop_back())
        if (all.size() > ahead) prefetch_object(object_of(all[all.size() - 1 - ahead]).identity());
}

} // namespace kubecoro::detail
