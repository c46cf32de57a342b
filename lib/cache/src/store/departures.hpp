#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace kubecoro::detail {

/** The number of an informer's listeners that have ended: a table of listeners is searched only when it has changed, so
    that a join costs nothing while all live, and leaves none behind that has ended. Copies share. Thread safe. */
class departures
{
public:
    void note() const noexcept { count_->fetch_add(1, std::memory_order_release); }
    [[nodiscard]] std::uint64_t count() const noexcept { return count_->load(std::memory_order_acquire); }

private:
    std::shared_ptr<std::atomic<std::uint64_t>> count_ = std::make_shared<std::atomic<std::uint64_t>>(0);
};

} // namespace kubecoro::detail
