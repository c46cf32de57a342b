// Snippet of docs/guide/shutdown.md: a program that also ends when its server cannot be reached.
#include <kubecoro/core_v1/pod.hpp>
#include <kubecoro/kubecoro.hpp>
#include <kubecoro/program/run_program.hpp>

#include <chrono>
#include <iostream>

namespace asio = boost::asio;
using kubecoro::result;
using kubecoro::core_v1::pod;
using namespace std::chrono_literals;

//[program
asio::awaitable<result<>> count_pods(kubecoro::program_context context)
{
    const auto cluster = kubecoro::client::connect(context.executor);
    if (!cluster) co_return cluster.error();
    kubecoro::informer_factory informers(*cluster);
    auto pods = informers.get<pod>();
    informers.start();
    // Without a server this waits for the signal, and for the grace period after it.
    KUBECORO_TRY(co_await pods.has_synced());
    std::cout << pods.lister().size() << " pods\n";
    KUBECORO_TRY(co_await context.stop.wait());
    co_return co_await informers.stop();
}

int main() { return kubecoro::run_program(count_pods, "pods", 5s); }
//]
