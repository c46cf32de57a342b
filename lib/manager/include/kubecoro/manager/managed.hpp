#pragma once

#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/manager/detail/reconciler_of.hpp>
#include <kubecoro/manager/manager_options.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro {

namespace detail {
class manager_engine;
class managed_part;
} // namespace detail

/** A handle to one part of a manager. Cheap; copies refer to the same part. Destroying it changes nothing.

    Thread safe. A default-constructed handle counts as removed. */
class managed
{
public:
    managed() = default;
    /// Used by the manager.
    managed(std::weak_ptr<detail::manager_engine> engine, std::shared_ptr<detail::managed_part> part);

    /// Its name.
    [[nodiscard]] std::string name() const;
    /// Stops the part, and takes it off the manager. Returns at once. Idempotent.
    void remove() const;
    /** remove(), then completes when nothing of the part runs any more.

        Must not be awaited by the part itself.
        @par Cancellation  ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> removed() const;

protected:
    /// The manager's implementation; null when it is gone.
    [[nodiscard]] std::shared_ptr<detail::manager_engine> engine() const { return engine_.lock(); }
    /// The implementation; null for a handle of nothing.
    [[nodiscard]] const std::shared_ptr<detail::managed_part>& part() const noexcept { return part_; }

private:
    std::weak_ptr<detail::manager_engine> engine_;
    std::shared_ptr<detail::managed_part> part_;
};

/** A handle to a controller of a manager, which may get further sources at any time:

        m.control<gadget>(reconcile).owns<config_map>().watches<namespace_>(gadgets_of);

    Sources that are added after the manager has started get their events at once. */
class managed_controller : public managed
{
public:
    using managed::managed;

    /// Changes of objects of kind U lead to runs of the objects that own them, by their controller reference.
    template<class U>
    managed_controller owns(source_options options = {}) const
    {
        return owns(U::resource(), std::move(options));
    }
    /// The same for a kind without a C++ type.
    managed_controller owns(const resource_type& resource, source_options options = {}) const;

    /** Changes of objects of kind U lead to runs of the keys that `map` names: a function of (`const typed_object<U>&`,
        `key_sink`), one that returns an object_key, an optional one or a range of them, or an `enqueue`. For an update it is called with
        both states. */
    template<class U, class Map>
    managed_controller watches(Map map, source_options options = {}) const
    {
        return watches(U::resource(), detail::enqueue_by<detail::handled_kind<U>>(std::move(map)), std::move(options));
    }
    /// The same for a kind without a C++ type.
    managed_controller watches(const resource_type& resource, enqueue map, source_options options = {}) const;
    /** Declares that runs write objects of kind U, as manager::needs() with these verbs. The default is what create_or_update()
        and its like need, and removal. */
    template<class U>
    managed_controller writes(std::vector<std::string> verbs = {"get", "create", "update", "patch", "delete"}) const
    {
        return writes(U::resource(), std::move(verbs));
    }
    /// The same for a kind without a C++ type.
    managed_controller writes(const resource_type& resource, std::vector<std::string> verbs) const;
    /// Adds any informer of the manager, and gives the handle to remove it.
    event_source watch(const shared_informer<object>& informer, enqueue map, source_options options = {}) const;

    /// Requests a run of the key.
    void trigger(object_key_view key, int priority = priority::normal) const;
    /// A picture of the present state. Any thread.
    [[nodiscard]] controller_stats stats() const;
};

} // namespace kubecoro
