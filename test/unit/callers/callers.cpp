// The law that no awaitable changes the coroutine that awaits it, for all of them.
#include "callers.hpp"

#include <kubecoro/test/catch.hpp>

namespace callers_test {

apiserver::server_options world::server_options(kt::runner& run)
{
    apiserver::server_options o;
    o.time = run.shared_clock();
    return o;
}

client world::connect()
{
    client_options how;
    how.time = run.shared_clock();
    how.log = logger::silent();
    return client(run.executor(), std::make_shared<apiserver::in_process_transport>(server), how);
}

namespace {

factory_options quiet()
{
    factory_options o;
    o.log = logger::silent();
    return o;
}

constexpr auto objects = R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: one, namespace: default}
data: {a: "1"}
---
apiVersion: v1
kind: Namespace
metadata: {name: other}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: robot, namespace: default}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default}
spec: {containers: [{name: main, image: nginx}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: nginx}]}
)";

} // namespace

world::world()
    : server(run.executor(), server_options(run)),
      cluster(connect()),
      informers(std::in_place, cluster, quiet()),
      maps(informers->get<config_map>({.namespaces = {"default"}}))
{
    (void)must(server.load(objects, "objects"));
    informers->start();
    run.advance(1s);
}

world::~world()
{
    never.settle({});
    for (auto at = ends.rbegin(); at != ends.rend(); ++at) (*at)();
    ends.clear();
    (void)run.run(informers->stop());
    informers.reset();
    (void)run.run(server.stop());
}

} // namespace callers_test

using namespace callers_test;

TEST_CASE("callers: no public awaitable changes the state of the coroutine that awaits it", "[callers]")
{
    for (const auto& table :
         {of_base(), of_cache(), of_client(), of_collections(), of_controller(), of_manager(), of_server()}) {
        for (const auto& r : table) {
            for (const std::size_t handlers : {0, 1, 6}) {
                INFO(r.name << ", its caller cancelled after " << handlers << " handlers");
                world w;
                const auto call = [&](test::caller_after& seen) { return r.call(w, seen); };
                CHECK(test::left_by(w, call, handlers) == "");
            }
        }
    }
}
