#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/api/typed_object.hpp>
#include <kubecoro/base/callback.hpp>
#include <kubecoro/cache/notification.hpp>

#include <string_view>
#include <utility>

namespace kubecoro {

namespace detail {
class key_batch;
}

/// Receives the keys that an event concerns. Borrowed: valid only during the call; the text is copied.
class key_sink
{
public:
    /// @param out  Receives the keys; must outlive the sink.
    explicit key_sink(detail::key_batch& out) noexcept : out_(&out) {}
    /// Adds one key.
    void operator()(object_key_view key) const;
    /// @param ns  Empty for cluster-scoped objects.
    void operator()(std::string_view ns, std::string_view name) const { (*this)({ns, name}); }

private:
    detail::key_batch* out_;
};

/** Maps an event to keys: any number, possibly none; duplicates are allowed.

    Called in order, by one coroutine per source; must not block. An exception is counted and logged with the object;
    the keys passed before it stay, and the next event follows. */
using enqueue = callback<void(const notification<object>&, key_sink)>;

/// Enqueues the object's own key.
[[nodiscard]] enqueue enqueue_object();

/** Enqueues the object's owner of this group and kind with `controller: true`, whatever version its reference has; for an
    update, those before and after. An owner has the object's namespace, or none when `owner` is not namespaced. */
[[nodiscard]] enqueue enqueue_owner(resource_type owner);
/// The same for a kind with a C++ type.
template<class Kind>
[[nodiscard]] enqueue enqueue_owner()
{
    return enqueue_owner(Kind::resource());
}

/// Enqueues all owners of this group and kind, controllers or not.
[[nodiscard]] enqueue enqueue_owners(resource_type owner);
/// The same for a kind with a C++ type.
template<class Kind>
[[nodiscard]] enqueue enqueue_owners()
{
    return enqueue_owners(Kind::resource());
}

/// Enqueues the keys that `f` names for the object; for an update, those of the old and the new object, so that objects
/// no longer referenced get a run as well. A resync calls `f` once.
[[nodiscard]] enqueue enqueue_mapped(callback<void(const object&, key_sink)> f);
/// The same for a source whose objects are of this kind.
template<class Kind>
[[nodiscard]] enqueue enqueue_mapped(callback<void(const typed_object<Kind>&, key_sink)> f)
{
    return enqueue_mapped([f = std::move(f)](const object& o, key_sink out) { f(typed_object<Kind>(o), out); });
}

} // namespace kubecoro
