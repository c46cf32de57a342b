#pragma once

#include "listener/sweep_pace.hpp"

#include <kubecoro/base/async_event.hpp>
#include <kubecoro/base/clock.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <utility>

namespace kubecoro::detail {

/** What is to be called at a moment, for as long as somebody is still there: the deadlines of many, on one timer.

    Lives on one strand, run() too. */
class alarms
{
public:
    explicit alarms(std::shared_ptr<time_source> time) : time_(std::move(time)) {}

    /// @param whose  When it has gone, nothing is called.
    void set(time_point when, std::weak_ptr<void> whose, std::function<void()> call);
    /// Calls what is due, until cancelled. One at a time. What a call throws ends it; the other alarms stay set.
    [[nodiscard]] boost::asio::awaitable<result<>> run();

private:
    struct alarm
    {
        std::weak_ptr<void> whose;
        std::function<void()> call;
    };

    void ring();

    const std::shared_ptr<time_source> time_;
    /// Of run() while it runs: a timer must not outlive its context.
    timer* timer_ = nullptr;
    std::multimap<time_point, alarm> set_;
    sweep_pace pace_;
    wake_signal wake_;
};

} // namespace kubecoro::detail
