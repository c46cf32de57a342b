#include "operator_rights.hpp"

#include <kubecoro/client/manifests.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace json = boost::json;

namespace kubecoro::e2e {
namespace {

resource_type type_of(const json::value& o)
{
    const std::string kind(o.at("kind").as_string());
    const bool cluster_wide = kind.starts_with("Cluster");
    std::string plural;
    for (const char c : kind) plural += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return {"rbac.authorization.k8s.io", "v1", plural + "s", kind, !cluster_wide};
}

std::string user_of(cluster& c, const client& who)
{
    const resource_type reviews{"authentication.k8s.io", "v1", "selfsubjectreviews", "SelfSubjectReview", false};
    const auto review =
        c.run(who.create(reviews, {}, R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})"));
    return std::string(review.value().root().path("status.userInfo.username").as_string());
}

void make_here(cluster& c, json::value& o, const std::string& ns, const json::array& subjects)
{
    const auto type = type_of(o);
    auto& metadata = o.at("metadata").as_object();
    const auto name = c.unique(std::string(metadata["name"].as_string()));
    metadata["name"] = name;
    if (type.namespaced) metadata["namespace"] = ns;
    if (o.as_object().contains("roleRef")) {
        o.at("roleRef").as_object()["name"] = name;
        o.as_object()["subjects"] = subjects;
    }
    c.make(type, type.namespaced ? ns : "", name, json::serialize(o));
}

} // namespace

client with_rights_of(cluster& c, const std::string& file, const std::string& there, const std::string& ns)
{
    const auto limited = cluster::config("KUBECORO_E2E_LIMITED_KUBECONFIG");
    if (!limited) return c.api();
    auto who = c.connect(*limited);
    const json::array subjects{
        json::object{{"kind", "User"}, {"apiGroup", "rbac.authorization.k8s.io"}, {"name", user_of(c, who)}}};
    std::ifstream in(file);
    if (!in) throw std::runtime_error("cannot read " + file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    for (auto& o : load_manifests(text, file).value()) {
        if (o.at("kind") == "ServiceAccount") continue;
        const auto* home = o.at("metadata").as_object().if_contains("namespace");
        if (home == nullptr || *home == json::value(there)) make_here(c, o, ns, subjects);
    }
    return who;
}

} // namespace kubecoro::e2e
