#pragma once
// Runs coroutines of base on a plain io_context: the testing module's runner depends on base and cannot test it.

#include <kubecoro/base/result.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <memory>
#include <optional>

namespace kubecoro::test {

namespace asio = boost::asio;

/// The outcome of one spawned coroutine.
template<class T>
struct spawned
{
    std::optional<T> value;
    std::exception_ptr thrown;
    asio::cancellation_signal signal;
    bool done = false;
    void cancel() { signal.emit(asio::cancellation_type::terminal); }
};

template<class T>
std::shared_ptr<spawned<T>> start(asio::io_context& context, asio::awaitable<T> task)
{
    auto out = std::make_shared<spawned<T>>();
    auto done = [out](std::exception_ptr thrown, T value) {
        out->done = true;
        out->thrown = thrown;
        if (!thrown) out->value = std::move(value);
    };
    // With the executor of the handler, a coroutine may be cancelled before its start: docs/traps.md.
    asio::co_spawn(context, std::move(task),
                   asio::bind_cancellation_slot(out->signal.slot(), asio::bind_executor(context.get_executor(), done)));
    return out;
}

/// Runs all ready handlers, without waiting.
inline void drain(asio::io_context& context)
{
    context.restart();
    context.poll();
}

} // namespace kubecoro::test
