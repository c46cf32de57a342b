// End-to-end test of the config-reloader. Checks annotations and generations; no pods run.
#include "cluster.hpp"
#include "operator_rights.hpp"
#include "running_operator.hpp"

#include "marks.hpp"
#include "reloader.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/test/catch.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::e2e;
using untyped::config_map;
using untyped::secret;
namespace marks = config_reloader::marks;

namespace {

const resource_type stateful_sets = untyped::stateful_set::resource();
const std::vector<resource_type> kinds{untyped::deployment::resource(), stateful_sets, untyped::daemon_set::resource()};

/// Returns a workload that mounts the config map "settings" and reads the secret "password" into its environment.
std::string workload(const resource_type& kind, const std::string& name)
{
    const std::string more = kind == stateful_sets ? R"("serviceName":"shop",)" : "";
    return R"({"apiVersion":"apps/v1","kind":")" + kind.kind + R"(","metadata":{"name":")" + name +
           R"(","annotations":{"config-reloader.kubecoro.dev/reload":"true"}},"spec":{)" + more +
           R"("selector":{"matchLabels":{"app":"shop"}},"template":{"metadata":{"labels":{"app":"shop"}},"spec":{)"
           R"("volumes":[{"name":"v","configMap":{"name":"settings"}}],)"
           R"("containers":[{"name":"main","image":"example.com/shop","volumeMounts":[{"name":"v","mountPath":"/v"}],)"
           R"("env":[{"name":"P","valueFrom":{"secretKeyRef":{"name":"password","key":"p"}}}]}]}}}})";
}

/// Runs the operator in one namespace.
struct running_reloader : running_operator
{
    running_reloader(cluster& c, const client& who, const std::string& ns)
        : running_operator(c, who, {.name = "config-reloader", .namespaces = {ns}},
                           [](manager& m) { (void)config_reloader::add_reloader(m); })
    {
    }
};

struct workloads
{
    cluster& c;
    std::string ns;

    [[nodiscard]] object read(const resource_type& kind) { return c.run(c.api().get(kind, ns, "shop")).value(); }
    [[nodiscard]] std::string checksum(const resource_type& kind)
    {
        const auto o = read(kind);
        return std::string(o["spec"]["template"]["metadata"]["annotations"][marks::checksum].as_string());
    }
    /// Waits until all templates have the same checksum, different from `before`, and returns it.
    [[nodiscard]] std::string rolled_from(const std::string& before)
    {
        std::string now;
        const bool all = c.eventually([&] {
            now = checksum(kinds.front());
            bool same = now != before;
            for (const auto& kind : kinds) same = same && checksum(kind) == now;
            return same;
        });
        CHECK(all);
        return now;
    }
    /// Number of template changes, from the generation.
    [[nodiscard]] std::int64_t rolls() { return read(stateful_sets).generation() - 1; }
};

void set(cluster& c, const std::string& ns, const std::string& value)
{
    c.run(
         c.api().patch(config_map::resource(), ns, "settings", patch_kind::merge, R"({"data":{"a":")" + value + "\"}}"))
        .value();
}

} // namespace

TEST_CASE("config-reloader: rolls each kind once per change, including changes while it was down", "[operators]")
{
    cluster c;
    const auto ns = c.make_namespace("reloader");
    const auto who =
        with_rights_of(c, KUBECORO_OPERATORS "/config-reloader/manifests/rbac-one-namespace.yaml", "shop", ns);
    c.run(c.api().create(config_map::resource(), ns,
                         R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},"data":{"a":"1"}})"))
        .value();
    c.make(secret::resource(), ns, "password",
           R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"password"},"stringData":{"p":"1"}})");
    for (const auto& kind : kinds) c.make(kind, ns, "shop", workload(kind, "shop"));

    workloads all{c, ns};
    std::string sum;
    {
        running_reloader one(c, who, ns);
        sum = all.rolled_from("");
        CHECK(all.rolls() == 1);
        set(c, ns, "2");
        sum = all.rolled_from(sum);
        c.run(c.api().patch(secret::resource(), ns, "password", patch_kind::merge, R"({"stringData":{"p":"2"}})"))
            .value();
        sum = all.rolled_from(sum);
        CHECK(all.rolls() == 3);
    }
    set(c, ns, "3");
    CHECK(all.checksum(stateful_sets) == sum);
    {
        // Two operators at once: neither reacts to the other's roll.
        running_reloader one(c, who, ns);
        running_reloader other(c, who, ns);
        sum = all.rolled_from(sum);
        set(c, ns, "4");
        sum = all.rolled_from(sum);
    }
    CHECK(all.rolls() == 5);
    {
        running_reloader one(c, who, ns);
        set(c, ns, "5");
        sum = all.rolled_from(sum);
    }
    CHECK(all.rolls() == 6);
}
