// Snippets of docs/guide/controllers.md: what surrounds a reconciler.
#include <kubecoro/api/crd.hpp>
#include <kubecoro/apiextensions_v1/custom_resource_definition.hpp>
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/kubecoro.hpp>

#include <boost/json.hpp>

#include <chrono>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using kubecoro::action;
using kubecoro::reconcile_context;
using kubecoro::result;
using kubecoro::typed_object;
using kubecoro::core_v1::config_map;

//[finalizer
asio::awaitable<result<action>> apply(const typed_object<config_map>& shop, reconcile_context& context);
/// Removes what the shop has outside the cluster. Runs again until it returns done(), and must accept that all is gone.
asio::awaitable<result<action>> clean_up(const typed_object<config_map>& shop, reconcile_context& context);

kubecoro::controller<config_map> shops(kubecoro::client cluster, kubecoro::informer_factory& informers)
{
    auto reconcile = kubecoro::with_finalizer<config_map>(cluster, "example.com/cleanup", apply, clean_up);
    return {cluster.executor(), informers.get<config_map>(), reconcile, {.name = "shops"}};
}
//]

//[install
/// Installs the definition of the struct, and returns when the server serves it.
template<class Shop>
asio::awaitable<result<>> prepare(kubecoro::client cluster)
{
    KUBECORO_TRY(auto definition, kubecoro::definition_of<Shop>());
    std::vector<boost::json::value> definitions{definition};
    KUBECORO_TRY(co_await kubecoro::install_crds(cluster, std::move(definitions)));
    co_return result<>{};
}
//]

//[install_first
/// Adds the installation to an operator. Its informers wait for the definition, and retry until it is there.
template<class Shop>
void install_first(kubecoro::manager& m)
{
    const auto install = [cluster = m.client()] { return prepare<Shop>(cluster); };
    m.run("install", install, {.needs_leadership = false, .needs_informers = false});
    m.needs<kubecoro::apiextensions_v1::custom_resource_definition>({"get", "watch", "create", "patch"});
}
//]

asio::awaitable<result<>> sweep_disks();

//[every
/// Runs once an hour until the group is stopped; a failure is logged, and the next run comes at its time.
void begin_sweeping(kubecoro::task_group& tasks)
{
    kubecoro::periodic_options how{.name = "sweep", .period = 1h, .deadline = 10min};
    tasks.spawn("sweep", kubecoro::every(how, sweep_disks));
}
//]
