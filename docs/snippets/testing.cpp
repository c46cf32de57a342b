// Snippets of docs/guide/testing-an-operator.md: a program whose expectations hold.
#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/namespace_.hpp>
#include <kubecoro/kubecoro.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/fault_plan.hpp>
#include <kubecoro/testing/faulty_transport.hpp>
#include <kubecoro/testing/recording.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace asio = boost::asio;
namespace apiserver = kubecoro::apiserver;
namespace testing = kubecoro::testing;
using namespace std::chrono_literals;
using kubecoro::action;
using kubecoro::result;
using kubecoro::typed_object;
using kubecoro::core_v1::config_map;
using kubecoro::core_v1::namespace_;

namespace {

void expect(bool holds, const char* that)
{
    if (holds) return;
    std::cerr << "does not hold: " << that << '\n';
    std::exit(1);
}

asio::awaitable<result<action>> welcome(kubecoro::client cluster, const typed_object<namespace_>& found)
{
    if (found.being_deleted()) co_return action::done();
    const kubecoro::object_key key(found.name(), "welcome");
    const auto edit = [&](config_map& m) { m.data["text"] = "welcome to " + std::string(found.name()); };
    KUBECORO_TRY(co_await kubecoro::create_or_update<config_map>(cluster, key, edit));
    co_return action::done();
}

/// The operator under test: each namespace gets a config map `welcome`.
void add_operator(kubecoro::manager& m)
{
    const auto reconcile = [cluster = m.client()](const typed_object<namespace_>& found, kubecoro::reconcile_context&) {
        return welcome(cluster, found);
    };
    m.control<namespace_>(reconcile).writes<config_map>({"get", "create", "update", "patch"});
}

//[world
/// A cluster and a network in one process, in virtual time.
struct world
{
    testing::runner run;
    apiserver::embedded_server server{run.executor(), {.time = run.shared_clock()}};
    std::shared_ptr<testing::fault_plan> network = std::make_shared<testing::fault_plan>();
    testing::recording_logger log;

    /// For the test: passes no network.
    kubecoro::client administrator() { return connect(std::make_shared<apiserver::in_process_transport>(server)); }
    /// For the operator: a user with the rights of its roles, behind the network.
    kubecoro::client account(std::string user)
    {
        const kubecoro::user_info as{std::move(user)};
        auto direct = std::make_shared<apiserver::in_process_transport>(server, as);
        return connect(std::make_shared<testing::faulty_transport>(direct, network, run.shared_clock()));
    }

private:
    kubecoro::client connect(std::shared_ptr<kubecoro::transport> over)
    {
        kubecoro::client_options how;
        how.time = run.shared_clock();
        how.log = log.handle();
        return {run.executor(), std::move(over), how};
    }
};
//]

//[test
/// An operator with the rights that it declares, and no others, does its work.
asio::awaitable<result<>> welcomes_a_namespace(world& w, kubecoro::manager& m)
{
    const auto admin = w.administrator();
    const auto namespaces = admin.resource<namespace_>();
    const namespace_ home{.metadata = {.name = "ops"}};
    KUBECORO_TRY(co_await namespaces.create(home));
    const auto rights = kubecoro::rbac_manifest(m.rights(), {.name = "greeter", .ns = "ops"});
    KUBECORO_TRY(const auto manifests, kubecoro::load_manifests(rights, "rights"));
    KUBECORO_TRY(co_await kubecoro::apply_all(admin, manifests, {.field_manager = "test"}));

    m.start();
    KUBECORO_TRY(co_await m.ready()); // fails with the missing right, if there is one
    const namespace_ web{.metadata = {.name = "web"}};
    KUBECORO_TRY(co_await namespaces.create(web));
    KUBECORO_TRY(co_await kubecoro::sleep_for(w.run.clock(), 10s)); // takes no time
    KUBECORO_TRY(const auto map, co_await admin.resource<config_map>("web").get("welcome"));
    expect(map->data()["text"] == "welcome to web", "the text names the namespace");
    co_return result<>();
}
//]

//[faults
/// A request fails, then nothing passes for a minute. The operator catches up.
asio::awaitable<result<>> survives_an_outage(world& w)
{
    const auto admin = w.administrator();
    const auto too_many = testing::fault::status_answer(429, "TooManyRequests", 1s);
    w.network->add({.what = too_many, .method = "POST", .target = "/configmaps"}); // the first creation
    const namespace_ jobs{.metadata = {.name = "jobs"}};
    KUBECORO_TRY(co_await admin.resource<namespace_>().create(jobs));
    KUBECORO_TRY(co_await kubecoro::sleep_for(w.run.clock(), 500ms));
    w.network->set_down(true); // cuts the watches, and refuses connections
    KUBECORO_TRY(co_await kubecoro::sleep_for(w.run.clock(), 1min));
    w.network->set_down(false);
    KUBECORO_TRY(co_await kubecoro::sleep_for(w.run.clock(), 2min));
    KUBECORO_TRY(co_await admin.resource<config_map>("jobs").get("welcome"));
    expect(w.network->so_far().answered == 1, "the creation was refused once");
    expect(w.log.count("list failed") + w.log.count("watch") > 0, "the log says what happened");
    co_return result<>();
}
//]

/// The operator in two clusters, which join while it runs.
asio::awaitable<result<>> works_in_each_cluster(world& w)
{
    const auto client_of = [&w](apiserver::embedded_server& server) {
        kubecoro::client_options how;
        how.time = w.run.shared_clock();
        return kubecoro::client(w.run.executor(), std::make_shared<apiserver::in_process_transport>(server), how);
    };
    apiserver::embedded_server eu(w.run.executor(), {.time = w.run.shared_clock()});
    apiserver::embedded_server us(w.run.executor(), {.time = w.run.shared_clock()});
    kubecoro::manager m(w.administrator());
    const auto fleet = std::make_shared<kubecoro::manual_clusters>();
    m.clusters(fleet, add_operator);
    m.start();
    fleet->add("eu", client_of(eu));
    fleet->add("us", client_of(us));
    KUBECORO_TRY(co_await kubecoro::sleep_for(w.run.clock(), 10s));
    for (auto* const server : {&eu, &us}) {
        const auto maps = client_of(*server).resource<config_map>("default");
        KUBECORO_TRY(co_await maps.get("welcome"));
    }
    KUBECORO_TRY(co_await m.stop());
    KUBECORO_TRY(co_await eu.stop());
    co_return co_await us.stop();
}

} // namespace

int main()
{
    world w;
    kubecoro::manager m(w.account("system:serviceaccount:ops:greeter"), {.name = "greeter"});
    add_operator(m);
    const auto outcomes = {w.run.run(welcomes_a_namespace(w, m)), w.run.run(survives_an_outage(w)), w.run.run(m.stop()),
                           w.run.run(works_in_each_cluster(w)), w.run.run(w.server.stop())};
    for (const auto& outcome : outcomes)
        if (!outcome) return std::cerr << outcome.error() << '\n', 1;
}
