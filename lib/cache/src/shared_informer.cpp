#include "informer_engine.hpp"

#include <kubecoro/base/guard.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/cache/shared_informer.hpp>

#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>

#include <atomic>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {

registration shared_informer::add_event_handler(event_handler handler, handler_options options) const
{
    return registration(engine_->add_handler(std::move(handler), std::move(options)));
}

subscription shared_informer::subscribe(subscription_options options) const
{
    return subscription(engine_->add_subscription(std::move(options)));
}

result<> shared_informer::add_index(std::string name, index_function f) const
{
    return engine_->add_index(std::move(name), std::move(f));
}

kubecoro::lister shared_informer::lister() const { return kubecoro::lister(engine_->content()); }
asio::awaitable<result<>> shared_informer::has_synced() const { return engine_->gate().wait(); }
bool shared_informer::synced() const noexcept { return engine_->gate().is_open(); }
informer_state shared_informer::state() const { return engine_->state(); }
std::string shared_informer::last_resource_version() const { return engine_->last_resource_version(); }
informer_stats shared_informer::stats() const { return engine_->stats(); }
std::string shared_informer::describe() const { return engine_->describe(); }
const resource_type& shared_informer::resource() const noexcept { return engine_->resource(); }

namespace {

asio::awaitable<result<>> await_one(shared_informer informer, latch first,
                                    std::shared_ptr<std::atomic<std::size_t>> left)
{
    auto waiting = informer.has_synced();
    const auto synced = co_await std::move(waiting);
    if (!synced)
        first.settle(synced.error().because(informer.resource().display_name() + " cannot sync"));
    else if (--*left == 0)
        first.settle({});
    co_return result<>{};
}

} // namespace

asio::awaitable<result<>> wait_for_cache_sync(std::vector<shared_informer> informers)
{
    if (informers.empty()) co_return result<>{};
    const auto executor = co_await asio::this_coro::executor;
    task_group waiters(asio::make_strand(executor));
    const latch first;
    const auto left = std::make_shared<std::atomic<std::size_t>>(informers.size());
    for (auto& i : informers) waiters.spawn("wait for " + i.resource().display_name(), await_one(i, first, left));
    auto waiting = guard(first.wait());
    const auto outcome = co_await std::move(waiting);
    waiters.stop();
    co_await finish_despite_cancellation();
    auto ending = waiters.join();
    co_await std::move(ending);
    co_return outcome;
}

} // namespace kubecoro
