// A server with a user who has no rights of its own, and roles for it.
#pragma once

#include "support.hpp"

namespace kubecoro::test {

inline const std::string rbac = "/apis/rbac.authorization.k8s.io/v1/";
inline const std::string maps = "/api/v1/namespaces/default/configmaps";

/// Bob has a token, and no rights of his own.
struct cluster : server
{
    void role(const std::string& name, const std::string& rules, const std::string& ns = "default")
    {
        const auto kind = ns.empty() ? "clusterroles" : "namespaces/" + ns + "/roles";
        expect(201, "POST", rbac + kind, R"({"metadata":{"name":")" + name + R"("},"rules":)" + rules + "}");
    }
    void bind(const std::string& name, const std::string& role_kind, const std::string& role,
              const std::string& subjects, const std::string& ns = "default")
    {
        const auto kind = ns.empty() ? "clusterrolebindings" : "namespaces/" + ns + "/rolebindings";
        expect(201, "POST", rbac + kind,
               R"({"metadata":{"name":")" + name + R"("},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":")" +
                   role_kind + R"(","name":")" + role + R"("},"subjects":)" + subjects + "}");
    }
    int bobs(const std::string& method, const std::string& target, const std::string& body = {})
    {
        return ask(method, target, body, {{"Impersonate-User", "bob"}}).status;
    }
};

inline const std::string bob = R"([{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"bob"}])";
inline const std::string reads_maps = R"([{"verbs":["get","list"],"apiGroups":[""],"resources":["configmaps"]}])";

} // namespace kubecoro::test
