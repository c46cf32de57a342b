// End-to-end test of cluster-metrics: the series of objects as a real server completes them. No pods run.
#include "cluster.hpp"
#include "operator_rights.hpp"
#include "running_operator.hpp"

#include "cluster_series.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/test/catch.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

using namespace kubecoro;
using namespace kubecoro::e2e;
using cluster_metrics::cluster_series;
using untyped::deployment;
using untyped::pod;
using untyped::secret;

namespace {

/// The operator for the whole cluster, with the series that it would serve.
struct served_series
{
    cluster& c;
    std::string ns;
    std::shared_ptr<cluster_series> series = {};
    running_operator program;

    served_series(cluster& on, const client& who, std::string about)
        : c(on), ns(std::move(about)), program(c, who, {.name = "cluster-metrics"}, [this](manager& m) {
              series = cluster_series::make(m, {}).value();
          })
    {
    }
    /// All series of one scrape.
    [[nodiscard]] std::string scrape() const
    {
        auto state = series->state();
        std::string out;
        while (state.next(out)) {
        }
        return out;
    }
    /// Whether there is a series of this family in the namespace whose rest begins with `labels`, with that value.
    [[nodiscard]] bool has(std::string_view family, std::string_view labels, std::string_view value) const
    {
        const auto text = scrape();
        const auto wanted = "\n" + std::string(family) + "{namespace=\"" + ns + "\"," + std::string(labels);
        for (auto at = text.find(wanted); at != text.npos; at = text.find(wanted, at + 1)) {
            const auto line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
            if (line.ends_with("} " + std::string(value))) return true;
        }
        return false;
    }
    [[nodiscard]] bool shows(std::string_view family, std::string_view labels, std::string_view value) const
    {
        const bool did = c.eventually([&] { return has(family, labels, value); });
        if (!did) UNSCOPED_INFO(family << "{" << labels << "} " << value << " is missing");
        return did;
    }
};

const std::string template_of_pods = R"("selector":{"matchLabels":{"app":"shop"}},"template":{"metadata":{"labels":)"
                                     R"({"app":"shop"}},"spec":{"containers":[{"name":"main","image":"i"}]}})";

} // namespace

TEST_CASE("cluster-metrics: the series follow the objects of a real server, with the rights of its manifest",
          "[operators]")
{
    cluster c;
    const auto ns = c.make_namespace("series");
    const auto who =
        with_rights_of(c, KUBECORO_OPERATORS "/cluster-metrics/manifests/rbac.yaml", "cluster-metrics", ns);
    c.make(secret::resource(), ns, "password",
           R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"password"},"stringData":{"p":"geheim"}})");
    c.make(deployment::resource(), ns, "shop",
           R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"shop"},"spec":{"replicas":3,)" +
               template_of_pods + "}}");
    const served_series all(c, who, ns);
    CHECK(all.shows("kube_secret_type", R"(secret="password",type="Opaque")", "1"));
    CHECK(all.scrape().find("geheim") == std::string::npos);
    CHECK(all.shows("kube_deployment_spec_replicas", R"(deployment="shop")", "3"));
    // Filled in by the server.
    CHECK(all.shows("kube_deployment_spec_strategy_rollingupdate_max_surge", R"(deployment="shop")", "1"));

    c.run(c.api().create(pod::resource(), ns,
                         R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"cart"},"spec":{"containers":[)"
                         R"({"name":"main","image":"i","resources":{"requests":{"cpu":"250m"}}}]}})"))
        .value();
    CHECK(all.shows("kube_pod_status_phase", R"(pod="cart")", "1"));
    CHECK(all.shows("kube_pod_container_resource_requests", R"(pod="cart")", "0.25"));
    const auto phase = [&](std::string_view name) {
        const auto cart = c.run(c.api().get(pod::resource(), ns, "cart")).value();
        return R"(pod="cart",uid=")" + std::string(cart.uid()) + R"(",phase=")" + std::string(name) + R"(")";
    };
    CHECK(all.shows("kube_pod_status_phase", phase("Pending"), "1"));
    c.run(c.api().patch(pod::resource(), ns, "cart", patch_kind::merge, R"({"status":{"phase":"Running"}})", {},
                        "status"))
        .value();
    CHECK(all.shows("kube_pod_status_phase", phase("Running"), "1"));
    CHECK(all.has("kube_pod_status_phase", phase("Pending"), "0"));

    c.run(c.api().patch(deployment::resource(), ns, "shop", patch_kind::merge, R"({"spec":{"replicas":5}})")).value();
    CHECK(all.shows("kube_deployment_spec_replicas", R"(deployment="shop")", "5"));
    c.run(c.api().remove(pod::resource(), ns, "cart")).value();
    CHECK(c.eventually([&] { return all.scrape().find("pod=\"cart\"") == std::string::npos; }));
}
