#include <kubecoro/testing/coroutine_runner.hpp>

#include "shuffled_executor.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

namespace asio = boost::asio;

namespace kubecoro::testing {

namespace {

// Separates the random sequence of the handler order from that of the test.
constexpr std::uint64_t order_stream = 0x9e3779b97f4a7c15;

} // namespace

/// An io_context whose coroutines can be destroyed before it, its strands and their users.
class runner::context_type : public asio::io_context
{
public:
    explicit context_type(std::uint64_t seed) : asio::io_context(1), shuffled_(seed ^ order_stream) {}

    [[nodiscard]] shuffled_handlers& shuffled() noexcept { return shuffled_; }

    /// @return whether a handler was ready.
    bool run_one_ready()
    {
        if (shuffled_.run_one()) return true;
        restart();
        return poll_one() != 0;
    }
    void drop_everything()
    {
        shuffled_.clear();
        shutdown();
        shuffled_.clear(); // handlers posted by destructors during shutdown()
    }

private:
    shuffled_handlers shuffled_;
};

runner::runner(std::uint64_t seed, ready_order order) : runner(seed, order, std::make_shared<virtual_clock>()) {}

runner::runner(std::uint64_t seed, ready_order order, std::shared_ptr<virtual_clock> clock)
    : clock_(std::move(clock)), random_(seed), order_(order), context_(std::make_unique<context_type>(seed))
{
    if (order == ready_order::fifo)
        executor_ = context_->get_executor();
    else
        executor_ = shuffled_executor(*context_, context_->shuffled());
}

runner::~runner() = default;

asio::io_context& runner::context() noexcept { return *context_; }

void runner::start(asio::awaitable<void> body, std::shared_ptr<detail::task_core> core,
                   std::function<void(const failure&)> failed)
{
    // With shuffled order a coroutine needs a strand, as with threads: its cancellation could overtake its start.
    const auto where = order_ == ready_order::fifo ? executor_ : asio::any_io_executor(asio::make_strand(executor_));
    auto signal = std::make_shared<asio::cancellation_signal>();
    core->cancel = [signal, where](asio::cancellation_type how) {
        signal->emit(how);
        // Outside the context, Asio 1.81 queues the emission with a pointer into the signal. Keeps the signal alive
        // until then, even when the coroutine ends earlier.
        asio::post(where, [signal] {});
    };
    auto done = [core, signal, failed = std::move(failed)](std::exception_ptr thrown) {
        if (thrown) failed(to_failure(std::move(thrown)));
        core->done = true;
        core->cancel = nullptr;
    };
    auto slot = signal->slot();
    // Without an executor of the handler, Asio 1.83 cancels inside the call, also a coroutine that has not begun: its
    // start then throws out of run().
    asio::co_spawn(where, std::move(body),
                   asio::bind_cancellation_slot(slot, asio::bind_executor(where, std::move(done))));
}

void runner::cancel_at(std::size_t handlers, std::function<void()> cancel)
{
    cancellations_.emplace(handlers, std::move(cancel));
}

bool runner::run_one()
{
    while (!cancellations_.empty() && cancellations_.begin()->first <= handlers_) {
        const auto cancel = std::move(cancellations_.extract(cancellations_.begin()).mapped());
        cancel();
    }
    if (!context_->run_one_ready()) return false;
    ++handlers_;
    return true;
}

void runner::run_until_idle(std::size_t most)
{
    for (std::size_t n = 0; run_one(); ++n)
        if (n == most)
            throw error(failure(cond::internal, "something is busy for ever: " + std::to_string(n) +
                                                    " handlers ran while virtual time stood still"));
}

result<> runner::run_until(const std::function<bool()>& reached, run_limits limits)
{
    const auto first = handlers_;
    const auto start = clock_->now();
    while (!reached()) {
        if (handlers_ - first >= limits.handlers)
            return failure(cond::internal, "not reached within " + std::to_string(limits.handlers) + " handlers");
        if (run_one()) continue;
        const auto next = clock_->next_event();
        if (!next)
            return failure(cond::internal, "deadlock: nothing is ready and no timer runs, after " +
                                               std::to_string(handlers_ - first) + " handlers");
        if (*next - start > limits.time) return failure(cond::internal, "not reached within the time limit");
        clock_->advance_to(*next);
    }
    return {};
}

void runner::advance(duration d)
{
    const auto end = clock_->now() + d;
    run_until_idle();
    for (auto next = clock_->next_event(); next && *next <= end; next = clock_->next_event()) {
        clock_->advance_to(*next);
        run_until_idle();
    }
    clock_->advance_to(end);
    run_until_idle();
}

std::size_t runner::step(std::size_t handlers)
{
    std::size_t ran = 0;
    while (ran < handlers) {
        if (run_one()) {
            ++ran;
            continue;
        }
        const auto next = clock_->next_event();
        if (!next) break;
        clock_->advance_to(*next);
    }
    return ran;
}

void runner::destroy_coroutines() { context_->drop_everything(); }

} // namespace kubecoro::testing
