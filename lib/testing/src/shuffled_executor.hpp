#pragma once
// An executor whose ready handlers run in an order drawn from a seed, like that of several threads.

#include <kubecoro/base/detail/random.hpp>

#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace kubecoro::testing {

/// Holds the ready handlers. Not thread safe.
class shuffled_handlers
{
public:
    explicit shuffled_handlers(std::uint64_t seed) : random_(seed) {}

    void push(std::function<void()> handler) { ready_.push_back(std::move(handler)); }

    /// @return whether a handler was ready.
    bool run_one()
    {
        if (ready_.empty()) return false;
        std::swap(ready_[random_() % ready_.size()], ready_.back());
        const auto handler = std::move(ready_.back());
        ready_.pop_back();
        handler();
        return true;
    }

    /// Destroys the ready handlers, and those that their destructors post.
    void clear()
    {
        while (!ready_.empty()) {
            const auto gone = std::exchange(ready_, {});
        }
    }

private:
    kubecoro::detail::random_source random_;
    std::vector<std::function<void()>> ready_;
};

/// Queues every handler. Claims blocking.possibly, like a thread pool, so that a strand over it runs handlers
/// dispatched from inside the strand at once. Strands keep the order of their handlers.
class shuffled_executor
{
public:
    using blocking = boost::asio::execution::blocking_t;

    shuffled_executor(boost::asio::execution_context& context, shuffled_handlers& ready) noexcept
        : context_(&context), ready_(&ready)
    {
    }

    [[nodiscard]] boost::asio::execution_context& query(boost::asio::execution::context_t) const noexcept
    {
        return *context_;
    }
    [[nodiscard]] blocking query(blocking) const noexcept
    {
        return never_ ? blocking(blocking::never) : blocking(blocking::possibly);
    }
    [[nodiscard]] shuffled_executor require(blocking::never_t) const noexcept { return with(true); }
    [[nodiscard]] shuffled_executor require(blocking::possibly_t) const noexcept { return with(false); }

    template<class Handler>
    void execute(Handler&& handler) const
    {
        // Handlers are move-only, std::function is not.
        auto kept = std::make_shared<std::decay_t<Handler>>(std::forward<Handler>(handler));
        ready_->push([kept] { (*kept)(); });
    }

    friend bool operator==(const shuffled_executor&, const shuffled_executor&) noexcept = default;

private:
    [[nodiscard]] shuffled_executor with(bool never) const noexcept
    {
        auto copy = *this;
        copy.never_ = never;
        return copy;
    }

    boost::asio::execution_context* context_;
    shuffled_handlers* ready_;
    bool never_ = false;
};

} // namespace kubecoro::testing
