#include "operator/print_rbac.hpp"

#include <kubecoro/client/detail/no_server.hpp>
#include <kubecoro/manager/access_right.hpp>

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
    if (o.managing.leader_election.ns.empty()) o.managing.leader_election.ns = ns;
    if (o.managing.shards.ns.empty()) o.managing.shards.ns = ns;
    manager m(client(unused.get_executor(), std::make_shared<no_server>(), o.connection), o.managing);
    if (const auto filled = setup(m, o); !filled) return filled.error().because("the set-up failed");
    declare_rights_of_endpoints(o, m);
    return f(m);
}

/// Below the rights of the program in its own cluster.
constexpr auto pointer = "# The operator works in other clusters, too: --print-cluster-rbac prints its rights there.\n";

} // namespace

void declare_rights_of_endpoints(const operator_options& o, manager& m)
{
    if (!o.protect) return;
    m.needs({"authentication.k8s.io", "v1", "tokenreviews", "TokenReview", false}, {"create"});
    m.needs({"authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", false}, {"create"});
}

result<std::string> rbac_of(operator_options o, const operator_setup& setup, const std::string& ns)
{
    return with_declarations(o, setup, ns, [&](manager& m) -> result<std::string> {
        // Without the set-ups of clusters: they are those of --print-cluster-rbac.
        return rbac_manifest(m.rights(), {.name = o.name, .ns = ns}) + (m.sets_of_clusters().empty() ? "" : pointer);
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
