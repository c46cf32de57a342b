// Two replicas of which one works at a time: the second leads as soon as the first has stopped.
#include "example.hpp"

#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/core_v1/pod.hpp>

#include <string>

namespace asio = boost::asio;
using kubecoro::action;
using kubecoro::leadership;
using kubecoro::reconcile_context;
using kubecoro::typed_object;
using kubecoro::core_v1::pod;

namespace {

/// A program with one controller, as one of several.
//[replica
class replica
{
public:
    replica(asio::any_io_executor executor, kubecoro::client cluster, std::string identity)
        : informers_(cluster),
          elector_(executor, cluster, {.lease = "janitor", .identity = identity}),
          sweeper_(executor, informers_.get<pod>({.namespaces = {"shop"}}), sweep(identity, swept_),
                   {.name = "sweeper"})
    {
        informers_.start(); // a replica that waits has its stores filled already
    }
    /// Completes when this replica has led and been stopped, or has lost the leadership, which is a failure.
    asio::awaitable<kubecoro::result<>> run()
    {
        return elector_.run([this](leadership term) { return term.run(sweeper_); });
    }
    asio::awaitable<kubecoro::result<>> leading() { return elector_.leading(); }
    asio::awaitable<kubecoro::result<>> stop()
    {
        auto ended = co_await elector_.stop(); // the controller stops, then the Lease is released
        auto informers_ended = co_await informers_.stop();
        co_return ended ? informers_ended : ended;
    }
    //]
    asio::awaitable<kubecoro::result<>> swept() { return swept_.wait(); }

private:
    static kubecoro::typed_reconciler<pod> sweep(std::string identity, kubecoro::latch swept)
    {
        return [identity, swept](const typed_object<pod>& found,
                                 reconcile_context&) -> asio::awaitable<kubecoro::result<action>> {
            if (found.name() == "cart") {
                std::cout << identity << " sweeps " << found.key() << '\n';
                swept.settle({});
            }
            co_return action::done();
        };
    }

    kubecoro::latch swept_;
    kubecoro::informer_factory informers_;
    kubecoro::leader_elector elector_;
    kubecoro::controller<pod> sweeper_;
};

} // namespace

asio::awaitable<kubecoro::result<>> run(kubecoro::client client)
{
    const auto executor = co_await asio::this_coro::executor;
    replica first(executor, client, "first");
    replica second(executor, client, "second");
    kubecoro::task_group replicas(executor);
    replicas.spawn("first", first.run());
    auto outcome = co_await first.leading();
    if (outcome) outcome = co_await first.swept();
    replicas.spawn("second", second.run());
    auto first_ended = co_await first.stop();
    if (outcome) outcome = co_await second.leading();
    if (outcome) outcome = co_await second.swept();
    auto second_ended = co_await second.stop();
    auto ended = co_await replicas.join();
    if (!outcome) co_return outcome;
    if (!first_ended) co_return first_ended;
    co_return second_ended ? ended : second_ended;
}
