#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace kubecoro::detail {

/** Counts the listeners of an informer that have ended. A table of listeners is searched for ended ones only when the
    count has changed, so that a join costs nothing while all listeners live. Copies share the count. Thread safe. */
class departures
{
public:
    void note() const noexcept { count_->fetch_add(1, std::memory_order_release); }
    [[nodiscard]] std::uint64_t count() const noexcept { return count_->load(std::memory_order_acquire); }

private:
    std::shared_ptr<std::atomic<std::uint64_t>> count_ = std::make_shared<std::atomic<std::uint64_t>>(0);
};

} // namespace kubecoro::detail
