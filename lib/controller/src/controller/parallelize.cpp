#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/own_chain.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/controller/parallelize.hpp>

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {
namespace {

struct job
{
    std::size_t pieces;
    std::function<asio::awaitable<result<>>(std::size_t)> work;
    std::size_t next = 0;
    result<> first_failure = {};
    bool cancelled = false;
};

asio::awaitable<result<>> call(job& of, std::size_t piece) { co_return co_await of.work(piece); }

asio::awaitable<result<>> run(std::shared_ptr<job> of)
{
    while (of->next < of->pieces && !of->cancelled) {
        const auto done = co_await catch_failure(call(*of, of->next++));
        co_await detail::own_filter();
        co_await detail::own_throws();
        if (!done && of->first_failure) of->first_failure = done;
    }
    co_return result<>{};
}

/// The workers of one call. They may be destroyed after the call itself, with their context.
struct workers
{
    std::shared_ptr<job> of;
    std::shared_ptr<task_group> group;
    void stop() const
    {
        of->cancelled = true;
        group->stop();
    }
    ~workers()
    {
        stop();
        group->keep_until_ended(group);
    }
};

asio::awaitable<result<>> run_all(std::shared_ptr<job> shared, unsigned most)
{
    const auto executor = co_await asio::this_coro::executor;
    const workers crew{shared, std::make_shared<task_group>(executor)};
    const auto count = std::min<std::size_t>(std::max(most, 1U), shared->pieces);
    for (std::size_t n = 0; n < count; ++n) crew.group->spawn("a worker of parallelize", run(shared));
    const auto joined = co_await crew.group->join();
    if (joined) co_return shared->first_failure;
    crew.stop();
    while (crew.group->running() != 0) (void)co_await crew.group->join(); // the join may be cancelled again
    co_return joined;
}

} // namespace

asio::awaitable<result<>> parallelize(std::size_t pieces, std::function<asio::awaitable<result<>>(std::size_t)> work,
                                      unsigned workers)
{
    return detail::finishing(run_all(std::make_shared<job>(job{pieces, std::move(work)}), workers));
}

} // namespace kubecoro
