#include "http/connection_table.hpp"

namespace kubecoro::apiserver {

void connection_table::forget_ended()
{
    connections_.remove_if([](const auto& c) { return c.expired(); });
}

bool connection_table::admit(const std::shared_ptr<connection>& made)
{
    std::lock_guard lock(mutex_);
    if (closed_) return false;
    if (connections_.size() >= limit_) forget_ended();
    if (connections_.size() >= limit_ && !close_longest_waiting()) return false;
    connections_.push_back(made);
    ++admitted_;
    return true;
}

bool connection_table::make_room()
{
    std::lock_guard lock(mutex_);
    return close_longest_waiting();
}

bool connection_table::close_longest_waiting()
{
    std::shared_ptr<connection> longest;
    auto place = connections_.end();
    std::optional<time_point> since;
    for (auto at = connections_.begin(); at != connections_.end(); ++at) {
        auto held = at->lock();
        const auto waits = held ? held->waits_since() : std::nullopt;
        if (!waits || (since && *since <= *waits)) continue;
        since = waits;
        longest = std::move(held);
        place = at;
    }
    if (!longest) return false;
    connections_.erase(place);
    longest->close();
    return true;
}

void connection_table::close()
{
    std::lock_guard lock(mutex_);
    closed_ = true;
}

bool connection_table::closed() const
{
    std::lock_guard lock(mutex_);
    return closed_;
}

std::vector<std::shared_ptr<connection>> connection_table::living()
{
    std::vector<std::shared_ptr<connection>> out;
    std::lock_guard lock(mutex_);
    forget_ended();
    for (const auto& c : connections_)
        if (auto held = c.lock()) out.push_back(std::move(held));
    return out;
}

void connection_table::count(server_counters& into) const
{
    std::lock_guard lock(mutex_);
    into.connections += admitted_;
    for (const auto& c : connections_) into.open_connections += c.expired() ? 0 : 1;
}

} // namespace kubecoro::apiserver
