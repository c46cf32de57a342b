// The manager, the program's own endpoints and its webhooks.
#include "callers.hpp"

#include <kubecoro/endpoints/access_filter.hpp>
#include <kubecoro/endpoints/endpoint_server.hpp>
#include <kubecoro/endpoints/health_checks.hpp>
#include <kubecoro/manager/cluster_provider.hpp>
#include <kubecoro/manager/manager.hpp>
#include <kubecoro/webhooks/webhooks.hpp>

namespace callers_test {
namespace {

manager& managing(world& w)
{
    manager_options o{.name = "subject"};
    o.log = logger::silent();
    auto& m =
        w.keep<manager>(std::make_shared<manager>(w.cluster, std::move(o)), [](manager& of) { return of.stop(); });
    (void)m.informer<config_map>();
    return m;
}

health_checks& checks(world& w)
{
    health_options o;
    o.time = w.run.shared_clock();
    o.log = logger::silent();
    auto& all = w.keep(std::make_shared<health_checks>(std::move(o)));
    (void)all.add_ready(
        "slow", [&w] { return w.never.wait(); }, 5s);
    (void)all.add_ready(
        "patient", [&w] { return sleep_for(w.run.clock(), 1s); }, 0s);
    return all;
}

access_filter& filter(world& w)
{
    access_filter_options o;
    o.time = w.run.shared_clock();
    return w.keep(std::make_shared<access_filter>(w.cluster, std::move(o)));
}

} // namespace

rows of_manager()
{
    return {
        {"endpoints/access_filter.hpp check", [](world& w) { return filter(w).check("a token", "/metrics"); }},
        {"endpoints/endpoint_server.hpp stop",
         [](world& w) { return w.keep(std::make_shared<endpoint_server>(w.run.executor())).stop(); }},
        {"endpoints/health_checks.hpp run",
         [](world& w) { return w.keep(std::make_shared<health_check>([&w] { return w.never.wait(); })).run(); }},
        {"endpoints/health_checks.hpp removed", [](world& w) { return checks(w).removed("slow"); }},
        {"endpoints/health_checks.hpp run",
         [](world& w) {
             auto& all = checks(w);
             return all.run(health_probe::ready, all.names(health_probe::ready));
         }},
        {"manager/cluster_provider.hpp run",
         [](world& w) {
             const cluster_sink nowhere(std::weak_ptr<kubecoro::detail::cluster_set>{});
             return w.keep(std::make_shared<manual_clusters>()).run(nowhere);
         }},
        {"manager/managed.hpp removed",
         [](world& w) {
             auto& m = managing(w);
             const auto part = m.run("part", [&w] { return w.never.wait(); });
             (void)w.run.spawn(m.run());
             w.run.advance(1s);
             return part.removed();
         }},
        {"manager/manager.hpp ready",
         [](world& w) {
             auto& m = managing(w);
             m.start();
             return m.ready();
         }},
        {"manager/manager.hpp run", [](world& w) { return managing(w).run(); }},
        {"manager/manager.hpp stop",
         [](world& w) {
             auto& m = managing(w);
             m.start();
             w.run.advance(1s);
             return m.stop();
         }},
        {"webhooks/webhooks.hpp answer",
         [](world& w) {
             auto& hooks = w.keep(std::make_shared<webhooks>(managing(w)));
             hooks.validates<config_map>([&w](const config_map&) -> asio::awaitable<verdict> {
                 co_await w.never.wait();
                 co_return verdict::allowed();
             });
             return hooks.answer({.target = "/validate--v1-configmap", .body = R"({"apiVersion":"admission.k8s.io/v1",
                 "kind":"AdmissionReview","request":{"uid":"1","resource":{"group":"","version":"v1","resource":"configmaps"},
                 "operation":"CREATE","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}}})"});
         }},
    };
}

} // namespace callers_test
