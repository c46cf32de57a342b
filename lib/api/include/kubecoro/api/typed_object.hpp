#pragma once

#include <kubecoro/api/detail/struct_type.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/api/view.hpp>

#include <type_traits>
#include <utility>

namespace kubecoro {

/** An object of kind T: the handle of an `object`, with typed access.

        typed_object<core_v1::pod> pod = pods.get(key);
        if (pod && pod->spec().nodeName().empty()) ...

    Copying copies the handle. It keeps the object alive; views that it returns do not, so that `->` and `*` of a
    temporary do not compile: give the object a name first. Null if default-constructed; a null object reads as one
    without fields. */
template<class T>
class typed_object
{
public:
    /// The type of the kind.
    using type = T;

    typed_object() noexcept = default;
    /// @param o  An object of kind T; the caller has checked it. Null is allowed.
    explicit typed_object(object o) noexcept : object_(std::move(o)) {}

    /// False for a null handle.
    explicit operator bool() const noexcept { return static_cast<bool>(object_); }

    /// Reads the object in place.
    [[nodiscard]] view<T> operator*() const& noexcept KUBECORO_LIFETIME_BOUND { return view<T>(object_.root()); }
    /// Reads the object in place: `pod->spec().nodeName()`.
    [[nodiscard]] auto operator->() const& noexcept KUBECORO_LIFETIME_BOUND
    {
        static_assert(
            requires { sizeof(view<T>); }, "only generated types have views: use read_struct(pod), or untyped()");
        return arrow{**this};
    }
    /// Does not compile: the view would outlive the object.
    template<class U = T>
    view<U> operator*() const&&
    {
        static_assert(refuse<U>, "the view would outlive the object: give it a name first, auto pod = pods.get(key);");
    }
    /// Does not compile: the view would outlive the object.
    template<class U = T>
    const view<U>* operator->() const&&
    {
        static_assert(refuse<U>, "the view would outlive the object: give it a name first, auto pod = pods.get(key);");
    }

    /// The object without its type.
    [[nodiscard]] const object& untyped() const& noexcept KUBECORO_LIFETIME_BOUND { return object_; }
    /// The object without its type.
    [[nodiscard]] object untyped() && noexcept { return std::move(object_); }
    /// Goes wherever an object goes.
    operator const object&() const& noexcept KUBECORO_LIFETIME_BOUND { return object_; }
    /// The same for a temporary.
    operator object() && noexcept { return std::move(object_); }

    // As in `object`. Except for uid() and annotations() these do not expand a compressed object, unlike `->`.
    /// metadata.namespace; empty for cluster-scoped objects.
    [[nodiscard]] std::string_view ns() const& noexcept KUBECORO_LIFETIME_BOUND { return object_.ns(); }
    /// metadata.name.
    [[nodiscard]] std::string_view name() const& noexcept KUBECORO_LIFETIME_BOUND { return object_.name(); }
    /// Namespace and name.
    [[nodiscard]] object_key_view key() const& noexcept KUBECORO_LIFETIME_BOUND { return object_.key(); }
    /// metadata.resourceVersion, as text.
    [[nodiscard]] std::string_view resource_version() const& noexcept KUBECORO_LIFETIME_BOUND
    {
        return object_.resource_version();
    }
    /// metadata.uid.
    [[nodiscard]] std::string_view uid() const& noexcept KUBECORO_LIFETIME_BOUND { return object_.uid(); }
    /// metadata.labels; absent when there are none.
    [[nodiscard]] value_view labels() const& noexcept KUBECORO_LIFETIME_BOUND { return object_.labels(); }
    /// metadata.annotations; absent when there are none.
    [[nodiscard]] value_view annotations() const& noexcept KUBECORO_LIFETIME_BOUND { return object_.annotations(); }
    /// 0 when the kind has none.
    [[nodiscard]] std::int64_t generation() const noexcept { return object_.generation(); }
    /// True if metadata.deletionTimestamp is set: finalizers delay the deletion.
    [[nodiscard]] bool being_deleted() const noexcept { return object_.being_deleted(); }

    // Deleted for temporaries, whose text would dangle: give the object a name first.
    std::string_view ns() const&& = delete;
    std::string_view name() const&& = delete;
    object_key_view key() const&& = delete;
    std::string_view resource_version() const&& = delete;
    std::string_view uid() const&& = delete;
    value_view labels() const&& = delete;
    value_view annotations() const&& = delete;

private:
    template<class>
    static constexpr bool refuse = false;

    struct arrow
    {
        view<T> at;
        const view<T>* operator->() const noexcept { return &at; }
    };

    object object_;
};

namespace detail {

/// How objects of kind T are held: as typed_object<T>, or as `object` where T is `object`, for untyped use.
template<class T>
using object_handle = std::conditional_t<std::is_same_v<T, object>, object, typed_object<T>>;

/// Kind itself if it is a struct that is generated or described, else `object`.
template<class Kind>
using handled_kind = std::conditional_t<known_struct<Kind>, Kind, object>;

inline const object& untyped(const object& o) noexcept { return o; }
template<class T>
const object& untyped(const typed_object<T>& o) noexcept
{
    return o.untyped();
}

} // namespace detail
} // namespace kubecoro
