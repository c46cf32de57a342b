#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/cache/shared_informer.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace kubecoro::detail {

/// Follows informers until they have synced, and tells why they have not. Thread safe.
class sync_watch
{
public:
    /// @param all_synced  Called when the last informer that was followed has synced or was released.
    sync_watch(kept_executor executor, std::shared_ptr<time_source> time, logger log, std::function<void()> all_synced,
               task_group::failure_handler on_failure);

    /// Follows an informer that is not followed yet and has not synced.
    void follow(const shared_informer<object>& informer);
    /// Logs which informers are missing and why; nothing when there is none.
    void report() const;
    /// The same as report(), as a failure.
    [[nodiscard]] failure too_late(duration limit) const;
    /// Whether each informer that was followed has synced or was released.
    [[nodiscard]] bool all_synced() const;
    void stop() { following_.stop(); }
    [[nodiscard]] boost::asio::awaitable<result<>> join() { return following_.join(); }
    [[nodiscard]] task_group& tasks() noexcept { return following_; }

private:
    struct followed
    {
        shared_informer<object> informer;
        std::optional<failure> trouble = {};
    };
    using place = std::list<followed>::iterator;

    static boost::asio::awaitable<result<>> await(sync_watch& self, place at, shared_informer<object> informer);
    /// No longer keeps the informer alive: it has synced, or was released before that.
    void leave(place at, bool synced);
    void note_trouble(place at, const failure& why);
    /// "secrets: forbidden: ...; pods: listing". @param first  Receives the first failure.
    [[nodiscard]] std::string list_missing(std::optional<failure>* first = nullptr) const;

    kept_executor executor_;
    std::shared_ptr<time_source> time_;
    logger log_;
    std::function<void()> all_synced_;
    mutable std::mutex mutex_;
    std::list<followed> missing_; // under the mutex: those that have not synced
    std::size_t synced_ = 0;      // under the mutex
    task_group following_;
};

} // namespace kubecoro::detail
