#pragma once

#include <kubecoro/base/async_event.hpp>
#include <kubecoro/base/clock.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>

namespace kubecoro {

/** What is to be called at a moment, for as long as somebody is still there: the deadlines of many, on one timer.

    Lives on one strand, run() too. */
class alarms
{
public:
    alarms(std::shared_ptr<clock> time, const boost::asio::any_io_executor& strand);

    /// @param whose  When it has gone, nothing is called.
    void set(time_point when, std::weak_ptr<void> whose, std::function<void()> call);
    /// Calls what is due, until cancelled.
    [[nodiscard]] boost::asio::awaitable<result<>> run();

private:
    struct alarm
    {
        std::weak_ptr<void> whose;
        std::function<void()> call;
    };

    void ring();

    const std::shared_ptr<clock> time_;
    const std::unique_ptr<timer> timer_;
    std::multimap<time_point, alarm> set_;
    std::size_t sweep_at_ = 64;
    wake_signal wake_;
};

} // namespace kubecoro
