#pragma once
// The ways in which a coroutine of a program can change the state of the chain in which it runs.

#include <kubecoro/base/catch_failure.hpp>

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>

namespace kubecoro::test {

enum class tamper
{
    /// After a cancellation no co_await throws.
    finish,
    /// No cancellation arrives.
    disable,
    /// A cancellation that has arrived is forgotten.
    forget,
    all
};

inline constexpr tamper ways_to_tamper[] = {tamper::finish, tamper::disable, tamper::forget, tamper::all};

/// A statement of the coroutine that tampers: what a coroutine does to its chain, another one cannot do for it after a
/// cancellation.
#define KUBECORO_TEST_TAMPER(how)                                                                                      \
    do {                                                                                                               \
        using kubecoro::test::tamper;                                                                                  \
        const tamper chosen = how;                                                                                     \
        if (chosen == tamper::finish || chosen == tamper::all) co_await kubecoro::finish_despite_cancellation();       \
        if (chosen == tamper::forget) co_await boost::asio::this_coro::reset_cancellation_state();                     \
        if (chosen == tamper::disable || chosen == tamper::all)                                                        \
            co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::disable_cancellation());            \
    } while (false)

} // namespace kubecoro::test
