#pragma once
// An executor whose ready handlers run in an order drawn from a seed, as several threads might run them.

#include <kubecoro/base/random.hpp>

#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace kubecoro::testing {

/// Holds what is ready. Not thread safe.
class shuffled_handlers
{
public:
    explicit shuffled_handlers(std::uint64_t seed) : random_(seed) {}

    void push(std::function<void()> handler) { ready_.push_back(std::move(handler)); }

    /// @return whether one was ready.
    bool run_one()
    {
        if (ready_.empty()) return false;
        std::swap(ready_[random_() % ready_.size()], ready_.back());
        const auto handler = std::move(ready_.back());
        ready_.pop_back();
        handler();
        return true;
    }

    /// Destroys what is ready, and what that makes ready.
    void clear()
    {
        while (!ready_.empty()) {
            const auto gone = std::exchange(ready_, {});
        }
    }

private:
    random_source random_;
    std::vector<std::function<void()>> ready_;
};

/// Never runs a handler inside execute(). Strands over it keep their own order.
class shuffled_executor
{
public:
    shuffled_executor(boost::asio::execution_context& context, shuffled_handlers& ready) noexcept
        : context_(&context), ready_(&ready)
    {
    }

    [[nodiscard]] boost::asio::execution_context& query(boost::asio::execution::context_t) const noexcept
    {
        return *context_;
    }
    [[nodiscard]] static constexpr boost::asio::execution::blocking_t query(boost::asio::execution::blocking_t) noexcept
    {
        return boost::asio::execution::blocking.never;
    }

    template<class Handler>
    void execute(Handler&& handler) const
    {
        // Handlers are move-only, std::function is not.
        auto kept = std::make_shared<std::decay_t<Handler>>(std::forward<Handler>(handler));
        ready_->push([kept] { (*kept)(); });
    }

    friend bool operator==(const shuffled_executor&, const shuffled_executor&) noexcept = default;

private:
    boost::asio::execution_context* context_;
    shuffled_handlers* ready_;
};

} // namespace kubecoro::testing
