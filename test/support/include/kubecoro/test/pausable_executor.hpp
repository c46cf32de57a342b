#pragma once
// An executor whose handlers wait while its process is paused.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace kubecoro::test {

/// Stops and continues a process, as the signals of these names do: meanwhile its clock goes on and its handlers wait.
/// Resume it before it is destroyed.
class pause_switch : public std::enable_shared_from_this<pause_switch>
{
public:
    explicit pause_switch(boost::asio::any_io_executor inner) : inner_(std::move(inner)) {}

    [[nodiscard]] const boost::asio::any_io_executor& inner() const noexcept { return inner_; }
    [[nodiscard]] bool is_paused() const noexcept { return paused_; }
    void pause() noexcept { paused_ = true; }
    void resume()
    {
        paused_ = false;
        for (auto& handler : std::exchange(waiting_, {})) run(std::move(handler));
    }
    void run(std::function<void()> handler)
    {
        boost::asio::post(inner_, [self = shared_from_this(), handler = std::move(handler)]() mutable {
            if (self->paused_)
                self->waiting_.push_back(std::move(handler));
            else
                handler();
        });
    }

private:
    boost::asio::any_io_executor inner_;
    bool paused_ = false;
    std::deque<std::function<void()>> waiting_;
};

/// The executor of everything that belongs to the process. Like shuffled_executor it claims blocking.possibly, for strands.
class pausable_executor
{
public:
    using blocking = boost::asio::execution::blocking_t;

    explicit pausable_executor(std::shared_ptr<pause_switch> process) noexcept
        : context_(&boost::asio::query(process->inner(), boost::asio::execution::context)), process_(std::move(process))
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
    [[nodiscard]] pausable_executor require(blocking::never_t) const noexcept { return with(true); }
    [[nodiscard]] pausable_executor require(blocking::possibly_t) const noexcept { return with(false); }

    template<class Handler>
    void execute(Handler&& handler) const
    {
        // Handlers are move-only, std::function is not.
        auto kept = std::make_shared<std::decay_t<Handler>>(std::forward<Handler>(handler));
        process_->run([kept] { (*kept)(); });
    }

    friend bool operator==(const pausable_executor&, const pausable_executor&) noexcept = default;

private:
    [[nodiscard]] pausable_executor with(bool never) const noexcept
    {
        auto copy = *this;
        copy.never_ = never;
        return copy;
    }

    boost::asio::execution_context* context_;
    std::shared_ptr<pause_switch> process_;
    bool never_ = false;
};

} // namespace kubecoro::test
