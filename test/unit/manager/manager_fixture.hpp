#pragma once
// A manager over an embedded server, in one process and in virtual time.

#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/namespace_.hpp>
#include <kubecoro/core_v1/secret.hpp>
#include <kubecoro/manager/manager.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/fault_plan.hpp>
#include <kubecoro/testing/faulty_transport.hpp>
#include <kubecoro/testing/recording.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace manager_test {

namespace asio = boost::asio;
namespace kt = kubecoro::testing;
using namespace std::chrono_literals;
using namespace kubecoro;
using core_v1::config_map;
using core_v1::namespace_;
using core_v1::secret;
using lines = std::vector<std::string>;
using ended = asio::awaitable<result<>>;
using reconciled = asio::awaitable<result<action>>;

struct world
{
    kt::runner run;
    kt::recording_logger log;
    apiserver::embedded_server server;
    std::shared_ptr<kt::fault_plan> faults = std::make_shared<kt::fault_plan>();
    client cluster;
    std::optional<manager> m;
    std::optional<kt::task<void>> running;

    explicit world(manager_options o = {}, user_info user = {"system:admin", {"system:masters"}})
        : server(run.executor(), server_options(run)), cluster(connect(user))
    {
        o.name = "subject";
        m.emplace(cluster, std::move(o));
    }
    ~world()
    {
        if (m) (void)run.run(m->stop());
        m.reset();
        CHECK(run.run(server.stop()).has_value());
    }
    world(const world&) = delete;
    world& operator=(const world&) = delete;

    /// Starts the manager, and lets a second pass.
    void begin()
    {
        running = run.spawn(m->run());
        run.advance(1s);
    }
    void put(const std::string& name, const std::string& value = "1")
    {
        const config_map wanted{.metadata = {.name = name}, .data = {{"a", value}}};
        REQUIRE(run.run(cluster.resource<config_map>("default").create(wanted)));
    }

private:
    static apiserver::server_options server_options(kt::runner& run)
    {
        apiserver::server_options o;
        o.time = run.shared_clock();
        return o;
    }
    client connect(user_info user)
    {
        client_options how;
        how.time = run.shared_clock();
        how.log = log.handle();
        auto direct = std::make_shared<apiserver::in_process_transport>(server, std::move(user));
        auto carrier = std::make_shared<kt::faulty_transport>(std::move(direct), faults, run.shared_clock());
        return client(run.executor(), std::move(carrier), how);
    }
};

/// A reconciler that can only be moved, with the lister of another kind.
struct janitor
{
    std::unique_ptr<lines> unused;
    lister<secret> secrets;
    lines* seen;

    janitor(manager& m, lines& s) : unused(std::make_unique<lines>()), secrets(m.lister<secret>()), seen(&s) {}

    reconciled operator()(const typed_object<config_map>& m, reconcile_context&)
    {
        seen->push_back(std::string(m.name()) + ":" + std::to_string(secrets.size()));
        co_return action::done();
    }
};

} // namespace manager_test
