#pragma once

#include <kubecoro/api/detail/kept_object.hpp>

#include <functional>
#include <span>

namespace kubecoro::detail {

/** Where an object is that somebody else keeps: one pointer, and nothing is counted when it is copied or goes.

    Usable for as long as that somebody keeps the object; nothing checks it. Thread safety as `object`. */
class borrowed_object
{
public:
    explicit borrowed_object(const kept_object& o) noexcept : identity_(o.identity()) {}

    /// Handles that count.
    [[nodiscard]] object get() const noexcept;
    [[nodiscard]] kept_object keep() const noexcept;

private:
    friend void show(std::span<const borrowed_object> objects, const std::function<void(const object&)>& f);
    const void* identity_;
};

/** Calls `f` for one after the other with a handle that is there for the call only: a copy of it counts, it does not.

    Compressed objects are counted, so that no more than one is expanded. What `f` throws passes through. */
void show(std::span<const borrowed_object> objects, const std::function<void(const object&)>& f);

} // namespace kubecoro::detail
