#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/cache/notification.hpp>

#include <functional>
#include <string_view>

namespace kubecoro {

class key_batch;

/// Takes the keys that an event concerns. Borrowed: valid during the call only; the text is copied.
class key_sink
{
public:
    explicit key_sink(key_batch& out) noexcept : out_(&out) {}
    void operator()(object_key_view key) const;
    /// @param ns  Empty for cluster-scoped objects.
    void operator()(std::string_view ns, std::string_view name) const { (*this)({ns, name}); }

private:
    key_batch* out_;
};

/** Says which keys an event concerns: any number, none included, the same one as often as it likes.

    Called in order, from one coroutine per source; must not block. What it throws is counted and logged with the
    object; the keys it had named before stay, and the next event follows. */
using enqueue = std::function<void(const notification&, key_sink)>;

/// The object's own key.
[[nodiscard]] enqueue enqueue_object();

/// Options of enqueue_owner().
struct owner_options
{
    /// Only the owner that controls the object (`controller: true`), of which there is at most one. False = every owner.
    bool controller_only = true;
};

/** The keys of the object's owners of this group and kind, whatever version their reference names; of an update, those
    before and after. An owner has the object's namespace, or none when `owner` is not namespaced. */
[[nodiscard]] enqueue enqueue_owner(resource_type owner, owner_options options = {});
/// The same for a kind with a C++ type.
template<class Kind>
[[nodiscard]] enqueue enqueue_owner(owner_options options = {})
{
    return enqueue_owner(Kind::resource(), options);
}

/// The keys that `f` names for the object; of an update, for the one before and the one after, so that what an object no
/// longer points at hears of it. A resync is asked about once.
[[nodiscard]] enqueue enqueue_mapped(std::function<void(const object&, key_sink)> f);

} // namespace kubecoro
