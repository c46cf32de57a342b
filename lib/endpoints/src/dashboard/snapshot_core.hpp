// When the dashboard's snapshots are made, and which one a stream sends next. Sans-io.
#pragma once

#include <kubecoro/base/clock.hpp>

#include <cstddef>
#include <cstdint>

namespace kubecoro::detail {

/** Snapshots have numbers. One is made when a stream needs it and the last one is as old as the period, so that all streams
    share it, and none is made while there is no stream. */
class snapshot_core
{
public:
    snapshot_core(duration period, std::size_t max_streams) noexcept : period_(period), max_streams_(max_streams) {}

    /// @return false when there are as many streams as there may be.
    [[nodiscard]] bool on_join() noexcept;
    /// @return whether it was the last stream: nobody needs the snapshot any more.
    [[nodiscard]] bool on_leave() noexcept;

    enum class step
    {
        /// Make a snapshot, and ask again.
        make,
        /// Send the newest one.
        send,
        /// Ask again at due().
        wait
    };
    /// @param seen  The number of the snapshot that the stream has sent last; 0 = none.
    [[nodiscard]] step next(std::uint64_t seen, time_point now) const noexcept;
    /// A snapshot was made.
    void on_made(time_point now) noexcept;

    [[nodiscard]] time_point due() const noexcept;
    /// The number of the newest snapshot.
    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
    [[nodiscard]] std::size_t streams() const noexcept { return streams_; }

private:
    const duration period_;
    const std::size_t max_streams_;
    std::size_t streams_ = 0;
    std::uint64_t number_ = 0;
    time_point made_ = {};
};

} // namespace kubecoro::detail
