// Snippets of docs/guide/controllers.md: what surrounds a reconciler.
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/kubecoro.hpp>

namespace asio = boost::asio;
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
