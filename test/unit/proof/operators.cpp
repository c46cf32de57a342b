// The operators of this project, proved.
#include "reloader.hpp"
#include "website_reconciler.hpp"

#include <kubecoro/proof/check_operator.hpp>
#include <kubecoro/test/catch.hpp>

#include <string>

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

} // namespace

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
    o.surroundings = configuration;
    o.objects = workloads;
    o.name = "config-reloader";
    o.live = true;
    o.seeds = 20;
    CHECK(kt::check_operator([](manager& m) { (void)config_reloader::add_reloader(m); }, o));
}
