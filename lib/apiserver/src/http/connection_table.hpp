// Tracks the connections of all listeners, bounds their number, and selects the one to close for a new one.
#pragma once

#include "http/connection.hpp"

#include <list>
#include <mutex>

namespace kubecoro::apiserver {

/// Thread safe. Holds weak references to its connections.
class connection_table
{
public:
    explicit connection_table(std::size_t limit) : limit_(limit) {}

    /// @return false when the table is full and no connection waits for its client, or when it is closed.
    [[nodiscard]] bool admit(const std::shared_ptr<connection>& made);
    /// Closes the connection that has waited longest for its client. @return false when none waits.
    bool make_room();

    /// Admits no further connections.
    void close();
    [[nodiscard]] bool closed() const;

    /// Returns the open connections.
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
