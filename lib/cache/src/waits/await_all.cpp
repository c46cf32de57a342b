#include "waits/await_all.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/finishing.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/task_group.hpp>

#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
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

asio::awaitable<result<>> await_each(std::vector<awaited> all)
{
    if (all.empty()) co_return result<>{};
    const auto executor = co_await asio::this_coro::executor;
    task_group waiters(asio::make_strand(executor));
    const latch first;
    const auto left = std::make_shared<std::atomic<std::size_t>>(all.size());
    for (auto& a : all) {
        auto waiting = await_one(a.what, std::move(a.synced), first, left);
        waiters.spawn("wait for " + a.what, std::move(waiting));
    }
    auto waiting = catch_failure(first.wait());
    const auto outcome = co_await std::move(waiting);
    waiters.stop();
    while (waiters.running() != 0) { // a cancellation may end join() early; the group must outlive its waiters
        auto ending = waiters.join();
        co_await std::move(ending);
    }
    co_return outcome;
}

} // namespace

asio::awaitable<result<>> await_all(std::vector<awaited> all) { return finishing(await_each(std::move(all))); }

} // namespace kubecoro::detail
