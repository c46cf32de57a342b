// The open connections: bounds their number, selects the one to close for a new one, and enforces their deadlines.
#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/http/detail/client_turns.hpp>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace kubecoro::detail {

class connection;

/// Thread safe. Holds weak references to the connections.
class connection_table : public std::enable_shared_from_this<connection_table>
{
public:
    /// @param strand  Runs enforce().
    connection_table(std::size_t limit, std::shared_ptr<time_source> time, kept_executor strand);

    /// Keeps the connection while it lives. In a full table it takes the place of one of the client that has most.
    /// @return false when the table is full and the server works for each, or when it is wound up.
    [[nodiscard]] bool admit(const std::shared_ptr<connection>& made);
    using predicate = std::function<bool(const connection&)>;
    /// Closes the connection that has waited longest for its client. @param among  Empty = all. @return false when none waits.
    bool make_room(const predicate& among = {});
    /// Closes the connection whose answer is the oldest. @return false when there is none.
    bool end_oldest_answer(const predicate& among);
    /// Called by a connection at its end.
    void forget(const connection& ended);
    /// Called by connections when their deadline is now at `when`.
    void watch(time_point when);
    /// Admits no further connections.
    void close() noexcept { closed_ = true; }
    [[nodiscard]] bool closed() const noexcept { return closed_; }
    /// close(), and ends all connections after their requests in progress, and by `last` at the latest.
    void wind_up(time_point last);
    /// Closes what is due. @return the next deadline; the largest when there is none.
    time_point close_due(time_point now);

    /// The open connections.
    [[nodiscard]] std::vector<std::shared_ptr<connection>> living() const;
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] std::size_t limit() const noexcept { return limit_; }
    /// Connections admitted so far.
    [[nodiscard]] std::uint64_t admitted() const noexcept { return admitted_; }
    [[nodiscard]] time_source& time() const noexcept { return *time_; }

    /// Closes connections past their deadlines, until the table is wound up and empty. At the last deadline it calls
    /// `abandon`, which ends what has no socket. @param pass_on  Does what else is due. @return when to call it again.
    [[nodiscard]] static boost::asio::awaitable<result<>>
    enforce(std::shared_ptr<connection_table> self, std::function<time_point()> pass_on, std::function<void()> abandon);

private:
    using age = std::optional<time_point> (connection::*)() const noexcept;
    bool close_one(const predicate& among, age since);

    // With the mutex held:

    [[nodiscard]] std::shared_ptr<connection> take_one(const predicate& among, age since,
                                                       const std::map<client_id, std::size_t>& crowds);
    [[nodiscard]] std::map<client_id, std::size_t> clients() const;
    void forget_ended();

    const std::size_t limit_;
    const std::shared_ptr<time_source> time_;
    const kept_executor strand_;
    mutable std::mutex mutex_;
    std::map<const connection*, std::weak_ptr<connection>> connections_;
    std::atomic<std::uint64_t> admitted_{0};
    std::atomic<bool> closed_{false};
    /// When enforce() looks next.
    std::atomic<duration::rep> armed_;

    // Confined to the strand:

    /// That of enforce(), while it runs.
    std::weak_ptr<timer> alarm_;
    time_point last_ = time_point::max();
};

} // namespace kubecoro::detail
