// Makes handlers of reviews from the functions that programs write.
#pragma once

#include <kubecoro/api/described.hpp>
#include <kubecoro/api/structs.hpp>
#include <kubecoro/api/typed_object.hpp>
#include <kubecoro/api/validation.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/webhooks/admission.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/json/fwd.hpp>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace kubecoro::detail {

/// The outcome of a handler.
struct admission_outcome
{
    verdict answer = {};
    /// A JSON patch as text; empty = none.
    std::string patch = {};
};

/// Reviews a request, which outlives the coroutine. A failure is one of the webhook, not of the request.
struct admission_handler
{
    std::function<boost::asio::awaitable<result<admission_outcome>>(const admission_request&)> call = {};
    /// False: it never suspends, so that a time limit could not end it.
    bool waits = true;
};

/// A handler that checks objects with a schema and its rules. Throws error with what cel::object_validator::of() finds.
[[nodiscard]] admission_handler schema_validator(object_schema schema);

/// Whether a failure refuses the request: it is about the object, and not about something that the webhook has asked for.
[[nodiscard]] bool is_refusal(const failure& why) noexcept;

/// The patch that an edit of the struct makes of the object; empty if there is none. A value that JSON does not have is a
/// failure. @param unedited, edited  Structs of that type.
[[nodiscard]] result<std::string> patch_of_edit(const struct_type& type, const object& before, const void* unedited,
                                                const void* edited);

template<class R>
struct awaited
{
    using type = R;
    static constexpr bool is_coroutine = false;
};
template<class R>
struct awaited<boost::asio::awaitable<R>>
{
    using type = R;
    static constexpr bool is_coroutine = true;
};

inline result<verdict> as_verdict(verdict v) { return v; }
inline result<verdict> as_verdict(result<verdict> v)
{
    if (!v && is_refusal(v.error())) return verdict::denied(v.error());
    return v;
}
inline result<verdict> as_verdict(const result<>& done)
{
    if (done) return verdict::allowed();
    return as_verdict(result<verdict>(done.error()));
}

template<class R>
concept is_hook_outcome = std::is_void_v<R> || std::is_same_v<R, verdict> || std::is_same_v<R, result<verdict>> ||
                          std::is_same_v<R, result<>>;

/// Calls a function or coroutine, whose arguments outlive it.
template<class F, class... Args>
boost::asio::awaitable<result<verdict>> call_hook(F& f, Args&... args)
{
    using outcome = awaited<std::invoke_result_t<F&, Args&...>>;
    static_assert(is_hook_outcome<typename outcome::type>,
                  "a webhook returns nothing, verdict, result<> or result<verdict>, or an awaitable of these");
    if constexpr (std::is_void_v<typename outcome::type>) {
        if constexpr (outcome::is_coroutine)
            co_await f(args...);
        else
            f(args...);
        co_return verdict::allowed();
    } else if constexpr (outcome::is_coroutine) {
        co_return as_verdict(co_await f(args...));
    } else {
        co_return as_verdict(f(args...));
    }
}

template<class T, class F>
boost::asio::awaitable<result<admission_outcome>> validate(std::shared_ptr<F> f, const admission_request& r)
{
    const admission<T> asked{object_handle<T>(r.now), object_handle<T>(r.before), r};
    admission_outcome out;
    if constexpr (std::is_invocable_v<F&, const admission<T>&>) {
        KUBECORO_TRY(out.answer, co_await call_hook(*f, asked));
    } else {
        // A function would not see a value that the struct cannot hold.
        const auto subject = read_struct<T>(r.now ? r.now : r.before, struct_rules::fitting);
        if (!subject) {
            out.answer = verdict::denied(subject.error());
        } else if constexpr (std::is_invocable_v<F&, const T&, const admission<T>&>) {
            KUBECORO_TRY(out.answer, co_await call_hook(*f, *subject, asked));
        } else {
            KUBECORO_TRY(out.answer, co_await call_hook(*f, *subject));
        }
    }
    co_return out;
}

template<class T, class F>
boost::asio::awaitable<result<admission_outcome>> mutate(std::shared_ptr<F> f, const admission_request& r)
{
    const admission<T> asked{object_handle<T>(r.now), object_handle<T>(r.before), r};
    admission_outcome out;
    const auto before = read_struct<T>(r.now, struct_rules::fitting);
    if (!before) {
        out.answer = verdict::denied(before.error());
        co_return out;
    }
    T subject = *before;
    if constexpr (std::is_invocable_v<F&, T&, const admission<T>&>) {
        KUBECORO_TRY(out.answer, co_await call_hook(*f, subject, asked));
    } else {
        KUBECORO_TRY(out.answer, co_await call_hook(*f, subject));
    }
    if (!out.answer.is_allowed()) co_return out;
    KUBECORO_TRY(out.patch, patch_of_edit(struct_of<T>(), r.now, &*before, &subject));
    co_return out;
}

/// Whether a function that is called with the object, the request or both returns an awaitable.
template<class F, class Object, class Asked>
[[nodiscard]] constexpr bool is_coroutine() noexcept
{
    if constexpr (std::is_invocable_v<F&, Asked>)
        return awaited<std::invoke_result_t<F&, Asked>>::is_coroutine;
    else if constexpr (std::is_invocable_v<F&, Object, Asked>)
        return awaited<std::invoke_result_t<F&, Object, Asked>>::is_coroutine;
    else
        return awaited<std::invoke_result_t<F&, Object>>::is_coroutine;
}

template<class T, class F>
[[nodiscard]] admission_handler validator_of(F f)
{
    return {[f = std::make_shared<F>(std::move(f))](const admission_request& r) { return validate<T>(f, r); },
            is_coroutine<F, const T&, const admission<T>&>()};
}
template<class T, class F>
[[nodiscard]] admission_handler mutator_of(F f)
{
    return {[f = std::make_shared<F>(std::move(f))](const admission_request& r) { return mutate<T>(f, r); },
            is_coroutine<F, T&, const admission<T>&>()};
}

template<class F, class T>
concept validates_kind = std::is_invocable_v<F&, const admission<T>&> || std::is_invocable_v<F&, const T&> ||
                         std::is_invocable_v<F&, const T&, const admission<T>&>;
/// By reference: changes of a copy would be lost.
template<class F, class T>
concept mutates_kind =
    (std::is_invocable_v<F&, T&> || std::is_invocable_v<F&, T&, const admission<T>&>)&&!std::is_invocable_v<F&, T&&> &&
    !std::is_invocable_v<F&, T&&, const admission<T>&>;

} // namespace kubecoro::detail
