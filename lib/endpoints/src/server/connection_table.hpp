// The open connections: bounds their number, selects the one to close for a new one, and enforces their deadlines.
#pragma once

#include "server/connection.hpp"

#include <functional>
#include <list>
#include <map>

namespace kubecoro::detail {

/// Strand-confined.
class connection_table
{
public:
    /// @param pass_on  Begins the turns whose time has come. @return when to call it again.
    connection_table(std::size_t limit, std::function<time_point()> pass_on, std::shared_ptr<time_source> time,
                     const boost::asio::any_io_executor& strand);

    /// Keeps the connection while it lives. In a full table it takes the place of one of the client that has most.
    /// @return false when the table is full and the server works for each.
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
    /// Ends all connections after their requests in progress, and by `last` at the latest.
    void wind_up(time_point last);
    [[nodiscard]] std::size_t size() const noexcept { return connections_.size(); }

    /// Closes connections past their deadlines, until the table is wound up and empty. At the last deadline it calls
    /// `abandon`, which ends what has no socket.
    [[nodiscard]] boost::asio::awaitable<result<>> enforce(std::function<void()> abandon);

private:
    /// Closes what is due. @return the next deadline; the largest when there is none.
    [[nodiscard]] time_point close_due(time_point now);
    [[nodiscard]] std::map<client_id, std::size_t> clients() const;
    using age = std::optional<time_point> (connection::*)() const noexcept;
    bool close_one(const predicate& among, age since, const std::map<client_id, std::size_t>& crowds);
    void forget_ended();

    const std::size_t limit_;
    std::function<time_point()> pass_on_;
    std::shared_ptr<time_source> time_;
    std::unique_ptr<timer> alarm_;
    time_point armed_ = time_point::max();
    std::list<std::weak_ptr<connection>> connections_;
    time_point last_ = time_point::max();
    bool closed_ = false;
};

} // namespace kubecoro::detail
