// Rights as values, manifests and reviews.
#include "rights/access_check.hpp"

#include <kubecoro/apps_v1/deployment.hpp>
#include <kubecoro/core_v1/node.hpp>
#include <kubecoro/manager/access_right.hpp>
#include <kubecoro/test/catch.hpp>

using namespace kubecoro;
using namespace kubecoro::detail;
using rights = std::vector<access_right>;

namespace {

const resource_type& deployments = apps_v1::deployment::resource();

access_right in(access_right r, std::string ns, std::string name = {})
{
    r.ns = std::move(ns);
    r.name = std::move(name);
    return r;
}

} // namespace

TEST_CASE("rights: of one resource the verbs are united, in the usual order", "[rights]")
{
    CHECK(
        merged({right_to(deployments, {"watch", "frob"}), right_to(deployments, {"create", "get", "watch"}),
                right_to(deployments, {"patch"}, "status")}) ==
        rights{right_to(deployments, {"get", "watch", "create", "frob"}), right_to(deployments, {"patch"}, "status")});
}

TEST_CASE("rights: what is allowed everywhere is not repeated for one namespace or one object", "[rights]")
{
    const auto all = right_to(deployments, {"get", "list"});
    CHECK(merged({in(right_to(deployments, {"get", "update"}), "web"), all}) ==
          rights{all, in(right_to(deployments, {"update"}), "web")});
    CHECK(merged({in(right_to(deployments, {"list"}), "web"), all}) == rights{all});
    CHECK(merged({in(right_to(deployments, {"get"}), "web", "shop"), in(right_to(deployments, {"get"}), "web")}) ==
          rights{in(right_to(deployments, {"get"}), "web")});
    // Neither is wider.
    CHECK(merged({in(right_to(deployments, {"get"}), "", "shop"), in(right_to(deployments, {"get"}), "web")}).size() ==
          2);
    CHECK(merged({in(right_to(deployments, {"get"}), "jobs"), in(right_to(deployments, {"get"}), "web")}).size() == 2);
}

TEST_CASE("rights: a manifest has a role for all namespaces and one for each that is named", "[rights]")
{
    const auto text = rbac_manifest(
        {right_to(core_v1::node::resource(), {"list", "get"}), right_to(deployments, {"get", "list"}),
         right_to(deployments, {"get", "list"}, "status"), in(right_to(deployments, {"delete"}), "web", "shop")},
        {.name = "janitor", .ns = "ops"});
    CHECK(text == R"(apiVersion: v1
kind: ServiceAccount
metadata:
  name: janitor
  namespace: ops
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: janitor
rules:
- apiGroups:
  - ""
  resources:
  - nodes
  verbs:
  - get
  - list
- apiGroups:
  - apps
  resources:
  - deployments
  - deployments/status
  verbs:
  - get
  - list
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: janitor
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: janitor
subjects:
- kind: ServiceAccount
  name: janitor
  namespace: ops
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: janitor
  namespace: web
rules:
- apiGroups:
  - apps
  resources:
  - deployments
  resourceNames:
  - shop
  verbs:
  - delete
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: janitor
  namespace: web
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: janitor
subjects:
- kind: ServiceAccount
  name: janitor
  namespace: ops
)");
}

TEST_CASE("rights: a review names verb, resource, subresource, namespace and object", "[rights]")
{
    CHECK(
        review_of(in(right_to(deployments, {"get"}, "scale"), "web", "shop"), "get") ==
        R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{"resourceAttributes":)"
        R"({"verb":"get","group":"apps","resource":"deployments","subresource":"scale","namespace":"web","name":"shop"}}})");
}

TEST_CASE("rights: a failure names what is missing and the rule to add, of ten at most", "[rights]")
{
    const auto one = missing_rights({in(right_to(deployments, {"get", "list"}), "web")});
    CHECK(one == cond::forbidden);
    CHECK(one.message() ==
          "the program may not get, list deployments of apps in the namespace web. Add to the rules of its "
          "role: {apiGroups: [\"apps\"], resources: [\"deployments\"], verbs: [\"get\", \"list\"]}");
    rights many;
    for (int n = 0; n < 12; ++n) many.push_back(in(right_to(deployments, {"get"}), "web", "d" + std::to_string(n)));
    const auto text = missing_rights(many).message();
    CHECK(text.find("named d9 ") != std::string::npos);
    CHECK(text.find("named d10") == std::string::npos);
    CHECK(text.find("; and 2 more. Add") != std::string::npos);
    CHECK(text.find("resourceNames: [\"d0\"]") != std::string::npos);
}
