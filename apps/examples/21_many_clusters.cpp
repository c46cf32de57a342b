// One controller that works in every cluster of a fleet. Secrets with kubeconfigs register the clusters.
#include "example.hpp"

#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/secret.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <string>

namespace asio = boost::asio;
using kubecoro::action;
using kubecoro::object_key;
using kubecoro::reconcile_context;
using kubecoro::result;
using kubecoro::typed_object;
using kubecoro::core_v1::config_map;
using kubecoro::core_v1::secret;

namespace {

/// Answers each greeting of a cluster in that cluster.
class greeter
{
public:
    explicit greeter(kubecoro::manager& cluster)
        : name_(cluster.cluster()), client_(cluster.client()), maps_(cluster.lister<config_map>())
    {
    }
    asio::awaitable<result<action>> operator()(const typed_object<config_map>& greeting, reconcile_context&)
    {
        if (greeting.name() != "greeting") co_return action::done();
        const object_key answer(greeting.ns(), "answer");
        const auto edit = [&](config_map& m) {
            m.data["text"] = name_ + " says " + std::string(greeting->data()["text"]);
        };
        kubecoro::edit_options how;
        how.known = maps_.get(answer);
        KUBECORO_TRY(co_await kubecoro::create_or_update<config_map>(client_, answer, edit, how));
        co_return action::done();
    }

private:
    std::string name_;
    kubecoro::client client_;
    kubecoro::lister<config_map> maps_;
};

/// A cluster of the fleet, in this process.
struct far_cluster
{
    explicit far_cluster(asio::any_io_executor executor) : server(executor) {}

    /// Opens its port, makes a greeting, and returns an administrator's kubeconfig.
    asio::awaitable<result<std::string>> start()
    {
        kubecoro::apiserver::tls_identity_options who{.client_user = "admin", .client_groups = {"system:masters"}};
        who.now = std::chrono::system_clock::now();
        KUBECORO_TRY(const auto identity, kubecoro::apiserver::tls_identity::generate(who));
        kubecoro::apiserver::listener_options endpoint;
        endpoint.tls = identity;
        const std::string greeting =
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: greeting}, data: {text: hello}}";
        KUBECORO_TRY(const auto at, co_await server.listen(endpoint));
        KUBECORO_TRY(co_await server.load(greeting, "greeting"));
        kubecoro::apiserver::kubeconfig_entry entry;
        entry.server = at.url();
        entry.ca_certificate = identity.ca_certificate;
        entry.client_certificate = identity.client_certificate;
        entry.client_key = identity.client_key;
        co_return kubecoro::apiserver::kubeconfig_text(entry);
    }
    kubecoro::apiserver::embedded_server server;
};

/// Registers a cluster: what its administrator does.
asio::awaitable<result<>> enrol(kubecoro::client home, std::string name, std::string kubeconfig)
{
    secret s{
        .metadata = {.name = std::move(name), .labels = {{"sigs.k8s.io/multicluster-runtime-kubeconfig", "true"}}}};
    s.data["kubeconfig"] = kubecoro::bytes(std::move(kubeconfig));
    KUBECORO_TRY(co_await home.resource<secret>("default").create(s));
    co_return result<>();
}

asio::awaitable<result<>> print_answer(kubecoro::apiserver::embedded_server& server, kubecoro::time_source& time)
{
    const auto answered = [&server]() -> asio::awaitable<result<bool>> {
        const auto answer = co_await server.execute("GET", "/api/v1/namespaces/default/configmaps/answer");
        co_return answer.has_value();
    };
    const kubecoro::poll_timing often{.interval = std::chrono::milliseconds{10}};
    KUBECORO_TRY(co_await kubecoro::poll_until(time, often, answered));
    KUBECORO_TRY(const auto all, co_await server.objects("configmaps"));
    for (const auto& text : all) {
        const auto at = text.find(" says ");
        if (at == std::string::npos) continue;
        const auto from = text.rfind('"', at) + 1;
        std::cout << text.substr(from, text.find('"', at) - from) << '\n';
    }
    co_return result<>();
}

asio::awaitable<result<>> use(kubecoro::client home, kubecoro::manager& m, kubecoro::managed_clusters fleet)
{
    const auto executor = co_await asio::this_coro::executor;
    far_cluster eu(executor), us(executor);
    result<> outcome;
    for (auto* far : {&eu, &us}) {
        const std::string name = far == &eu ? "eu" : "us";
        KUBECORO_TRY(auto kubeconfig, co_await far->start());
        outcome = co_await enrol(home, name, kubeconfig);
        if (outcome) outcome = co_await print_answer(far->server, *m.time());
        if (!outcome) break;
    }
    for (const auto& c : fleet.stats()) std::cout << c.name << " is " << to_string(c.state) << '\n';
    if (outcome) {
        auto gone = co_await home.remove(secret::resource(), "default", "eu");
        if (!gone) outcome = gone.error();
    }
    const auto one_left = [&fleet]() -> asio::awaitable<result<bool>> { co_return fleet.stats().size() == 1; };
    const kubecoro::poll_timing often{.interval = std::chrono::milliseconds{10}};
    if (outcome) outcome = co_await kubecoro::poll_until(*m.time(), often, one_left);
    std::cout << "eu has left\n";
    auto stopped = co_await m.stop();
    for (auto* far : {&eu, &us}) co_await far->server.stop();
    co_return outcome ? stopped : outcome;
}

} // namespace

asio::awaitable<result<>> run(kubecoro::client client)
{
    //[fleet
    kubecoro::manager m(client, {.name = "greeter"});
    auto fleet = m.clusters(kubecoro::kubeconfig_secrets{.ns = "default"}, [](kubecoro::manager& cluster) {
        cluster.control<config_map>(greeter(cluster)).writes<config_map>();
    });
    //]
    m.start();
    auto outcome = co_await m.ready();
    if (outcome) outcome = co_await use(client, m, fleet);
    auto stopped = co_await m.stop();
    co_return outcome ? stopped : outcome;
}
