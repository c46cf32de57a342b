#include "operator/print_rbac.hpp"

#include <kubecoro/client/detail/no_server.hpp>
#include <kubecoro/manager/access_right.hpp>
#include <kubecoro/manager/manager.hpp>

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Passes the manager that the set-up has filled, and that asks no server, to `f`.
result<std::string> with_declarations(operator_options o, const operator_setup& setup, const std::string& ns,
                                      const std::function<result<std::string>(manager&)>& f)
{
    asio::io_context unused;
    o.connection.wrap_transport = [](const auto&) { return std::make_shared<no_server>(); };
    auto nowhere = client::create(unused.get_executor(),
                                  {.server = "http://localhost", .proxy_url = "direct:", .ns = ns}, o.connection);
    if (!nowhere) return nowhere.error();
    manager m(*std::move(nowhere), o.managing);
    if (const auto filled = setup(m, o); !filled) return filled.error().because("the set-up failed");
    declare_rights_of_endpoints(o, m);
    return f(m);
}

/// Below the rights of the program in its own cluster.
constexpr auto pointer = "# The operator works in other clusters, too: --print-cluster-rbac prints its rights there.\n";

/// Without the set-ups of clusters: they are those of --print-cluster-rbac.
std::string rights_at_home(const manager& m, const std::string& name, const std::string& ns)
{
    return rbac_manifest(m.rights(), {.name = name, .ns = ns}) + (m.sets_of_clusters().empty() ? "" : pointer);
}

} // namespace

void declare_rights_of_endpoints(const operator_options& o, manager& m)
{
    if (!o.protect) return;
    m.needs({"authentication.k8s.io", "v1", "tokenreviews", "TokenReview", false}, {"create"});
    m.needs({"authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", false}, {"create"});
}

result<std::string> rbac_of(operator_options o, const operator_setup& setup, const std::string& ns)
{
    return with_declarations(o, setup, ns,
                             [&](manager& m) -> result<std::string> { return rights_at_home(m, o.name, ns); });
}

result<std::string> webhooks_of(operator_options o, const operator_setup& setup, const std::string& ns)
{
    return with_declarations(o, setup, ns, [&](manager& m) -> result<std::string> {
        const auto declared = m.manifests();
        if (declared.empty()) return failure(cond::not_found, "the operator has no webhooks");
        return declared + "---\n" + rights_at_home(m, o.name, ns);
    });
}

result<std::string> cluster_rbac_of(operator_options o, const operator_setup& setup, const std::string& ns)
{
    return with_declarations(o, setup, ns, [&](manager& m) -> result<std::string> {
        const auto all = m.rights_in_clusters();
        if (!all) return all.error();
        if (all->empty()) return failure(cond::not_found, "the operator works in its own cluster only");
        std::string out;
        for (const auto& c : *all) {
            out += (out.empty() ? "" : "---\n") + std::string("# For each cluster of the set ") + c.clusters +
                   ", not for the operator's own. Their kubeconfigs are those of this service account.\n" +
                   rbac_manifest(c.rights, {.name = o.name + "-" + c.clusters, .ns = ns});
        }
        return out;
    });
}

} // namespace kubecoro::detail
