#include <kubecoro/api/detail/borrowed_object.hpp>
#include <kubecoro/api/detail/prefetch.hpp>

#include "storage/block_life.hpp"

#include <algorithm>
#include <cstddef>

namespace kubecoro::detail {
namespace {

object::block* block_at(const void* identity) noexcept
{
    // Objects are immutable except for their counts.
    return const_cast<object::block*>(
        static_cast<const object::block*>(identity)); // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

/// A handle without a reference count.
struct uncounted
{
    explicit uncounted(object::block* b) noexcept : handle(object_builder::adopt(b)) {}
    uncounted(const uncounted&) = delete;
    uncounted& operator=(const uncounted&) = delete;
    ~uncounted() { object_builder::forget(handle); }
    object handle;
};

object counted(object::block* b) noexcept
{
    add_first_reader(*b);
    return object_builder::adopt(b);
}

} // namespace

object borrowed_object::get() const noexcept { return counted(block_at(identity_)); }

kept_object borrowed_object::keep() const noexcept
{
    const uncounted o(block_at(identity_));
    return kept_object(o.handle);
}

void show(std::span<const borrowed_object> objects, const std::function<void(const object&)>& f)
{
    for (std::size_t i = 0; i < std::min(ahead, objects.size()); ++i) prefetch_object(objects[i].identity_);
    for (std::size_t i = 0; i < objects.size(); ++i) {
        if (i + ahead < objects.size()) prefetch_object(objects[i + ahead].identity_);
        object::block* const b = block_at(objects[i].identity_);
        if (b->packed)
            f(counted(b));
        else
            f(uncounted(b).handle);
    }
}

} // namespace kubecoro::detail
