// The turn of a connection for something that the clients of a server share.
#pragma once

#include "turns/client_turns.hpp"

#include <optional>

namespace kubecoro::detail {

class server_engine;

/// Waits, then holds its units until its end, when they are passed on. Strand-confined.
class shared_turn final : public turn_waiter
{
public:
    shared_turn(server_engine& engine, client_turns& of, const client_id& client) noexcept
        : engine_(engine), of_(of), client_(client)
    {
    }
    ~shared_turn();
    shared_turn(const shared_turn&) = delete;
    shared_turn& operator=(const shared_turn&) = delete;

    [[nodiscard]] client_turns::step ask(std::size_t units);
    /// As ask(), but does not wait.
    [[nodiscard]] bool ask_now(std::size_t units);
    [[nodiscard]] bool granted() const noexcept { return granted_; }
    /// @return false when there is no room: it then has what it had.
    [[nodiscard]] bool resize(std::size_t units) noexcept;
    /// The time from now on until its end counts as spent.
    void begin_work() noexcept;
    /// Makes room for it, if it is the next one: see server_engine::make_way().
    void push();
    /// @param t  Is cancelled when the turn comes; null = none.
    void wakes(timer* t) noexcept { wakes_ = t; }
    void on_turn() override;

private:
    server_engine& engine_;
    client_turns& of_;
    const client_id client_;
    std::size_t units_ = 0;
    bool granted_ = false;
    timer* wakes_ = nullptr;
    std::optional<time_point> work_ = {};
};

} // namespace kubecoro::detail
