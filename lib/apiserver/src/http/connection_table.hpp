// The connections of all listeners: how many there may be, and which one makes way for a new one.
#pragma once

#include "http/connection.hpp"

#include <list>
#include <mutex>

namespace kubecoro::apiserver {

/// Thread safe. Holds its connections weakly: they live as long as they are served.
class connection_table
{
public:
    explicit connection_table(std::size_t limit) : limit_(limit) {}

    /// @return false when there is no place, or when no further connections are wanted.
    [[nodiscard]] bool admit(const std::shared_ptr<connection>& made);
    /// Closes the connection that has waited longest for its client. @return false when none waits.
    bool make_room();

    /// From now on none is admitted.
    void close();
    [[nodiscard]] bool closed() const;

    /// Those that are alive, each held.
    [[nodiscard]] std::vector<std::shared_ptr<connection>> living();
    void count(server_counters& into) const;

private:
    void forget_ended();
    bool close_longest_waiting();

    const std::size_t limit_;
    mutable std::mutex mutex_;
    std::list<std::weak_ptr<connection>> connections_;
    std::uint64_t admitted_ = 0;
    bool closed_ = false;
};

} // namespace kubecoro::apiserver
