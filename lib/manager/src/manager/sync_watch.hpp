#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/context_bound.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/cache/shared_informer.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::detail {

/// Follows informers until they have synced, and tells why they have not. Thread safe.
class sync_watch
{
public:
    /// @param all_synced  Called when the last informer that was followed has synced.
    sync_watch(kept_executor executor, std::shared_ptr<time_source> time, logger log, std::function<void()> all_synced);

    /// Follows an informer that was not followed before.
    void follow(const shared_informer<object>& informer);
    /// Logs which informers are missing and why; nothing when there is none.
    void report() const;
    /// The same as report(), as a failure.
    [[nodiscard]] failure too_late(duration limit) const;
    /// Whether each informer that was followed has synced.
    [[nodiscard]] bool all_synced() const;
    void stop() { following_.stop(); }
    [[nodiscard]] boost::asio::awaitable<result<>> join() { return following_.join(); }
    [[nodiscard]] task_group& tasks() noexcept { return following_; }

private:
    struct followed
    {
        shared_informer<object> informer;
        std::optional<failure> trouble = {};
        bool synced = false;
    };
    static boost::asio::awaitable<result<>> await(sync_watch& self, std::size_t place,
                                                  shared_informer<object> informer);
    void note_synced(std::size_t place);
    void note_trouble(std::size_t place, const failure& why);
    /// "secrets: forbidden: ...; pods: listing". @param first  Receives the first failure.
    [[nodiscard]] std::string missing(std::optional<failure>* first = nullptr) const;

    kept_executor executor_;
    std::shared_ptr<time_source> time_;
    logger log_;
    std::function<void()> all_synced_;
    mutable std::mutex mutex_;
    std::vector<followed> followed_; // under the mutex
    task_group following_;
};

} // namespace kubecoro::detail
