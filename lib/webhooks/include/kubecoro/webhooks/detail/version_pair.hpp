// Converts objects between two versions of a kind that have structs, by functions of a program.
#pragma once

#include <kubecoro/api/detail/struct_type.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/json/fwd.hpp>

#include <functional>
#include <type_traits>
#include <utility>

namespace kubecoro::detail {

/// One direction of a conversion. A value.
struct version_step
{
    const struct_type* from;
    const struct_type* to;
    /// Calls `use` with a new struct of each version, which live until it returns.
    std::function<result<>(const std::function<result<>(void* from, void* to)>& use)> with_structs;
    /// The function of the program: changes the second struct, which has the fields that both versions have.
    std::function<result<>(const void* from, void* to)> change;
};

/** Converts an object. It gets the fields that both versions have with the same name and a type of the same form; then what
    the function says, and of the fields that the other version has not those that the struct always writes. Fields that neither struct knows stay where they are. Metadata is that of the object, but for labels
    and annotations, which the function may change.

    Errors: those of the function; cond::invalid for an object of another version. */
[[nodiscard]] result<boost::json::object> convert(const version_step& step, const boost::json::object& from);

template<class F, class From, class To>
concept converts_structs =
    std::is_invocable_r_v<void, F&, const From&, To&> || std::is_invocable_r_v<result<>, F&, const From&, To&>;

template<class From, class To, converts_structs<From, To> F>
[[nodiscard]] version_step make_version_step(F f)
{
    return {&struct_of<From>(), &struct_of<To>(),
            [](const auto& use) {
                From from{};
                To to{};
                return use(&from, &to);
            },
            [f = std::move(f)](const void* from, void* to) mutable -> result<> {
                if constexpr (std::is_convertible_v<std::invoke_result_t<F&, const From&, To&>, result<>>)
                    return f(*static_cast<const From*>(from), *static_cast<To*>(to));
                else
                    f(*static_cast<const From*>(from), *static_cast<To*>(to));
                return {};
            }};
}

} // namespace kubecoro::detail
