#pragma once

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/result.hpp>

#include <concepts>
#include <exception>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace kubecoro {
class manager;
}

namespace kubecoro::detail {

/// Fills a manager: a function of `manager&`, or of `manager&` and `More`, that returns nothing or result<>. Implicit, so that
/// callers pass the callable itself.
template<class... More>
class setup_function
{
public:
    /// Keeps a callable, which need not be copyable.
    template<class F>
        requires(!std::same_as<std::remove_cvref_t<F>, setup_function> &&
                 (std::is_invocable_v<std::decay_t<F>&, manager&> ||
                  std::is_invocable_v<std::decay_t<F>&, manager&, More...>))
    // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the constraint leaves copying and moving alone
    setup_function(F&& f)
    {
        kept_ = [kept = std::make_shared<std::decay_t<F>>(std::forward<F>(f))](manager& m, More... more) -> result<> {
            const auto fill = [&] {
                if constexpr (std::is_invocable_v<std::decay_t<F>&, manager&, More...>)
                    return (*kept)(m, more...);
                else
                    return (*kept)(m);
            };
            // Anything else would be dropped: a failure of another result, or a coroutine that never begins.
            static_assert(std::is_void_v<decltype(fill())> || std::is_convertible_v<decltype(fill()), result<>>,
                          "the set-up of a manager returns nothing or kubecoro::result<>; coroutines are for "
                          "manager::run()");
            if constexpr (std::is_convertible_v<decltype(fill()), result<>>)
                return fill();
            else
                fill();
            return {};
        };
    }
    /// Calls it. Exceptions become failures.
    [[nodiscard]] result<> operator()(manager& m, More... more) const
    {
        try {
            return kept_(m, more...);
        } catch (...) {
            return to_failure(std::current_exception());
        }
    }

private:
    std::function<result<>(manager&, More...)> kept_;
};

/// The set-up of a manager alone.
using manager_setup = setup_function<>;

} // namespace kubecoro::detail
