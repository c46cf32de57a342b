// The turn of a connection for something that the clients of a server share.
#pragma once

#include <kubecoro/http/detail/client_turns.hpp>

#include <optional>

namespace kubecoro::detail {

/// Begins the turns of a server's clients. Strand-confined.
class turn_board
{
public:
    [[nodiscard]] virtual time_point now() const noexcept = 0;
    /// Begins the turns whose time has come. @return when to call it again.
    virtual time_point pass_on() = 0;
    /// Ends an answer in favour of the next one that waits for these turns.
    virtual void make_way(const client_turns& of) = 0;

protected:
    ~turn_board() = default;
};

/// Waits, then holds its units until its end, when they are passed on. Strand-confined.
class shared_turn final : public turn_waiter
{
public:
    shared_turn(turn_board& board, client_turns& of, const client_id& client) noexcept
        : board_(board), of_(of), client_(client)
    {
    }
    ~shared_turn();
    shared_turn(const shared_turn&) = delete;
    shared_turn& operator=(const shared_turn&) = delete;

    [[nodiscard]] client_turns::step ask(std::size_t units);
    /// As ask(), but does not wait.
    [[nodiscard]] bool ask_now(std::size_t units);
    [[nodiscard]] bool granted() const noexcept { return granted_; }
    /// Whether it has units of these turns.
    [[nodiscard]] bool holds(const client_turns& of) const noexcept { return granted_ && &of_ == &of; }
    /// @return false when there is no room: it then has what it had.
    [[nodiscard]] bool resize(std::size_t units) noexcept;
    /// The time from now on until its end counts as spent.
    void begin_work() noexcept { work_ = board_.now(); }
    /// Makes room for it, if it is the next one.
    void push();
    /// @param t  Is cancelled when the turn comes; null = none.
    void wakes(timer* t) noexcept { wakes_ = t; }
    void on_turn() override;

private:
    turn_board& board_;
    client_turns& of_;
    const client_id client_;
    std::size_t units_ = 0;
    bool granted_ = false;
    timer* wakes_ = nullptr;
    std::optional<time_point> work_ = {};
};

} // namespace kubecoro::detail
