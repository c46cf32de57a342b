#include "informer/namespace_change.hpp"

#include "waits/await_all.hpp"

#include <kubecoro/base/catch_failure.hpp>

#include <set>

namespace asio = boost::asio;

namespace kubecoro::detail {

void namespace_change::made(const lane_set& lanes, const result<>& outcome)
{
    made_.settle(outcome ? collect(lanes) : outcome);
}

result<> namespace_change::collect(const lane_set& lanes)
{
    std::set<std::string> names(join_.begin(), join_.end());
    const bool joins = !names.empty();
    bool all = false;
    for (const auto& l : lanes.all()) {
        all = all || l->ns().empty();
        if (names.erase(l->ns()) != 0 || (l->ns().empty() && joins))
            waits_->joined.emplace_back(l->describe(), l->gate);
    }
    if (!all && !names.empty())
        return failure(cond::cancelled, "namespace '" + *names.begin() + "' was removed before it was added");
    waits_->left = lanes.leaving();
    return {};
}

asio::awaitable<result<>> namespace_change::wait(const std::shared_ptr<namespace_change>& change)
{
    return wait(change->made_, change->waits_);
}

asio::awaitable<result<>> namespace_change::wait(latch made, std::shared_ptr<waits> all)
{
    auto making = catch_failure(made.wait());
    if (const auto done = co_await std::move(making); !done) co_return done;
    for (const auto& l : all->left) {
        auto leaving = catch_failure(l.wait());
        if (const auto left = co_await std::move(leaving); !left) co_return left;
    }
    std::vector<awaited> joining;
    joining.reserve(all->joined.size());
    for (const auto& [what, gate] : all->joined) joining.push_back({what, gate.wait()});
    auto syncing = catch_failure(await_all(std::move(joining)));
    co_return co_await std::move(syncing);
}

} // namespace kubecoro::detail
