#pragma once

#include "listener/sweep_pace.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/log.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <utility>

namespace kubecoro::detail {

/** Calls functions at set times while their owners exist: many deadlines on one timer.

    Strand-confined, including run(). */
class alarms
{
public:
    explicit alarms(std::shared_ptr<time_source> time) : time_(std::move(time)) {}

    /// @param whose  The owner; nothing is called once it has expired.
    void set(time_point when, std::weak_ptr<void> whose, std::function<void()> call);
    /// Calls due functions one at a time, until cancelled. An exception ends it.
    [[nodiscard]] boost::asio::awaitable<result<>> run();

private:
    struct alarm
    {
        std::weak_ptr<void> whose;
        std::function<void()> call;
    };

    void ring();

    const std::shared_ptr<time_source> time_;
    /// The timer of run() while it runs: a timer must not outlive its context.
    timer* timer_ = nullptr;
    std::multimap<time_point, alarm> set_;
    sweep_pace pace_;
    wake_signal wake_;
};

} // namespace kubecoro::detail
