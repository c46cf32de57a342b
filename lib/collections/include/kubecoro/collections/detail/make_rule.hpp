#pragma once
// From what users write to rules of the engine.

#include <kubecoro/base/callback.hpp>
#include <kubecoro/collections/collection.hpp>
#include <kubecoro/collections/live_queries.hpp>
#include <kubecoro/collections/look.hpp>

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubecoro::detail {

template<class F, class... Args>
concept computes_with_look = std::is_invocable_v<F&, const Args&..., look&>;
template<class F, class... Args>
concept computes = computes_with_look<F, Args...> || std::is_invocable_v<F&, const Args&...>;

template<class F, class... Args>
constexpr void expect_computes()
{
    static_assert(
        computes<F, Args...>,
        "the function takes an element of its input (that of a group_by: the name and the elements), and then "
        "auto& look, if it reads other collections");
}

/// Calls a function of a user, with `look` if it takes one.
template<class F, class... Args>
decltype(auto) compute(F& f, look& reads, const Args&... args)
{
    if constexpr (computes_with_look<F, Args...>)
        return f(args..., reads);
    else
        return f(args...);
}
template<class F, class... Args>
using computed =
    std::remove_cvref_t<decltype(compute(std::declval<F&>(), std::declval<look&>(), std::declval<const Args&>()...))>;

template<class T>
[[nodiscard]] item_kind kind_of(const collection_options<T>& options)
{
    static_assert(
        is_handle<T> || std::equality_comparable<T>,
        "a collection<T> is of values that can be compared with ==: bool operator==(const T&) const = default;");
    item_kind out;
    out.equal = live_element<T>::equal;
    if constexpr (is_handle<T>)
        out.labels = [](const void* o, object&) -> const object& { return *static_cast<const object*>(o); };
    else if (options.labels)
        out.labels = [labels = options.labels](const void* o, object& made) -> const object& {
            return made = object_with_labels(labels(live_element<T>::view(o)));
        };
    for (const auto& [name, f] : options.indexes) out.shown_indexes.push_back(name);
    out.index = [indexes = options.indexes](std::string_view name) -> item_index {
        const auto found = indexes.find(std::string(name));
        if (found == indexes.end()) return {};
        return [f = found->second](const void* o) { return f(live_element<T>::view(o)); };
    };
    return out;
}

/// A result is a T, or an optional one.
template<class T, class R>
[[nodiscard]] live_item item_of(R&& result)
{
    if constexpr (std::is_constructible_v<std::optional<T>, R&&> && !std::is_same_v<std::remove_cvref_t<R>, T>) {
        std::optional<T> kept(std::forward<R>(result));
        return kept ? live_element<T>::keep(*std::move(kept)) : nullptr;
    } else {
        return live_element<T>::keep(std::forward<R>(result));
    }
}

template<class T>
[[nodiscard]] collection<T> make(live_queries& live, const collection_options<T>& options,
                                 std::vector<live_source> primaries, compute_function f, bool keyed)
{
    return collection<T>(add_rule(live.engine(), {.name = options.name,
                                                  .kind = kind_of<T>(options),
                                                  .primaries = std::move(primaries),
                                                  .compute = std::move(f),
                                                  .keyed = keyed}));
}

/// Whether a function of a user returns a T, or an optional one.
template<class R, class T>
concept result_of = std::convertible_to<R, T> || std::convertible_to<R, std::optional<T>>;

} // namespace kubecoro::detail
