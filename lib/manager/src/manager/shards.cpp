// The membership of a manager in a group that divides keys.
#include "manager/manager_engine.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/timeout.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

asio::awaitable<result<>> leave_when_asked(shard_member& member, latch stop)
{
    auto asked = stop.wait();
    const auto settled = co_await std::move(asked);
    if (!settled) co_return settled;
    auto leaving = member.stop();
    co_return co_await std::move(leaving);
}

asio::awaitable<result<>> keep_outcome(asio::awaitable<result<>> work, result<>& out)
{
    auto guarded = catch_failure(std::move(work));
    out = co_await std::move(guarded);
    co_return result<>{};
}

} // namespace

/// A part like others: it joins when the informers have synced, and leaves with the controllers.
void manager_engine::join_group()
{
    member_.emplace(executor_.get(), cluster, options.shards);
    const patient_runnable body = [this](latch stop) { return be_member(*this, std::move(stop)); };
    (void)add_runnable("shards", body, true, {.needs_leadership = false});
}

asio::awaitable<result<>> manager_engine::be_member(manager_engine& self, latch stop)
{
    result<> outcome;
    auto running = keep_outcome(self.member_->run(), outcome);
    auto both = race(std::move(running), leave_when_asked(*self.member_, std::move(stop)));
    co_await std::move(both);
    co_return outcome;
}

} // namespace kubecoro::detail
