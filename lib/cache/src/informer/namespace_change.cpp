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
    if (!names.empty() && lanes.of({}) != nullptr) names = {""}; // it covers the others
    for (const auto& ns : names) {
        const auto* const l = lanes.of(ns);
        if (l == nullptr) return failure(cond::cancelled, "namespace '" + ns + "' was removed before it was added");
        waits_->joined.emplace_back(l->describe(), l->gate);
    }
    waits_->left = alone_ ? lanes.leaving(*alone_) : lanes.leaving();
    return {};
}

asio::awaitable<result<>> namespace_change::wait(const std::shared_ptr<namespace_change>& change)
{
    return wait(change->made_, change->waits_);
}

asio::awaitable<result<>> namespace_change::wait(latch made, std::shared_ptr<waits> all)
{
    if (const auto done = co_await catch_failure(made.wait()); !done) co_return done;
    for (const auto& l : all->left) {
        if (const auto left = co_await catch_failure(l.wait()); !left) co_return left;
    }
    std::vector<awaited> joining;
    joining.reserve(all->joined.size());
    for (const auto& [what, gate] : all->joined) joining.push_back({what, gate.wait()});
    co_return co_await catch_failure(await_all(std::move(joining)));
}

} // namespace kubecoro::detail
