// kubecoro as a subject of the bench of controllers: see test/bench/README.md, "Controllers".
#include "counting.hpp"

#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/controller/leader_elector.hpp>
#include <kubecoro/core_v1/config_map.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <malloc.h>

namespace {

namespace asio = boost::asio;
using namespace kubecoro;
using kubecoro::bench::counting;

constexpr std::string_view usage =
    "usage: kubecoro_bench_reconciler KUBECONFIG reconcile OBJECTS CONTROLLERS | lead LEASE\n";

void say(const std::string& line) { std::cout << line << std::endl; }

/// A failure ends the program, so that the driver sees it.
void demand(const result<>& outcome)
{
    if (outcome) return;
    std::cerr << "kubecoro_bench_reconciler: " << outcome.error().describe() << '\n';
    std::_Exit(1);
}

/// Controllers of config maps that read each of them and change nothing.
class reconcilers
{
public:
    reconcilers(const client& cluster, counting& counted, std::size_t controllers)
        : counted_(counted), informers_(cluster), maps_(informers_.get<core_v1::config_map>()), lister_(maps_.lister())
    {
        for (std::size_t n = 0; n < controllers; ++n) {
            controller_options options{.name = "bench-" + std::to_string(n)};
            auto run = [this](const object_key& key, reconcile_context&) { return read(key); };
            all_.push_back(std::make_unique<controller<>>(cluster.executor(), run, std::move(options)));
            all_.back()->watch(maps_, enqueue_object());
            all_.back()->start();
        }
        informers_.start();
    }
    /// Requests a run of every object from the first controller.
    void trigger_all()
    {
        lister_.for_each([this](const auto& o) { all_.front()->trigger(o.key()); });
    }

    /// The number of objects, those that the server has by itself included.
    [[nodiscard]] std::uint64_t size() const { return lister_.size(); }

private:
    asio::awaitable<result<action>> read(const object_key& key)
    {
        if (lister_.get(key)) counted_.count();
        co_return action::done();
    }

    counting& counted_;
    informer_factory informers_;
    shared_informer<core_v1::config_map> maps_;
    lister<core_v1::config_map> lister_;
    std::vector<std::unique_ptr<controller<>>> all_;
};

void settle()
{
    malloc_trim(0);
    say(R"({"settled":true})");
}

/// The controllers run until the end of the program.
[[noreturn]] void reconcile_all(const client& cluster, asio::io_context& io, std::uint64_t objects,
                                std::size_t controllers)
{
    counting counted(objects * controllers);
    reconcilers running(cluster, counted, controllers);
    const std::jthread runs([&io] { io.run(); });
    counted.wait();
    say(R"({"ready":true,"reconciled":)" + std::to_string(counted.now()) + "}");
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string command;
        std::uint64_t times = 0;
        words >> command >> times;
        if (command != "again") {
            settle();
            continue;
        }
        const auto before = counted.now();
        while (times-- > 0) {
            counted.expect(running.size());
            asio::post(io, [&running] { running.trigger_all(); });
            counted.wait();
        }
        say(R"({"reconciled":)" + std::to_string(counted.now() - before) + "}");
    }
    std::_Exit(0);
}

asio::awaitable<result<>> lead_until_the_end(leadership mine)
{
    say(R"({"leading":true})");
    co_return co_await mine.ending();
}

asio::awaitable<void> be_candidate(client cluster, std::string lease)
{
    leader_elector elector(cluster.executor(), cluster, {.lease = std::move(lease), .ns = "default"});
    asio::signal_set signals(cluster.executor(), SIGTERM);
    signals.async_wait([&elector](boost::system::error_code failed, int) {
        if (!failed) elector.request_stop_at_once();
    });
    say(R"({"ready":true})");
    const leader_work work = &lead_until_the_end;
    demand(co_await elector.run(work));
}

int run(const std::vector<std::string>& words)
{
    asio::io_context io(1);
    client_options how;
    how.kubeconfig = words[0];
    const auto cluster = client::connect(io.get_executor(), how);
    if (!cluster) {
        demand(cluster.error());
        return 1;
    }
    if (words[1] == "reconcile" && words.size() == 4)
        reconcile_all(*cluster, io, std::stoull(words[2]), std::stoull(words[3]));
    if (words[1] != "lead" || words.size() != 3) {
        std::cerr << usage;
        return 2;
    }
    asio::co_spawn(io, be_candidate(*cluster, words[2]), [](const std::exception_ptr& e) {
        if (e) std::rethrow_exception(e);
    });
    io.run();
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() >= 2) return run(words);
    std::cerr << usage;
    return 2;
}
