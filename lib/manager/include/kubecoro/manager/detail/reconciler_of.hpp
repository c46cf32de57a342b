#pragma once
// Makes a reconciler of keys from what users write.

#include <kubecoro/api/typed_object.hpp>
#include <kubecoro/cache/lister.hpp>
#include <kubecoro/controller/detail/key_scope.hpp>
#include <kubecoro/controller/enqueue.hpp>
#include <kubecoro/controller/reconciler.hpp>

#include <boost/asio/awaitable.hpp>

#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace kubecoro::detail {

template<class R, class T>
concept reconciles_objects =
    std::is_invocable_r_v<boost::asio::awaitable<result<action>>, R&, const object_handle<T>&, reconcile_context&>;
template<class R>
concept reconciles_keys =
    std::is_invocable_r_v<boost::asio::awaitable<result<action>>, R&, const object_key&, reconcile_context&>;
// Whether it takes keys is not asked if it takes objects: the body of a lambda with `auto` would be compiled for keys.
template<class R, class T>
concept reconciles = reconciles_objects<R, T> || reconciles_keys<R>;

// The coroutines share ownership of the reconciler, so that it may be of any type and have any members.
template<class T, class R>
boost::asio::awaitable<result<action>> reconcile_stored(std::shared_ptr<R> reconcile, object_handle<T> found,
                                                        reconcile_context& context)
{
    co_return co_await (*reconcile)(found, context);
}
template<class Collection, class R>
boost::asio::awaitable<result<action>> reconcile_element(std::shared_ptr<R> reconcile,
                                                         typename Collection::shared found, reconcile_context& context)
{
    if (!found) co_return action::done();
    co_return co_await (*reconcile)(found, context);
}
template<class R>
boost::asio::awaitable<result<action>> reconcile_key(std::shared_ptr<R> reconcile, const object_key& key,
                                                     reconcile_context& context)
{
    co_return co_await (*reconcile)(key, context);
}

/// A reconciler of objects is not called for keys that have none.
template<class T, class R>
[[nodiscard]] reconciler reconciler_of(R reconcile, lister<T> stored, resource_type kind)
{
    static_assert(reconciles<R, T>,
                  "a reconciler takes (const typed_object<T>&, reconcile_context&) or (const object_key&, "
                  "reconcile_context&), and returns asio::awaitable<result<action>>");
    auto kept = std::make_shared<R>(std::move(reconcile));
    if constexpr (reconciles_objects<R, T>) {
        return [kept, stored = std::move(stored), kind = std::move(kind)](const object_key& key,
                                                                          reconcile_context& context) {
            auto found = object_handle<T>(stored.get(key));
            if (!found) return run_without_object(key, kind);
            return reconcile_stored<T, R>(kept, std::move(found), context);
        };
    } else if constexpr (reconciles_keys<R>) {
        return
            [kept](const object_key& key, reconcile_context& context) { return reconcile_key<R>(kept, key, context); };
    } else {
        return {};
    }
}

/// Parses a key of a collection as that of an object.
[[nodiscard]] inline object_key key_of(std::string_view text)
{
    const auto end = text.find('/');
    if (end == std::string_view::npos) return {std::string(), text};
    return {text.substr(0, end), text.substr(end + 1)};
}

/// A reconciler of the elements of a collection is not called for keys that have none.
template<class Collection, class R>
[[nodiscard]] reconciler reconciler_of_elements(Collection of, R reconcile)
{
    using element = typename Collection::shared;
    constexpr bool takes_elements =
        std::is_invocable_r_v<boost::asio::awaitable<result<action>>, R&, const element&, reconcile_context&>;
    static_assert(
        takes_elements || reconciles_keys<R>,
        "a reconciler of a collection takes (const collection<T>::shared&, reconcile_context&) or (const object_key&, "
        "reconcile_context&), and returns asio::awaitable<result<action>>");
    auto kept = std::make_shared<R>(std::move(reconcile));
    return [kept, of = std::move(of)](const object_key& key, reconcile_context& context) {
        if constexpr (takes_elements)
            return reconcile_element<Collection, R>(kept, of.get(key), context);
        else
            return reconcile_key<R>(kept, key, context);
    };
}

template<class K>
inline constexpr bool may_name_a_key = false;
template<class K>
inline constexpr bool may_name_a_key<std::optional<K>> = std::convertible_to<const K&, object_key_view>;
/// A key, an optional one, or a range of keys.
template<class K>
concept names_keys = std::convertible_to<const K&, object_key_view> || may_name_a_key<K> || requires(const K& keys) {
    {
        *keys.begin()
    } -> std::convertible_to<object_key_view>;
    keys.end();
};
template<class Map, class... Args>
concept fills_sink = std::is_invocable_v<Map&, Args...> && std::is_void_v<std::invoke_result_t<Map&, Args...>>;
template<class Map, class... Args>
concept maps_to_keys =
    std::is_invocable_v<Map&, Args...> && names_keys<std::remove_cvref_t<std::invoke_result_t<Map&, Args...>>>;

/// Calls a map function: one that takes a sink, or one that returns a key or keys.
template<class T, class Map>
[[nodiscard]] enqueue enqueue_by(Map map)
{
    if constexpr (std::is_convertible_v<Map, enqueue>) {
        return map;
    } else {
        // A value returned beside the sink would be dropped, and a coroutine would never begin.
        constexpr bool fills = fills_sink<Map, const object_handle<T>&, key_sink>;
        constexpr bool returns = maps_to_keys<Map, const object_handle<T>&>;
        static_assert(fills || returns,
                      "a map function takes (const typed_object<T>&, key_sink) and returns nothing, or takes a "
                      "typed_object and returns an object_key, an optional one or a range of them; it is no coroutine");
        const auto kept = std::make_shared<Map>(std::move(map));
        return enqueue_mapped([kept](const object& o, key_sink out) {
            const object_handle<T> typed(o);
            if constexpr (fills) {
                (*kept)(typed, out);
            } else if constexpr (returns) {
                const auto keys = (*kept)(typed);
                if constexpr (std::is_convertible_v<decltype(keys), object_key_view>)
                    out(keys);
                else if constexpr (may_name_a_key<std::remove_cvref_t<decltype(keys)>>) {
                    if (keys.has_value()) out(*keys);
                } else
                    for (const auto& key : keys) out(key);
            }
        });
    }
}

} // namespace kubecoro::detail
