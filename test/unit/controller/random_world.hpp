#pragma once
// The base of random worlds of replicas around a server: events in the order of true time, and clocks of different rates.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/random.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace replica_test {

using namespace kubecoro;
using seconds_d = std::chrono::duration<double>;

/// The time by a clock of this rate at a point of true time, in seconds.
inline time_point local_time(double now, double rate)
{
    return time_point(std::chrono::duration_cast<duration>(seconds_d(1000 + now * rate)));
}
inline double true_time(time_point local, double rate)
{
    return (seconds_d(local.time_since_epoch()).count() - 1000) / rate;
}

/// Faults end at 300 s, and the world at 500 s.
class random_world
{
protected:
    explicit random_world(std::uint64_t seed) : random_(seed) {}
    ~random_world() = default;

    /// In [0, 1).
    double unit() { return detail::next_unit(random_); }
    void at(double when, std::function<void()> f) { events_.emplace(when, std::move(f)); }
    void broken(const std::string& what)
    {
        if (broken_.empty()) broken_ = "after " + std::to_string(now_) + " s: " + what;
    }
    /// Performs the next event. Returns false at the end, and once a promise is broken.
    bool perform_next()
    {
        if (!broken_.empty() || events_.empty() || events_.begin()->first >= 500) return false;
        auto next = events_.extract(events_.begin());
        now_ = next.key();
        quiet_ = now_ > 300;
        next.mapped()();
        return true;
    }

    detail::random_source random_;
    double now_ = 0;
    /// No faults any more.
    bool quiet_ = false;
    /// The first broken promise.
    std::string broken_;

private:
    std::multimap<double, std::function<void()>> events_;
};

} // namespace replica_test
