#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <deque>
#include <functional>

namespace kubecoro::detail {

/// Number of objects that a turn may handle: a few hundred microseconds.
constexpr std::size_t objects_a_turn = 512;

/** Work on a strand that goes on in turns, so that it never holds up the strand for long.

    Between two turns other functions of the strand run. Those that need what the work is changing are given to call(),
    and wait in order until the work has ended. One work at a time. Strand-confined. */
class strand_turns
{
public:
    /// Calls a function on the strand, later. Must not throw: destructors give turns back. It calls close() when it fails.
    using poster = std::function<void(std::function<void()>)>;
    explicit strand_turns(poster post) : post_(std::move(post)) {}

    /// Calls `f` at once; while work is in progress, later.
    void call(std::function<void()> f);
    /// Calls `some` once a turn while it returns true. The first turn is this one. Only for functions inside call().
    void work(std::function<bool()> some);
    /// Drops the functions that wait: the strand runs no more, or its informer has ended.
    void close();

    // For the strand's coroutines, whose work begins with try_take() or take() and ends with give_back().
    /// @param first  Before the functions that wait.
    [[nodiscard]] bool try_take(bool first = false) noexcept;
    /// Waits until all that came before has ended. Errors: cond::cancelled.
    [[nodiscard]] boost::asio::awaitable<result<>> take();
    void give_back();

private:
    void go_on(const std::function<bool()>& some);
    void call_next();

    const poster post_;
    bool taken_ = false;
    /// The call of the next function is on its way.
    bool posted_ = false;
    std::deque<std::function<void()>> waiting_;
};

/// Gives the turn back at the end of a scope.
class turn_end
{
public:
    explicit turn_end(strand_turns& of) : of_(of) {}
    turn_end(const turn_end&) = delete;
    turn_end& operator=(const turn_end&) = delete;
    ~turn_end() { of_.give_back(); }

private:
    strand_turns& of_;
};

} // namespace kubecoro::detail
