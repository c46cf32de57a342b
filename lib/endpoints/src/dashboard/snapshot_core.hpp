// When the dashboard's snapshots are made, and which one a stream sends next. Sans-io.
#pragma once

#include <kubecoro/base/clock.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace kubecoro::detail {

/** Snapshots have numbers. One is made when a stream needs it and the last one is as old as the period, so that all streams
    share it, and none is made while there is no stream. Between snapshots, a stream sends signs of life. */
class snapshot_core
{
public:
    /// The dashboard takes a stream that is silent for three of them for a lost one.
    static constexpr duration longest_silence = std::chrono::seconds{5};
    /// Without a bound, a period of 0 would render pages all the time.
    static constexpr duration shortest_period = std::chrono::milliseconds{100};

    explicit snapshot_core(duration period) noexcept : period_(std::max(period, shortest_period)) {}

    void on_join() noexcept { ++streams_; }
    /// @return whether it was the last stream: nobody needs the snapshot any more.
    [[nodiscard]] bool on_leave() noexcept;

    enum class step
    {
        /// Make a snapshot, and ask again.
        make,
        /// Send the newest one.
        send,
        /// Send a sign of life.
        comment,
        /// Ask again at due().
        wait
    };
    /// How far a stream is.
    struct progress
    {
        /// The number of the last snapshot; 0 = none.
        std::uint64_t seen = 0;
        /// When it sent last, a snapshot or a comment.
        time_point at = {};
    };
    [[nodiscard]] step next(const progress& of, time_point now) const noexcept;
    /// A snapshot was made. @param cost  The next one is not made before nine times as long has passed.
    void on_made(time_point now, duration cost = {}) noexcept;

    /// When the stream has to ask again.
    [[nodiscard]] time_point due(const progress& of) const noexcept;
    /// The number of the newest snapshot.
    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
    [[nodiscard]] std::size_t streams() const noexcept { return streams_; }

private:
    [[nodiscard]] time_point next_snapshot() const noexcept;

    const duration period_;
    std::size_t streams_ = 0;
    std::uint64_t number_ = 0;
    time_point made_ = {};
    duration pause_ = {};
};

} // namespace kubecoro::detail
