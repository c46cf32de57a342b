#pragma once
// Handles for tables that store objects without reading them, and loops over more objects than the caches hold.

#include <kubecoro/api/object.hpp>

#include <cstddef>
#include <functional>
#include <span>

namespace kubecoro::detail {

/** A handle for tables that store objects without reading them.

    Keeps the object alive as `object` does, but not its expansion: a compressed object that only kept_objects hold
    stays compressed. Thread safety as `object`. */
class kept_object
{
public:
    kept_object() noexcept = default;
    explicit kept_object(const object& o) noexcept;
    kept_object(const kept_object& other) noexcept;
    kept_object(kept_object&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
    kept_object& operator=(kept_object other) noexcept
    {
        std::swap(block_, other.block_);
        return *this;
    }
    ~kept_object();

    explicit operator bool() const noexcept { return block_ != nullptr; }
    /// Returns a handle for reading.
    [[nodiscard]] object get() const noexcept;
    /// Valid as long as this handle.
    [[nodiscard]] object_key_view key() const& noexcept KUBECORO_LIFETIME_BOUND;
    [[nodiscard]] std::string_view name() const& noexcept KUBECORO_LIFETIME_BOUND;
    object_key_view key() const&& = delete;
    std::string_view name() const&& = delete;
    /// Heap bytes without an expansion, which exists only while the object is read.
    [[nodiscard]] std::size_t bytes() const noexcept;
    /// As object::identity().
    [[nodiscard]] const void* identity() const noexcept { return block_; }
    /// Same block.
    friend bool operator==(const kept_object&, const kept_object&) = default;

private:
    friend class kubecoro::object_builder;
    object::block* block_ = nullptr;
};

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

} // namespace kubecoro::detail
