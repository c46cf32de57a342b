#pragma once

#include "listener_core.hpp"
#include "sync_gate.hpp"

#include <kubecoro/base/async_event.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/cache/event_handler.hpp>

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kubecoro {

/** One handler or subscription of an informer: add() is the informer's side, pop() and run() the reader's.

    Thread safe; one reader at a time. The lock is held for a batch's worth of moving handles, never across a suspension
    or user code. */
class processor_listener : public std::enable_shared_from_this<processor_listener>
{
public:
    struct settings
    {
        std::uint64_t id = 0;
        std::string name;
        std::size_t max_pending = 1024;
        std::size_t max_batch = 64;
        /// After the informer's stop the reader still gets what waits.
        bool drains = false;
        logger log = {};
    };

    explicit processor_listener(settings s);
    processor_listener(const processor_listener&) = delete;
    processor_listener& operator=(const processor_listener&) = delete;
    ~processor_listener();

    // ---- the informer's side

    void add(std::span<const notification> batch);
    /// What was added so far are the initial events, and the store is filled.
    void mark_initial();
    void informer_stopped() { close(settings_.drains); }
    [[nodiscard]] bool over() const;
    [[nodiscard]] std::uint64_t id() const noexcept { return settings_.id; }
    [[nodiscard]] const std::string& name() const noexcept { return settings_.name; }
    /// Why the store cannot be filled, or that it can be hoped for again.
    [[nodiscard]] const sync_gate& gate() const noexcept { return gate_; }

    // ---- the reader's side

    /// The next batch; empty at the end, and then ended() says why.
    [[nodiscard]] boost::asio::awaitable<std::optional<std::vector<notification>>> pop();
    [[nodiscard]] result<> ended() const;

    /// Feeds a handler until the end. To be spawned; the registration's removed() waits for it.
    [[nodiscard]] boost::asio::awaitable<result<>> run(event_handler handler);

    void remove();
    [[nodiscard]] boost::asio::awaitable<result<>> removed();

    [[nodiscard]] handler_stats stats() const;
    [[nodiscard]] bool initial_popped() const;

private:
    /// Held by the frame of run(), started or not: when it goes, no call can come any more.
    class running
    {
    public:
        explicit running(latch ended) : ended_(std::move(ended)) {}
        running(running&& other) noexcept : ended_(std::exchange(other.ended_, std::nullopt)) {}
        running& operator=(running&&) = delete;
        ~running()
        {
            if (ended_) ended_->settle({});
        }

    private:
        std::optional<latch> ended_;
    };

    static boost::asio::awaitable<result<>> run(std::shared_ptr<processor_listener> self, event_handler handler,
                                                running mark);
    static boost::asio::awaitable<std::optional<std::vector<notification>>>
    pop(std::shared_ptr<processor_listener> self);
    void close(bool drain);
    [[nodiscard]] bool has_pending() const;
    void report(const notification& n, const failure& why);

    const settings settings_;
    sync_gate gate_;
    wake_signal wake_;
    latch run_ended_;

    mutable std::mutex mutex_;
    listener_core core_;
    bool over_ = false;
    bool has_run_ = false;
    result<> ended_;

    /// What is in hand is not to be delivered any more.
    std::atomic<bool> cut_{false};
    std::atomic<std::uint64_t> delivered_{0};
    std::atomic<std::uint64_t> failed_{0};
};

/// What an empty handle answers to whoever awaits it: cond::misconfigured, saying `what`.
[[nodiscard]] boost::asio::awaitable<result<>> of_nothing(std::string what);

} // namespace kubecoro
