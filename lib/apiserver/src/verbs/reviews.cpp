#include "verbs/reviews.hpp"

#include "objects/status_errors.hpp"
#include "text/json_text.hpp"
#include "verbs/access_reviews.hpp"
#include "verbs/authentication.hpp"
#include "verbs/body.hpp"
#include "verbs/service_account_token.hpp"

#include <algorithm>
#include <iterator>

namespace kubecoro::apiserver {
namespace {

constexpr review_kind kinds[]{
    {"authentication.k8s.io/v1", "SelfSubjectReview"},       {"authentication.k8s.io/v1", "TokenReview"},
    {"authorization.k8s.io/v1", "LocalSubjectAccessReview"}, {"authorization.k8s.io/v1", "SelfSubjectAccessReview"},
    {"authorization.k8s.io/v1", "SelfSubjectRulesReview"},   {"authorization.k8s.io/v1", "SubjectAccessReview"},
};

json::object describe(const user_info& user)
{
    json::object out{{"username", std::string_view(user.name)}};
    if (!user.uid.empty()) out["uid"] = std::string_view(user.uid);
    if (!user.groups.empty()) out["groups"] = to_array(user.groups);
    json::object extra;
    for (const auto& [key, values] : user.extra) extra[key] = to_array(values);
    if (!extra.empty()) out["extra"] = std::move(extra);
    return out;
}

/// The status of a TokenReview.
answer<json::value> review_token(const exchange& x, const json::value& body, authorizer& access)
{
    const auto token = text_at(body, "spec.token");
    if (token.empty()) return errors::bad_request("token is required for TokenReview in authentication");
    std::vector<std::string> audiences;
    if (const auto* asked = array_at(body, "spec.audiences"))
        for (const auto& a : *asked) audiences.push_back(scalar_text(a));
    if (audiences.empty()) audiences.emplace_back(own_audience);
    const auto verdict = judge_token(access.access(), x, token, audiences);
    if (!verdict.user) return json::value{{"user", json::object{}}, {"error", std::string_view(verdict.problem)}};
    return json::value{
        {"authenticated", true}, {"user", describe(*verdict.user)}, {"audiences", to_array(verdict.audiences)}};
}

answer<json::value> status_of(const exchange& x, const review_kind& kind, const json::value& body, authorizer& access)
{
    if (kind.kind == "SelfSubjectReview") return json::value{{"userInfo", describe(x.user)}};
    if (kind.kind == "TokenReview") return review_token(x, body, access);
    if (kind.kind == "SelfSubjectRulesReview") return review_rules(x, body, access);
    return review_access(x, kind.kind, body, access);
}

json::object metadata_of(const exchange& x, const review_kind& kind)
{
    if (kind.kind == "SelfSubjectReview") return {{"creationTimestamp", format_time(x.now)}};
    if (x.store->info.namespaced) return {{"namespace", std::string_view(x.route.ns)}};
    return {};
}

} // namespace

const review_kind* review_of(const exchange& x)
{
    if (!x.store || x.store->info.behaves != builtin::review || x.request.method != "POST") return nullptr;
    if (!x.route.name.empty() || x.store->info.namespaced != !x.route.ns.empty()) return nullptr;
    const auto found = std::find_if(std::begin(kinds), std::end(kinds),
                                    [&](const review_kind& k) { return k.kind == x.store->info.kind; });
    return found == std::end(kinds) ? nullptr : found;
}

http_response answer_review(exchange& x, const review_kind& kind, authorizer& access)
{
    const auto chosen = choose_media(x.request.header("accept"), media_scope{});
    if (!chosen) return respond(chosen.error());
    if (const auto flags = read_write_flags(x, "CreateOptions"); !flags) return respond(flags.error());
    const auto body = read_part(x, kind.api_version, kind.kind);
    if (!body) return respond(body.error());
    const auto status = status_of(x, kind, *body, access);
    if (!status) return respond(status.error());
    json::object out{{"kind", kind.kind}, {"apiVersion", kind.api_version}, {"metadata", metadata_of(x, kind)}};
    if (kind.kind != "SelfSubjectReview") {
        const auto* spec = find_at(*body, "spec");
        out["spec"] = spec ? *spec : json::value(json::object{});
    }
    out["status"] = *status;
    return object_response(to_text(out), chosen->form, 201);
}

} // namespace kubecoro::apiserver
