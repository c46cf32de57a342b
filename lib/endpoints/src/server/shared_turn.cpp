#include "server/shared_turn.hpp"

#include "server/server_engine.hpp"

namespace kubecoro::detail {

shared_turn::~shared_turn()
{
    if (work_) of_.spend(*work_, engine_.now());
    if (granted_)
        of_.give_back(client_, units_);
    else
        of_.leave(client_, *this);
    engine_.pass_on();
}

client_turns::step shared_turn::ask(std::size_t units)
{
    units_ = units;
    const auto said = of_.ask(client_, *this, engine_.now(), units);
    granted_ = said == client_turns::step::granted;
    engine_.pass_on();
    return said;
}

bool shared_turn::ask_now(std::size_t units)
{
    if (ask(units) == client_turns::step::waits) of_.leave(client_, *this);
    return granted_;
}

bool shared_turn::resize(std::size_t units) noexcept
{
    if (!of_.resize(client_, units_, units)) return false;
    units_ = units;
    engine_.pass_on();
    return true;
}

void shared_turn::begin_work() noexcept { work_ = engine_.now(); }

void shared_turn::push()
{
    if (of_.is_next(*this)) engine_.make_way(of_);
}

void shared_turn::on_turn()
{
    granted_ = true;
    if (wakes_ != nullptr) wakes_->cancel();
}

} // namespace kubecoro::detail
