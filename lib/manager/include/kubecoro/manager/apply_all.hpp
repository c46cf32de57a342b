#pragma once

#include <kubecoro/client/typed_client.hpp>
#include <kubecoro/collections/collection.hpp>
#include <kubecoro/manager/manager.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro {

/// Options of apply_all().
struct apply_all_options
{
    /// The owner: the value of the label, and the field manager. Required, unique in the cluster, a valid value of a label.
    std::string owner = {};
    /// Takes fields from other managers instead of failing with a conflict.
    bool force = false;
    /// Options of the controller, whose name is `owner` if it is empty.
    control_options control = {};
};

namespace detail {

/// The objects that are to exist, without their type.
struct desired_objects
{
    resource_type resource;
    /// The JSON of an object; nothing if it is not to exist.
    std::function<std::optional<std::string>(const object_key&)> body;
    std::function<boost::asio::awaitable<result<>>()> synced;
    /// Whether some result is missing because its function throws.
    std::function<bool()> stale;
};
[[nodiscard]] managed_controller apply_desired(manager& m, desired_objects what, apply_all_options options);

} // namespace detail

/** Keeps the objects of a collection in the cluster: an element is applied by server-side apply, with its owner in the label
    `app.kubernetes.io/managed-by`; an object with that label that is not in the collection is deleted, also one of an earlier run. Others
    are never touched: an element whose object exists with another owner fails with cond::conflict, and is tried again.

        apply_all(m, config_maps, {.owner = "shop-operator"});

    Nothing happens before the collection has synced, and nothing is deleted while a result of it, or of a collection that it is computed from,
    is stale (collection::stale()), since it could be missing for that reason alone. Runs as a controller of the manager: in the leader, with
    its retries. Needs the rights to list, watch, get, patch and delete the kind.

    @param desired  Structs of a kind, each under the key "namespace/name" of its object, or "name". */
template<class T>
managed_controller apply_all(manager& m, const collection<T>& desired, apply_all_options options)
{
    static_assert(
        requires { T::resource(); },
        "apply_all() takes a collection of structs of a kind, such as core_v1::config_map");
    auto made = detail::apply_desired(m,
                                      {.resource = T::resource(),
                                       .body = [desired](const object_key& key) -> std::optional<std::string> {
                                           const auto wanted = desired.get(key);
                                           return wanted ? std::optional(to_text(*wanted)) : std::nullopt;
                                       },
                                       .synced = [desired] { return desired.has_synced(); },
                                       .stale = [desired] { return detail::any_stale(*desired.table()); }},
                                      std::move(options));
    desired.add_event_handler([made](const collection_change<T>& c) { made.trigger(detail::key_of(c.key)); });
    return made;
}

} // namespace kubecoro
