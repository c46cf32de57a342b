#include "waits/await_all.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/own_chain.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/task_group.hpp>

#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

asio::awaitable<result<>> await_one(std::string what, asio::awaitable<result<>> syncing, latch first,
                                    std::shared_ptr<std::atomic<std::size_t>> left)
{
    const auto synced = co_await std::move(syncing);
    if (!synced)
        first.settle(synced.error().because(what + " cannot sync"));
    else if (--*left == 0)
        first.settle({});
    co_return result<>{};
}

/// The waits of one call. They may be destroyed after the call itself, with their context.
struct waits
{
    std::shared_ptr<task_group> group;
    ~waits()
    {
        group->stop();
        group->keep_until_ended(group);
    }
};

asio::awaitable<result<>> first_of(task_group& waiters, std::vector<awaited> all, latch first)
{
    const auto left = std::make_shared<std::atomic<std::size_t>>(all.size());
    for (auto& a : all) {
        auto waiting = await_one(a.what, std::move(a.synced), first, left);
        waiters.spawn("wait for " + a.what, std::move(waiting));
    }
    co_return co_await first.wait();
}

asio::awaitable<result<>> await_each(std::vector<awaited> all)
{
    if (all.empty()) co_return result<>{};
    const auto executor = co_await asio::this_coro::executor;
    const latch first;
    const auto on_failure = [first](const std::string&, const failure& why) { first.settle(why); };
    const waits of{std::make_shared<task_group>(asio::make_strand(executor), logger::silent(), on_failure)};
    // Made before the waits, so that nothing can fail between them and their end.
    auto ended = of.group->stopped();
    const auto outcome = co_await catch_failure(first_of(*of.group, std::move(all), first));
    co_await std::move(ended);
    co_return outcome;
}

} // namespace

asio::awaitable<result<>> await_all(std::vector<awaited> all) { return finishing(await_each(std::move(all))); }

} // namespace kubecoro::detail
