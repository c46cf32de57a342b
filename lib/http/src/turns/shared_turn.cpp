#include <kubecoro/http/detail/shared_turn.hpp>

namespace kubecoro::detail {

shared_turn::~shared_turn()
{
    if (work_) of_.spend(*work_, board_.now());
    if (granted_)
        of_.give_back(client_, units_);
    else
        of_.leave(client_, *this);
    board_.pass_on();
}

client_turns::step shared_turn::ask(std::size_t units)
{
    units_ = units;
    const auto said = of_.ask(client_, *this, board_.now(), units);
    granted_ = said == client_turns::step::granted;
    board_.pass_on();
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
    board_.pass_on();
    return true;
}

void shared_turn::push()
{
    if (of_.is_next(*this)) board_.make_way(of_);
}

void shared_turn::on_turn()
{
    granted_ = true;
    if (wakes_ != nullptr) wakes_->cancel();
}

} // namespace kubecoro::detail
