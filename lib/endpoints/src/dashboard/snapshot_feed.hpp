// The snapshots that the dashboard's streams send: all debug pages, as server-sent events.
#pragma once

#include "dashboard/snapshot_core.hpp"

#include <kubecoro/endpoints/debug_pages.hpp>

#include <memory>
#include <string>
#include <variant>

namespace kubecoro::detail {

/// Strand-confined.
class snapshot_feed : public std::enable_shared_from_this<snapshot_feed>
{
public:
    snapshot_feed(debug_pages pages, duration period, std::shared_ptr<time_source> time = real_clock())
        : pages_(std::move(pages)), time_(std::move(time)), core_(period)
    {
    }

    /// A stream's part in the feed.
    class seat
    {
    public:
        explicit seat(std::shared_ptr<snapshot_feed> feed) noexcept : feed_(std::move(feed)) {}
        ~seat();
        seat(const seat&) = delete;
        seat& operator=(const seat&) = delete;

        /// The text to send next, or when to ask again.
        [[nodiscard]] std::variant<std::shared_ptr<const std::string>, time_point> next(time_point now);

    private:
        std::shared_ptr<snapshot_feed> feed_;
        snapshot_core::progress sent_ = {};
    };

    [[nodiscard]] std::shared_ptr<seat> join();
    /// Snapshots made so far.
    [[nodiscard]] std::uint64_t made() const noexcept { return core_.number(); }

private:
    [[nodiscard]] std::string render() const;

    debug_pages pages_;
    /// Measures the cost of snapshots.
    std::shared_ptr<time_source> time_;
    snapshot_core core_;
    std::shared_ptr<const std::string> newest_;
};

} // namespace kubecoro::detail
