#include "identity.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/client/subresources.hpp>

#include <boost/json.hpp>

namespace kubecoro::e2e {

namespace {

namespace json = boost::json;

const resource_type self_reviews{"authentication.k8s.io", "v1", "selfsubjectreviews", "SelfSubjectReview", false};
const resource_type role_bindings{"rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding", true};

json::object manifest_of(const resource_type& type, const std::string& name)
{
    return {{"apiVersion", type.api_version()}, {"kind", type.kind}, {"metadata", json::object{{"name", name}}}};
}

} // namespace

result<object> self_review(cluster& c, const client& who)
{
    return c.run(
        who.create(self_reviews, {}, R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})"));
}

std::string identity(cluster& c, const client& who)
{
    const auto review = self_review(c, who);
    return review ? std::string(review->root().path("status.userInfo.username").as_string())
                  : review.error().describe();
}

std::string make_service_account(cluster& c, const std::string& ns, const std::string& name)
{
    const auto accounts = untyped::service_account::resource();
    c.make(accounts, ns, name, json::serialize(manifest_of(accounts, name)));
    auto binding = manifest_of(role_bindings, name);
    binding["roleRef"] =
        json::object{{"apiGroup", role_bindings.group}, {"kind", "ClusterRole"}, {"name", "cluster-admin"}};
    binding["subjects"] = json::array{json::object{{"kind", "ServiceAccount"}, {"namespace", ns}, {"name", name}}};
    c.make(role_bindings, ns, name, json::serialize(binding));
    return c.run(create_token(c.api(), ns, name)).value().token;
}

std::string account_name(const std::string& ns, const std::string& name)
{
    return "system:serviceaccount:" + ns + ":" + name;
}

cluster_config without_login()
{
    auto config = cluster::config("KUBECORO_E2E_KUBECONFIG").value();
    config.login = {};
    config.client_certificate.clear();
    config.client_certificate_file.clear();
    config.client_key.clear();
    config.client_key_file.clear();
    return config;
}

} // namespace kubecoro::e2e
