#include "operator/print_rbac.hpp"

#include <kubecoro/client/transport.hpp>
#include <kubecoro/manager/access_right.hpp>

#include <boost/asio/io_context.hpp>

#include <memory>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

class no_server final : public transport
{
public:
    [[nodiscard]] asio::awaitable<result<std::unique_ptr<answer>>> send(request) override
    {
        co_return failure(cond::unreachable, "--print-rbac asks no server");
    }
};

} // namespace

void declare_rights_of_endpoints(const operator_options& o, manager& m)
{
    if (!o.protect) return;
    m.needs({"authentication.k8s.io", "v1", "tokenreviews", "TokenReview", false}, {"create"});
    m.needs({"authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", false}, {"create"});
}

result<std::string> rbac_of(operator_options o, const operator_setup& setup, const std::string& ns)
{
    asio::io_context unused;
    if (o.managing.leader_election.ns.empty()) o.managing.leader_election.ns = ns;
    if (o.managing.shards.ns.empty()) o.managing.shards.ns = ns;
    manager m(client(unused.get_executor(), std::make_shared<no_server>(), o.connection), o.managing);
    if (const auto filled = setup(m, o); !filled) return filled.error().because("the set-up failed");
    declare_rights_of_endpoints(o, m);
    return rbac_manifest(m.rights(), {.name = o.name, .ns = ns});
}

} // namespace kubecoro::detail
