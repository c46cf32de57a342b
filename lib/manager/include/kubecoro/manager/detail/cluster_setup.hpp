#pragma once

#include <kubecoro/base/result.hpp>

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace kubecoro {
class manager;
}

namespace kubecoro::detail {

/// Fills the manager of a cluster.
using cluster_setup = std::function<result<>(manager&)>;

/// Keeps a function that returns nothing or result<>, of any type.
template<class Setup>
[[nodiscard]] cluster_setup cluster_setup_of(Setup setup)
{
    static_assert(std::is_invocable_v<Setup&, manager&>, "the set-up of a cluster takes (kubecoro::manager&)");
    auto kept = std::make_shared<Setup>(std::move(setup));
    return [kept](manager& m) -> result<> {
        if constexpr (!std::is_invocable_v<Setup&, manager&>) {
            return {};
        } else if constexpr (std::is_same_v<std::invoke_result_t<Setup&, manager&>, result<>>) {
            return (*kept)(m);
        } else {
            static_assert(std::is_void_v<std::invoke_result_t<Setup&, manager&>>,
                          "the set-up of a cluster returns nothing or kubecoro::result<>");
            (*kept)(m);
            return {};
        }
    };
}

} // namespace kubecoro::detail
