// Two replicas that divide the pods of a cluster between them.
#include "example.hpp"

#include <kubecoro/base/task_group.hpp>
#include <kubecoro/core_v1/pod.hpp>

#include <string>
#include <utility>

namespace asio = boost::asio;
using kubecoro::action;
using kubecoro::object_key;
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
          member_(executor, cluster, {.group = "janitor", .identity = std::move(identity)}),
          sweeper_(executor, informers_.get<pod>({.namespaces = {"shop"}, .share = member_.share()}), sweep,
                   {.name = "sweeper", .share = member_.share()})
    {
        informers_.start();
        sweeper_.start();
    }
    /// Completes when this replica has left the group.
    asio::awaitable<kubecoro::result<>> run() { return member_.run(); }
    asio::awaitable<kubecoro::result<>> settled() { return member_.settled(); }
    asio::awaitable<kubecoro::result<>> stop()
    {
        auto left = co_await member_.stop(); // its runs end, then the others have its keys
        auto ended = co_await sweeper_.stop();
        auto informers_ended = co_await informers_.stop();
        if (!left) co_return left;
        co_return ended ? informers_ended : ended;
    }
    //]
    bool has(const object_key& key) const { return member_.share().covers(key); }
    const std::string& name() const { return member_.identity(); }

private:
    static asio::awaitable<kubecoro::result<action>> sweep(const typed_object<pod>&, reconcile_context&)
    {
        co_return action::done();
    }

    kubecoro::informer_factory informers_;
    kubecoro::shard_member member_;
    kubecoro::controller<pod> sweeper_;
};

void show(const replica& one, const replica& other)
{
    for (const object_key& key : {object_key{"shop", "cart"}, object_key{"shop", "search"}}) {
        if (one.has(key)) std::cout << key << ": " << one.name() << '\n';
        if (other.has(key)) std::cout << key << ": " << other.name() << '\n';
    }
}

} // namespace

asio::awaitable<kubecoro::result<>> run(kubecoro::client client)
{
    const auto executor = co_await asio::this_coro::executor;
    replica first(executor, client, "north");
    replica second(executor, client, "south");
    kubecoro::task_group replicas(executor);
    replicas.spawn("first", first.run());
    auto outcome = co_await first.settled();
    show(first, second);
    replicas.spawn("second", second.run());
    if (outcome) outcome = co_await second.settled();
    std::cout << "both:\n";
    show(first, second);
    auto first_ended = co_await first.stop();
    auto second_ended = co_await second.stop();
    auto ended = co_await replicas.join();
    if (!outcome) co_return outcome;
    if (!first_ended) co_return first_ended;
    co_return second_ended ? ended : second_ended;
}
