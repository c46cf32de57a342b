#pragma once
// Runs what is ready in any order, as several threads may: the order is drawn from a seed.

#include <kubecoro/base/random.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace kubecoro::test {

namespace asio = boost::asio;

/// One thread. Strands on it keep their order; nothing else does.
class shuffled_context : public asio::execution_context
{
public:
    explicit shuffled_context(std::uint64_t seed) : random_(seed) {}
    ~shuffled_context()
    {
        while (!ready_.empty()) std::exchange(ready_, {}).clear(); // what goes may make more ready
        shutdown();
        destroy();
    }

    class executor_type
    {
    public:
        explicit executor_type(shuffled_context& of) noexcept : of_(&of) {}
        [[nodiscard]] asio::execution_context& query(asio::execution::context_t) const noexcept { return *of_; }
        [[nodiscard]] static constexpr asio::execution::blocking_t query(asio::execution::blocking_t) noexcept
        {
            return asio::execution::blocking.never;
        }
        [[nodiscard]] executor_type require(asio::execution::blocking_t::never_t) const noexcept { return *this; }
        template<class Function>
        void execute(Function f) const
        {
            of_->ready_.push_back(std::make_unique<work<Function>>(std::move(f)));
        }
        friend bool operator==(const executor_type&, const executor_type&) noexcept = default;

    private:
        shuffled_context* of_;
    };
    [[nodiscard]] asio::any_io_executor executor() noexcept { return executor_type(*this); }

    /// Runs one of what is ready. @return false when nothing is.
    bool run_one()
    {
        if (ready_.empty()) return false;
        std::swap(ready_[random_() % ready_.size()], ready_.back());
        const auto chosen = std::move(ready_.back());
        ready_.pop_back();
        chosen->run();
        return true;
    }
    void run()
    {
        while (run_one()) {
        }
    }

private:
    struct any_work
    {
        virtual ~any_work() = default;
        virtual void run() = 0;
    };
    template<class Function>
    struct work final : any_work
    {
        explicit work(Function f) : function(std::move(f)) {}
        void run() override { std::move(function)(); }
        Function function;
    };

    random_source random_;
    std::vector<std::unique_ptr<any_work>> ready_;
};

} // namespace kubecoro::test
