#pragma once
// Every public awaitable of the library, each with what it needs to be awaited.

#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/test/kept_caller.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace callers_test {

namespace asio = boost::asio;
namespace kt = kubecoro::testing;
using namespace kubecoro;
using namespace std::chrono_literals;
using core_v1::config_map;

/// A server in the process with some objects, a client, and an informer of config maps that runs.
struct world
{
    kt::runner run;
    apiserver::embedded_server server;
    client cluster;
    std::optional<informer_factory> informers;
    shared_informer<config_map> maps;
    latch never;
    /// Run before the rest ends.
    std::vector<std::function<void()>> ends;

    world();
    ~world();
    world(const world&) = delete;
    world& operator=(const world&) = delete;

    /// Completes, or fails, at once or in the end: what counts is the caller.
    template<class T>
    T must(asio::awaitable<result<T>> call)
    {
        return run.run(std::move(call)).value();
    }
    void must(asio::awaitable<result<>> call) { run.run(std::move(call)).value(); }
    /// Keeps a thing until the call is over; `end` stops it.
    template<class T>
    T& keep(std::shared_ptr<T> thing, std::function<asio::awaitable<result<>>(T&)> end = {})
    {
        ends.push_back([this, thing, end] {
            if (end) (void)run.run(end(*thing));
        });
        return *thing;
    }

private:
    static apiserver::server_options server_options(kt::runner& run);
    client connect();
};

/// A public awaitable: its header and name, and a function that returns it.
struct row
{
    template<class F>
    row(std::string n, F make)
        : name(std::move(n)), call([make](world& w, test::caller_after& seen) {
              return test::await_then_sleep(w.run.clock(), make(w), seen);
          })
    {
    }
    std::string name;
    std::function<asio::awaitable<result<>>(world&, test::caller_after&)> call;
};
using rows = std::vector<row>;

rows of_base();
rows of_cache();
rows of_client();
rows of_collections();
rows of_controller();
rows of_manager();
rows of_server();

} // namespace callers_test
