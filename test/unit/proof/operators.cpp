// The operators of this project, proved.
#include "cluster_series.hpp"
#include "reloader.hpp"
#include "website_reconciler.hpp"

#include <kubecoro/proof/check_operator.hpp>
#include <kubecoro/test/catch.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace asio = boost::asio;
using namespace kubecoro;
namespace kt = kubecoro::testing;

namespace {

constexpr const char* two_sites = R"(
apiVersion: web.kubecoro.dev/v1
kind: Website
metadata: {name: blog}
spec: {pages: {index.html: hello}}
---
apiVersion: web.kubecoro.dev/v1
kind: Website
metadata: {name: shop}
spec: {pages: {index.html: buy}, replicas: 2}
)";

constexpr const char* configuration = R"(
apiVersion: v1
kind: Namespace
metadata: {name: web}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: web}
data: {a: one}
---
apiVersion: v1
kind: Secret
metadata: {name: login, namespace: web}
stringData: {token: abc}
)";

constexpr const char* workloads = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, namespace: web, annotations: {config-reloader.kubecoro.dev/reload: "true"}}
spec:
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
        - name: main
          image: example.com/image
          envFrom: [{configMapRef: {name: settings}}]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: web, annotations: {config-reloader.kubecoro.dev/reload: "true"}}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      containers:
        - name: main
          image: example.com/image
          envFrom: [{secretRef: {name: login}}]
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: web, annotations: {config-reloader.kubecoro.dev/reload: "true"}}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers:
        - name: main
          image: example.com/image
          envFrom: [{configMapRef: {name: settings}}]
)";

/// Makes the series again and again, as scrapes do.
asio::awaitable<result<>> scrape(std::shared_ptr<cluster_metrics::cluster_series> series,
                                 std::shared_ptr<time_source> time)
{
    for (;;) {
        auto parts = series->page().begin();
        for (std::string part; parts(part);) part.clear();
        KUBECORO_TRY(co_await sleep_for(*time, std::chrono::minutes{5}));
    }
}

result<> add_metrics(manager& m)
{
    auto series = cluster_metrics::cluster_series::make(m, {});
    if (!series) return series.error();
    m.run("series", [series = *series, &m] { return scrape(series, m.time()); }, {.needs_leadership = false});
    return {};
}

} // namespace

TEST_CASE("proof: the cluster-metrics breaks no promise", "[proof][operators]")
{
    kt::operator_check_options o;
    o.definitions = configuration;
    o.objects = workloads;
    o.name = "cluster-metrics";
    o.live = true;
    o.crashes = false; // it writes nothing
    o.seeds = 20;
    CHECK(kt::check_operator(add_metrics, o));
}

TEST_CASE("proof: the website operator breaks no promise", "[proof][operators]")
{
    kt::operator_check_options o;
    o.definitions = website_operator::definition().value();
    o.objects = two_sites;
    o.name = "website";
    o.live = true;
    o.seeds = 20;
    o.allowed = {{kt::oracle::cleans_up, "the list of websites stays, without entries", "configmaps default/websites"}};
    CHECK(kt::check_operator([](manager& m) { website_operator::add_websites(m); }, o));
}

TEST_CASE("proof: the config-reloader breaks no promise", "[proof][operators]")
{
    kt::operator_check_options o;
    o.definitions = configuration;
    o.objects = workloads;
    o.name = "config-reloader";
    o.live = true;
    o.seeds = 20;
    CHECK(kt::check_operator([](manager& m) { (void)config_reloader::add_reloader(m); }, o));
}
