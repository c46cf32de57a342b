// kubecoro as a subject of the bench of webhooks: see test/bench/README.md, "Webhooks".
#include <kubecoro/client/detail/no_server.hpp>
#include <kubecoro/core_v1/pod.hpp>
#include <kubecoro/manager/manager.hpp>
#include <kubecoro/webhooks/webhooks.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <thread>

namespace {

namespace asio = boost::asio;
using namespace kubecoro;
using core_v1::pod;

void label(pod& p) { p.metadata.labels["bench.example.com/seen"] = "yes"; }

verdict check(const pod& p)
{
    for (const auto& c : p.spec.containers)
        if (c.image && c.image->ends_with(":latest")) return verdict::denied(c.name.value_or("") + " has no version");
    return verdict::allowed();
}

asio::awaitable<void> announce(webhooks hooks)
{
    asio::steady_timer pause(co_await asio::this_coro::executor);
    while (hooks.url().empty()) {
        pause.expires_after(std::chrono::milliseconds(10));
        co_await pause.async_wait(asio::use_awaitable);
    }
    std::cout << R"({"ready":true})" << std::endl;
}

/// A failure ends the program, so that the driver sees it.
void end(const result<>& outcome)
{
    if (!outcome) std::cerr << "kubecoro_bench_hooks: " << outcome.error().describe() << '\n';
    std::_Exit(outcome ? 0 : 1);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 3) {
        std::cerr << "usage: kubecoro_bench_hooks FOLDER PORT\n";
        return 1;
    }
    const std::string folder(argv[1]);
    asio::io_context io{1};
    manager m(client(io.get_executor(), std::make_shared<detail::no_server>()), {.name = "bench"});
    webhooks hooks(m, {.address = std::string("127.0.0.1:") + argv[2],
                       .certificate_file = folder + "/tls.crt",
                       .key_file = folder + "/tls.key",
                       .install = false});
    hooks.validates<pod>(check).mutates<pod>(label);
    asio::co_spawn(io, m.run(), [](const std::exception_ptr&, const result<>& outcome) { end(outcome); });
    asio::co_spawn(io, announce(hooks), asio::detached);
    std::thread input([&m] {
        while (std::cin.get() != std::char_traits<char>::eof()) {
        }
        m.request_stop();
    });
    io.run();
    input.join();
    return 0;
}
