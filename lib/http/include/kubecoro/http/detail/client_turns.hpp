// Shared by the clients of a server: turns for what is scarce, the time that goes into pages, and the lines of the log. Sans-io.
#pragma once

#include <kubecoro/base/clock.hpp>

#include <boost/asio/ip/address.hpp> // rule aside: a plain value

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>

namespace kubecoro::detail {

/** Time that may be spent on pages, as a token bucket: it fills with a share of the time that passes. A page that costs
    more than is left is made all the same; the next one waits until the debt is paid. */
class render_budget
{
public:
    /// Time that may be spent at once, after a rest, unless another one is given.
    static constexpr duration usual_at_once = std::chrono::milliseconds{100};
    /// A program that was suspended while it made a page does not withhold pages for hours.
    static constexpr duration most_debt = std::chrono::seconds{1};

    /// Counts the time of its scope: what fails has cost as much.
    class cost
    {
    public:
        cost(render_budget& budget, time_source& time, time_point begin) noexcept
            : budget_(budget), time_(time), begin_(begin)
        {
        }
        ~cost() { budget_.spend(begin_, time_.now()); }
        cost(const cost&) = delete;
        cost& operator=(const cost&) = delete;

    private:
        render_budget& budget_;
        time_source& time_;
        const time_point begin_;
    };

    /// @param share         Part of the time that passes: at least 0.01; 1 or more = no limit.
    /// @param most_at_once  Time that may be spent at once, after a rest.
    explicit render_budget(double share, duration most_at_once = usual_at_once) noexcept;

    /// Whether another page may be made. @param least  Time that has to be left.
    [[nodiscard]] bool has_time(time_point now, duration least = duration{1}) noexcept;
    /// Time until another page may be made, a millisecond at least; zero when it may be made now.
    [[nodiscard]] duration wait(time_point now, duration least = duration{1}) noexcept;
    /// Time is used up.
    void take(time_point now, duration spent) noexcept;
    /// A page was made between these points in time.
    void spend(time_point begin, time_point end) noexcept;

private:
    void fill(time_point now) noexcept;

    const double share_;
    const duration most_at_once_;
    duration left_;
    time_point filled_ = {};
    bool begun_ = false;
};

/// Lets one line of a kind pass in a while, so that clients cannot flood the log.
class log_pace
{
public:
    explicit log_pace(duration pause) noexcept : pause_(pause) {}

    /// @return the number of lines held back since the last one that passed; empty when this one is held back too.
    [[nodiscard]] std::optional<std::uint64_t> pass(time_point now) noexcept;

private:
    duration pause_;
    std::optional<time_point> last_;
    std::uint64_t held_back_ = 0;
};

/// An IPv4 address, or the network of an IPv6 one: a host has any number of addresses there.
using client_id = std::array<unsigned char, 8>;
[[nodiscard]] client_id client_of(const boost::asio::ip::address& a);

/// Waits for a turn. The owner of the turns calls it when next() has named it.
class turn_waiter
{
public:
    virtual void on_turn() = 0;

protected:
    ~turn_waiter() = default;
};

/** Places, bytes or time that clients share, in units, by turns of their addresses: an address has its next turn after each
    other one that waited before it has had one, however many requests it sends. Requests of one address have their turns in
    order. Not thread safe. */
class client_turns
{
public:
    struct limits
    {
        /// Held at once.
        std::size_t units = std::numeric_limits<std::size_t>::max();
        /// Addresses that wait.
        std::size_t addresses = 256;
        /// Waiters of one address.
        std::size_t waiters = 32;
    };
    explicit client_turns(const limits& l) noexcept : limits_(l), time_(1) {}
    /// Turns that begin while there is time for work of their kind, which spend() counts.
    client_turns(const limits& l, render_budget time) noexcept : limits_(l), time_(time) {}
    /// Turns of which `a_second` begin in a second, and `at_once` after a rest. @param a_second  0 = no limit.
    client_turns(const limits& l, std::size_t a_second, std::size_t at_once) noexcept;

    enum class step
    {
        /// It holds its units, until give_back().
        granted,
        /// Its turn comes with next(), unless it leaves.
        waits,
        /// Too many wait, or it wants more units than there are.
        refused
    };
    /// None begins at once while others wait.
    [[nodiscard]] step ask(const client_id& client, turn_waiter& who, time_point now, std::size_t units = 1);
    /// Ends its wait, if it waits.
    void leave(const client_id& client, const turn_waiter& who) noexcept;
    /// The next one, which holds its units from now on; null when none waits, or there is no room or no time for the one whose
    /// turn it is.
    [[nodiscard]] turn_waiter* next(time_point now);
    /// When next() has one for want of time only; the largest when it waits for something else.
    [[nodiscard]] time_point due(time_point now) noexcept;
    /// A turn took this time.
    void spend(time_point begin, time_point end) noexcept { time_.spend(begin, end); }

    /// Whether it has the next turn.
    [[nodiscard]] bool is_next(const turn_waiter& who) const noexcept;

    void give_back(const client_id& client, std::size_t units = 1) noexcept;
    /// Changes what one holder has. @return false when there is no room: it then has what it had.
    [[nodiscard]] bool resize(const client_id& client, std::size_t from, std::size_t to) noexcept;

    [[nodiscard]] bool waiting() const noexcept { return !ring_.empty(); }
    [[nodiscard]] std::size_t used() const noexcept { return used_; }
    [[nodiscard]] std::size_t held_by(const client_id& client) const noexcept;
    /// The address that holds most, if it has more than the one whose turn it is would have with its turn. For that one there is
    /// no room, and a holder of this address should end.
    [[nodiscard]] std::optional<client_id> displaced() const noexcept;

private:
    struct want
    {
        turn_waiter* who;
        std::size_t units;
    };
    struct account
    {
        std::deque<want> waiting = {};
        std::size_t held = 0;
    };
    using accounts = std::map<client_id, account>;

    [[nodiscard]] bool fits(std::size_t units) const noexcept { return units <= limits_.units - used_; }
    void hold(account& a, std::size_t units) noexcept;
    void forget_if_empty(accounts::iterator at) noexcept;

    const limits limits_;
    render_budget time_;
    /// Counts for each turn that begins.
    duration each_{1};
    /// Those that hold or wait.
    accounts accounts_;
    /// The addresses that wait, the next one first.
    std::deque<client_id> ring_;
    std::size_t used_ = 0;
};

} // namespace kubecoro::detail
