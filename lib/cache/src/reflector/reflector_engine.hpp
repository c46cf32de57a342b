#pragma once

#include "listener/news_core.hpp"
#include "reflector/reflector_driver.hpp"
#include "reflector/reflector_setup.hpp"

#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/task_group.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <mutex>
#include <optional>

namespace kubecoro::detail {

/** A reflector that runs on a strand of its own, for as long as its owner wants. Derived classes are its sink.

    Held by a shared_ptr; functions without a note are for any thread. The sink's functions are called on the strand. */
class reflector_engine : public delta_sink
{
public:
    explicit reflector_engine(reflector_setup s);
    reflector_engine(const reflector_engine&) = delete;
    reflector_engine& operator=(const reflector_engine&) = delete;

    /// Starts the reflector, if it has not been started. Errors: misconfigured; cancelled after a stop, or when the
    /// context has ended.
    result<> start();
    /// Asks the reflector to end; returns at once.
    void request_stop();
    /// Completes when nothing runs any more; does not end it.
    /// @par Cancellation  ends the wait only.
    [[nodiscard]] boost::asio::awaitable<result<>> join() { return tasks_.join(); }
    /// Asks the reflector to end, and keeps it alive until it has.
    static void abandon(std::shared_ptr<reflector_engine> self);

    static void retry_now(const std::shared_ptr<reflector_engine>& self);
    [[nodiscard]] informer_state state() const;
    [[nodiscard]] reflector_stats stats() const;
    /// The failure of its own that has ended it.
    [[nodiscard]] std::optional<failure> ended_by() const;

    // delta_sink
    void report(reflector_core::incident what) final;
    void progress(const reflector_core& core) final;

protected:
    [[nodiscard]] const reflector_setup& setup() const noexcept { return setup_; }
    [[nodiscard]] time_point now() const { return setup_.time->now(); }
    /// Whether request_stop() was called.
    [[nodiscard]] bool stopping() const;
    /// Whether anything runs.
    [[nodiscard]] bool running() const { return tasks_.running() != 0; }
    /// Called after ended_by() has changed.
    virtual void note_end() {}

private:
    void end_by(const std::string& task, const failure& why);

    const reflector_setup setup_;
    const kept_executor strand_;
    /// Without a value when the options were refused.
    std::optional<reflector_driver> driver_;
    /// The failures already logged.
    news_core told_;

    mutable std::mutex mutex_;
    // Guarded by mutex_:
    bool started_ = false;
    bool stopping_ = false;
    informer_state state_ = informer_state::created;
    reflector_stats stats_;
    std::optional<failure> ended_by_;

    // Declared last: its task uses everything above.
    task_group tasks_;
};

} // namespace kubecoro::detail
