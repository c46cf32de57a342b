// From event to work: a handler adds keys to a queue, workers take them, and failures are retried later.
#include "example.hpp"

#include <kubecoro/base/try.hpp>
#include <kubecoro/core_v1/pod.hpp>

namespace asio = boost::asio;
using kubecoro::object_key;
using kubecoro::core_v1::pod;

namespace {

/// The work for one pod. The first attempt for the cart fails.
kubecoro::result<> greet(const kubecoro::lister<pod>& pods, const object_key& key, unsigned failures)
{
    const auto found = pods.get(key);
    if (!found) return kubecoro::result<>(); // deleted since: nothing to do
    if (key.name == "cart" && failures == 0) return kubecoro::failure(kubecoro::cond::retry_later, "not yet");
    std::cout << key << " runs on " << found->spec().nodeName() << '\n';
    return kubecoro::result<>();
}

/// One worker; any number may run. Ends after `greetings` pods were greeted.
asio::awaitable<kubecoro::result<>> work(kubecoro::workqueue<object_key>& queue, kubecoro::lister<pod> pods,
                                         int greetings)
{
    while (greetings > 0) {
        KUBECORO_TRY(auto item, co_await queue.get()); // ends when the queue was shut down
        const auto greeted = greet(pods, item.key(), item.num_requeues());
        if (!greeted) std::cout << item.key() << ": " << greeted.error().message() << '\n';
        if (!greeted) {
            item.retry(); // after 5 ms, then 10 ms, ...
        } else {
            item.succeeded();
            --greetings;
        }
    }
    co_return kubecoro::result<>();
}

} // namespace

asio::awaitable<kubecoro::result<>> run(kubecoro::client client)
{
    const auto executor = co_await asio::this_coro::executor;
    kubecoro::workqueue<object_key> queue(executor, {.name = "greetings"});
    kubecoro::informer_factory informers(client);
    auto pods = informers.get<pod>({.namespaces = {"shop", "jobs"}});
    pods.add_event_handler({
        .on_add = [&queue](const kubecoro::added<pod>& e) { queue.add(e.obj.key(), kubecoro::priority::low); },
        .on_update = [&queue](const kubecoro::updated<pod>& e) { queue.add(e.after.key()); },
        .on_delete = [&queue](const kubecoro::deleted<pod>& e) { queue.add(e.obj.key()); },
    });

    informers.start();
    auto outcome = co_await pods.has_synced(); // workers read the store, so it must be filled
    if (outcome) outcome = co_await work(queue, pods.lister(), 3);
    auto stopped = co_await informers.stop(); // no more events; then drain the queue
    auto drained = co_await queue.shut_down_with_drain();
    if (!outcome) co_return outcome;
    co_return stopped ? drained : stopped;
}
