#pragma once

#include <kubecoro/api/detail/kept_object.hpp>

#include <functional>
#include <span>

namespace kubecoro::detail {

/** A reference to an object that another owner keeps alive: one pointer, with no reference counting on copy or
    destruction.

    Valid only while that owner keeps the object; this is not checked. Thread safety as `object`. */
class borrowed_object
{
public:
    explicit borrowed_object(const kept_object& o) noexcept : identity_(o.identity()) {}

    /// Counted handles.
    [[nodiscard]] object get() const noexcept;
    [[nodiscard]] kept_object keep() const noexcept;
    /// As object::identity().
    [[nodiscard]] const void* identity() const noexcept { return identity_; }

private:
    friend void show(std::span<const borrowed_object> objects, const std::function<void(const object&)>& f);
    const void* identity_;
};

/** Calls `f` for each object in turn, with a handle that is valid during the call only. The handle itself is not
    counted; copies of it are.

    Handles of compressed objects are counted, so that at most one object is expanded at a time. Exceptions from `f`
    propagate. */
void show(std::span<const borrowed_object> objects, const std::function<void(const object&)>& f);

} // namespace kubecoro::detail
