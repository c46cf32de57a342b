// kubecoro_e2e_replica elect|divide NAMESPACE IDENTITY
//
// One replica of an operator, for tests that kill it. Prints a line for each thing that happens: "leads", "settled N" with the number of
// members, "begin KEY" and "end KEY" of each run. Stops at SIGTERM.
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/client/kubeconfig.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/controller/leader_elector.hpp>
#include <kubecoro/controller/shard_member.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace std::chrono_literals;
using untyped::config_map;

namespace {

void say(const std::string& line)
{
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
}

asio::awaitable<result<>> lead(leadership term)
{
    say("leads");
    co_return co_await term.ending();
}

asio::awaitable<result<action>> sweep(object_key key, reconcile_context&)
{
    say("begin " + key.name);
    co_await sleep_for(*real_clock(), 20ms);
    say("end " + key.name);
    co_return action::done();
}

asio::awaitable<void> elect(client cluster, leader_election_options options, asio::signal_set& asked)
{
    leader_elector elector(co_await asio::this_coro::executor, std::move(cluster), std::move(options));
    asked.async_wait([&elector](const boost::system::error_code& e, int) {
        if (!e) elector.request_stop();
    });
    const auto ended = co_await elector.run(lead);
    if (!ended) say("failed: " + ended.error().describe());
    asked.cancel();
}

asio::awaitable<result<>> watch_members(const shard_member& member)
{
    std::size_t said = 0;
    for (;;) {
        const auto s = member.stats();
        const auto settled = s.state == shard_state::settled ? s.members : 0;
        if (std::exchange(said, settled) != settled) say("settled " + std::to_string(settled));
        if (const auto woken = co_await sleep_for(*real_clock(), 10ms); !woken) co_return woken;
    }
}

asio::awaitable<void> divide(client cluster, std::string ns, shard_options options, asio::signal_set& asked)
{
    const auto executor = co_await asio::this_coro::executor;
    informer_factory informers(cluster);
    shard_member member(executor, cluster, std::move(options));
    controller<object> sweeper(executor, sweep, {.name = "sweeper", .workers = 4, .share = member.share()});
    informer_options kept{.namespaces = {std::move(ns)}, .label_selector = "swept=yes", .share = member.share()};
    sweeper.watch(informers.get<config_map>(std::move(kept)), enqueue_object());
    informers.start();
    sweeper.start();
    asked.async_wait([&member](const boost::system::error_code& e, int) {
        if (!e) member.request_stop();
    });
    co_await race(member.run(), watch_members(member));
    co_await sweeper.stop();
    co_await informers.stop();
    asked.cancel();
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 4) return 2;
    const std::string ns = argv[2];
    const auto* const path = std::getenv("KUBECORO_E2E_KUBECONFIG");
    auto config = load_kubeconfig({.path = path ? path : ""});
    if (!config) {
        say("failed: " + config.error().describe());
        return 1;
    }
    asio::io_context context(1);
    asio::signal_set asked(context, SIGTERM);
    const auto cluster = client::create(context.get_executor(), std::move(*config)).value();
    if (std::string(argv[1]) == "elect")
        asio::co_spawn(context, elect(cluster, {.lease = "operator", .ns = ns, .identity = argv[3]}, asked),
                       asio::detached);
    else
        asio::co_spawn(context, divide(cluster, ns, {.group = "operator", .ns = ns, .identity = argv[3]}, asked),
                       asio::detached);
    context.run();
}
