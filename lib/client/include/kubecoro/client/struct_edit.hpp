#pragma once
// Edits of structs for create_or_update() and its like.

#include <kubecoro/api/detail/struct_type.hpp>
#include <kubecoro/api/detail/typed_outcome.hpp>
#include <kubecoro/api/edit.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/writing.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/json/fwd.hpp>

#include <chrono>
#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

namespace kubecoro {

namespace detail {

/// Reads the object into the struct, lets it be changed, and changes the object in the same way.
[[nodiscard]] result<> edit_as_struct(const struct_type& type, void* value, const std::function<result<>()>& change,
                                      boost::json::object& o);
/// Makes the changes that lead from `before` to `after`. A part that is new in `after` may hold members that no struct knows.
void bring_over(const boost::json::object& before, const boost::json::object& after, boost::json::object& o);
/// Copies the struct with one more owner.
void copy_with_owner(const struct_type& type, const void* from, void* to, const object& owner, bool is_controller,
                     bool blocks_deletion);

} // namespace detail

/** Changes an object as a struct before it is written: a function of `T&` that returns nothing, bool (which is ignored) or
    result<>. As object_edit, with the same rules.

    The object gets the changes, and keeps what the struct does not know, with or without `other_fields`; but of a list
    that changed it keeps the struct's items only. */
template<class T>
class struct_edit
{
public:
    /// Keeps a callable. Implicit, so that callers pass the callable itself.
    template<class F>
        requires(!std::same_as<std::remove_cvref_t<F>, struct_edit> && std::is_invocable_v<F&, T&>)
    // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the constraint leaves copying and moving alone
    struct_edit(F&& f) : edit_(on_json(kept<std::decay_t<F>>{std::forward<F>(f)}))
    {
    }
    /// The same edit of JSON.
    [[nodiscard]] object_edit untyped() && { return std::move(edit_); }

private:
    template<class F>
    struct kept
    {
        result<> operator()(boost::json::object& o)
        {
            using outcome = std::invoke_result_t<F&, T&>;
            static_assert(detail::is_edit_outcome<outcome>,
                          "an edit returns nothing, bool or result<>, and is no coroutine: read what it needs before");
            static_assert(detail::edits_in_place<F, T>,
                          "an edit takes the struct by reference, T&: changes of a copy would be lost");
            T value = T();
            const auto change = [&]() -> result<> {
                if constexpr (std::is_convertible_v<outcome, result<>> && !std::is_same_v<outcome, bool>)
                    return call(value);
                else
                    call(value);
                return {};
            };
            return detail::edit_as_struct(detail::struct_of<T>(), &value, change, o);
        }
        F call;
    };
    template<class F>
    static object_edit on_json(F f)
    {
        return object_edit(f);
    }

    object_edit edit_;
};

/// As set_controller_reference() of JSON, for the struct of a kind.
template<detail::known_struct T>
void set_controller_reference(const object& owner, T& dependent, bool blocks_deletion = true)
{
    T with_owner{};
    detail::copy_with_owner(detail::struct_of<T>(), &dependent, &with_owner, owner, true, blocks_deletion);
    dependent = std::move(with_owner);
}
/// As set_owner_reference() of JSON, for the struct of a kind.
template<detail::known_struct T>
void set_owner_reference(const object& owner, T& dependent, bool blocks_deletion = false)
{
    T with_owner{};
    detail::copy_with_owner(detail::struct_of<T>(), &dependent, &with_owner, owner, false, blocks_deletion);
    dependent = std::move(with_owner);
}

/// As is_controlled_by() of objects, for the struct of a kind. In an edit it tells one's own object from another one of that
/// name, which set_controller_reference() would take over unless it has a controller.
template<detail::known_struct T>
    requires requires(const T& dependent) { dependent.metadata.ownerReferences.begin(); }
[[nodiscard]] bool is_controlled_by(const T& dependent, const object& owner) noexcept
{
    for (const auto& reference : dependent.metadata.ownerReferences)
        if (reference.controller.value_or(false) && reference.uid && owner.has_uid(*reference.uid)) return true;
    return false;
}

/// As the other get_or_none(), for a kind that has a C++ type: `get_or_none<core_v1::pod>(cluster, key)`.
template<class T>
[[nodiscard]] boost::asio::awaitable<result<typed_object<T>>> get_or_none(client c, object_key key)
{
    return detail::typed_outcome<T>(get_or_none(std::move(c), T::resource(), std::move(key)));
}
/// As the other remove_and_wait(), for a kind that has a C++ type.
template<class T>
[[nodiscard]] boost::asio::awaitable<result<>> remove_and_wait(client c, object_key key, delete_options options = {},
                                                               saturating_duration limit = std::chrono::minutes{1})
{
    return remove_and_wait(std::move(c), T::resource(), std::move(key), std::move(options), limit);
}

/// As create_or_update() of JSON, with an edit of the kind's struct:
/// `create_or_update<core_v1::config_map>(cluster, key, [](core_v1::config_map& m) { m.data["a"] = "1"; })`.
template<class T>
[[nodiscard]] boost::asio::awaitable<result<written>> create_or_update(client c, object_key key, struct_edit<T> edit,
                                                                       edit_options how = {})
{
    return create_or_update(std::move(c), T::resource(), std::move(key), std::move(edit).untyped(), std::move(how));
}
/// As create_or_patch() of JSON, with an edit of the kind's struct.
template<class T>
[[nodiscard]] boost::asio::awaitable<result<written>> create_or_patch(client c, object_key key, struct_edit<T> edit,
                                                                      edit_options how = {})
{
    return create_or_patch(std::move(c), T::resource(), std::move(key), std::move(edit).untyped(), std::move(how));
}
/// As retry_on_conflict() of JSON, with an edit of the kind's struct.
template<class T>
[[nodiscard]] boost::asio::awaitable<result<written>> retry_on_conflict(client c, object_key key, struct_edit<T> edit,
                                                                        edit_options how = {})
{
    return retry_on_conflict(std::move(c), T::resource(), std::move(key), std::move(edit).untyped(), std::move(how));
}
/// As edit_status() of JSON, with an edit of the kind's struct:
/// `edit_status<website>(cluster, site, [&](website& s) { set_condition(s, ready, now); })`.
template<class T>
[[nodiscard]] boost::asio::awaitable<result<written>> edit_status(client c, object o, struct_edit<T> edit,
                                                                  edit_options how = {})
{
    return edit_status(std::move(c), std::move(o), std::move(edit).untyped(), std::move(how));
}

} // namespace kubecoro
