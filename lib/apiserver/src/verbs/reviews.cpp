#include "verbs/reviews.hpp"

#include "render/json_text.hpp"
#include "render/status_errors.hpp"
#include "verbs/body.hpp"

#include <algorithm>

namespace kubecoro::apiserver {
namespace {

bool is_identity_review(const exchange& x)
{
    return x.route.group == "authentication.k8s.io" && x.route.plural == "selfsubjectreviews";
}

bool is_access_review(const exchange& x)
{
    return x.route.group == "authorization.k8s.io" && x.route.plural == "selfsubjectaccessreviews";
}

json::array texts(const std::vector<std::string>& values)
{
    json::array out;
    for (const auto& v : values) out.push_back(json::value(std::string_view(v)));
    return out;
}

json::value identity(const exchange& x)
{
    json::object user{{"username", std::string_view(x.user.name)}};
    if (!x.user.uid.empty()) user["uid"] = std::string_view(x.user.uid);
    if (!x.user.groups.empty()) user["groups"] = texts(x.user.groups);
    json::object extra;
    for (const auto& [key, values] : x.user.extra) extra[key] = texts(values);
    if (!extra.empty()) user["extra"] = std::move(extra);
    return {{"kind", "SelfSubjectReview"},
            {"apiVersion", "authentication.k8s.io/v1"},
            {"metadata", {{"creationTimestamp", format_time(x.now)}}},
            {"status", {{"userInfo", std::move(user)}}}};
}

access_request asked_in(const json::value& body)
{
    access_request asked;
    if (const auto* path = object_at(body, "spec.nonResourceAttributes")) {
        const json::value attributes(*path);
        asked.verb = text_at(attributes, "verb");
        asked.path = text_at(attributes, "path");
        return asked;
    }
    const auto* object = object_at(body, "spec.resourceAttributes");
    const json::value attributes = object ? json::value(*object) : json::value();
    asked.verb = text_at(attributes, "verb");
    asked.group = text_at(attributes, "group");
    asked.resource = text_at(attributes, "resource");
    asked.subresource = text_at(attributes, "subresource");
    asked.ns = text_at(attributes, "namespace");
    asked.name = text_at(attributes, "name");
    return asked;
}

json::value access_review(const json::value& body, bool allowed)
{
    const auto* spec = find_at(body, "spec");
    return {{"kind", "SelfSubjectAccessReview"},
            {"apiVersion", "authorization.k8s.io/v1"},
            {"metadata", json::object{}},
            {"spec", spec ? *spec : json::value(json::object{})},
            {"status", {{"allowed", allowed}}}};
}

} // namespace

bool is_self_review(const exchange& x)
{
    if (x.request.method != "POST" || x.route.version != "v1" || !x.route.name.empty()) return false;
    const auto& groups = x.user.groups;
    return (is_identity_review(x) || is_access_review(x)) &&
           std::find(groups.begin(), groups.end(), "system:authenticated") != groups.end();
}

http_response answer_self_review(exchange& x, const access_control& access)
{
    const auto chosen = choose_media(x.request.header("accept"), media_scope{});
    if (!chosen) return respond(chosen.error());
    if (is_identity_review(x)) {
        const auto body = read_part(x, "authentication.k8s.io/v1", "SelfSubjectReview");
        if (!body) return respond(body.error());
        return object_response(x, to_text(identity(x)), chosen->form, 201);
    }
    const auto body = read_part(x, "authorization.k8s.io/v1", "SelfSubjectAccessReview");
    if (!body) return respond(body.error());
    const bool allowed = access.allows(x.user, asked_in(*body));
    return object_response(x, to_text(access_review(*body, allowed)), chosen->form, 201);
}

} // namespace kubecoro::apiserver
