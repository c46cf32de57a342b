#include "http/connection_pool_core.hpp"

namespace kubecoro::detail {

std::vector<connection_pool_core::id> connection_pool_core::put(id connection, moment now)
{
    auto close = expire(now);
    idle_.push_back({connection, now});
    while (idle_.size() > limits_.max_idle) {
        close.push_back(idle_.front().connection);
        idle_.pop_front();
    }
    return close;
}

std::optional<connection_pool_core::id> connection_pool_core::take()
{
    if (idle_.empty()) return std::nullopt;
    const id newest = idle_.back().connection;
    idle_.pop_back();
    return newest;
}

std::optional<connection_pool_core::id> connection_pool_core::oldest() const
{
    if (idle_.empty()) return std::nullopt;
    return idle_.front().connection;
}

std::vector<connection_pool_core::id> connection_pool_core::remove_oldest()
{
    const id first = idle_.front().connection;
    idle_.pop_front();
    return {first};
}

std::vector<connection_pool_core::id> connection_pool_core::expire(moment now)
{
    std::vector<id> old;
    while (!idle_.empty() && now - idle_.front().since >= limits_.idle_timeout) {
        old.push_back(idle_.front().connection);
        idle_.pop_front();
    }
    return old;
}

} // namespace kubecoro::detail
