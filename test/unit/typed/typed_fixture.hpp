#pragma once
// An embedded server, a client and informers in virtual time, for tests of typed use.

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace typed_test {

using namespace kubecoro;
using namespace std::chrono_literals;
using core_v1::config_map;
namespace asio = boost::asio;
using lines = std::vector<std::string>;

struct world
{
    testing::runner run;
    apiserver::embedded_server server;
    client cluster;
    informer_factory informers;

    world()
        : server(run.executor(), apiserver::server_options()),
          cluster(run.executor(), std::make_shared<apiserver::in_process_transport>(server), with_clock()),
          informers(cluster, informing())
    {
    }
    ~world()
    {
        CHECK(run.run(informers.stop()).has_value());
        CHECK(run.run(server.stop()).has_value());
    }
    world(const world&) = delete;
    world& operator=(const world&) = delete;

    [[nodiscard]] resource_client<config_map> maps() const { return cluster.resource<config_map>("default"); }
    /// Starts an informer of config maps and fills it.
    [[nodiscard]] shared_informer<config_map> synced()
    {
        auto all = informers.get<config_map>();
        informers.start();
        REQUIRE(run.run(all.has_synced()).has_value());
        return all;
    }
    void put(const std::string& name, const std::string& a)
    {
        REQUIRE(run.run(maps().create(map_of(name, a))).has_value());
    }
    void change(const std::string& name, const std::string& a)
    {
        REQUIRE(run.run(maps().update(map_of(name, a))).has_value());
    }
    void remove(const std::string& name) { REQUIRE(run.run(maps().remove(name)).has_value()); }
    /// Until what was written is delivered.
    void settle() { run.advance(1s); }

    static config_map map_of(const std::string& name, const std::string& a)
    {
        return {.metadata = {.name = name, .labels = {{"a", a}}}, .data = {{"a", a}}};
    }

private:
    [[nodiscard]] client_options with_clock() const
    {
        client_options how;
        how.time = run.shared_clock();
        return how;
    }
    [[nodiscard]] factory_options informing() const
    {
        factory_options how;
        how.time = run.shared_clock();
        how.seed = 1;
        return how;
    }
};

inline std::string a_of(const typed_object<config_map>& m) { return std::string(m->data()["a"]); }

} // namespace typed_test
