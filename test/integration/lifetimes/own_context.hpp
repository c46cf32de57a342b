#pragma once
// A context that is destroyed before the handles of a test.

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>

#include <optional>
#include <utility>

namespace lifetime_test {

namespace asio = boost::asio;
using kubecoro::cond;
using kubecoro::result;

/** An io_context of one thread with strands on it, the executors that depend most on their context. */
class own_context
{
public:
    [[nodiscard]] asio::any_io_executor executor() { return asio::make_strand(context_); }

    /// Runs a coroutine to its end, together with other ready work.
    template<class T>
    result<T> run(asio::awaitable<result<T>> work)
    {
        std::optional<result<T>> out;
        auto guarded = kubecoro::catch_failure(std::move(work));
        asio::co_spawn(asio::make_strand(context_), keep(std::move(guarded), out), asio::detached);
        context_.restart();
        while (!out && context_.run_one() != 0) {
        }
        return out ? std::move(*out) : result<T>(kubecoro::failure(cond::internal, "it waits forever"));
    }
    /// Runs ready work without waiting.
    void settle()
    {
        context_.restart();
        context_.poll();
    }

private:
    template<class T>
    static asio::awaitable<void> keep(asio::awaitable<result<T>> work, std::optional<result<T>>& out)
    {
        out.emplace(co_await std::move(work));
    }

    asio::io_context context_{1};
};

} // namespace lifetime_test
