// Answers reviews of users and of permissions.
#include "verbs/authorization.hpp"

#include "objects/status_errors.hpp"
#include "text/json_text.hpp"
#include "verbs/body.hpp"
#include "verbs/service_account_token.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <iterator>
#include <optional>

namespace kubecoro::apiserver {
namespace {

constexpr std::string_view resource_part = "spec.resourceAttributes";
constexpr std::string_view path_part = "spec.nonResourceAttributes";
constexpr std::string_view group_of_reviews = "authorization.k8s.io";

access_request asked_in(const json::value& body)
{
    access_request asked;
    if (const auto* path = object_at(body, path_part)) {
        const json::value attributes(*path);
        asked.verb = text_at(attributes, "verb");
        asked.path = text_at(attributes, "path");
        return asked;
    }
    const auto* object = object_at(body, resource_part);
    const json::value attributes = object ? json::value(*object) : json::value();
    asked.verb = text_at(attributes, "verb");
    asked.group = text_at(attributes, "group");
    asked.resource = text_at(attributes, "resource");
    asked.subresource = text_at(attributes, "subresource");
    asked.ns = text_at(attributes, "namespace");
    asked.name = text_at(attributes, "name");
    return asked;
}

user_info subject_in(const json::value& body)
{
    user_info user{std::string(text_at(body, "spec.user"))};
    user.uid = text_at(body, "spec.uid");
    if (const auto* groups = array_at(body, "spec.groups"))
        for (const auto& g : *groups) user.groups.push_back(scalar_text(g));
    return user;
}

std::optional<status_error> check_attributes(std::string_view kind, const json::value& body)
{
    const bool resource = object_at(body, resource_part) != nullptr;
    const bool path = object_at(body, path_part) != nullptr;
    std::vector<status_cause> causes;
    if (resource && path)
        causes.push_back(errors::invalid_value(std::string(path_part), to_text(*find_at(body, path_part)),
                                               "cannot be specified in combination with resourceAttributes"));
    if (!resource && !path)
        causes.push_back(
            errors::invalid_value(std::string(resource_part), "null",
                                  "exactly one of nonResourceAttributes or resourceAttributes must be specified"));
    if (kind != "SelfSubjectAccessReview") {
        const auto* groups = array_at(body, "spec.groups");
        if (text_at(body, "spec.user").empty() && (!groups || groups->empty()))
            causes.push_back(
                errors::invalid_value("spec.user", R"("")", "at least one of user or group must be specified"));
    }
    if (causes.empty()) return {};
    return errors::invalid(kind, group_of_reviews, {}, std::move(causes));
}

/// A review of one namespace asks for that namespace alone.
std::optional<status_error> check_namespace(const exchange& x, std::string_view kind, const json::value& body)
{
    const auto stated = text_at(body, "metadata.namespace");
    if (!stated.empty() && stated != x.route.ns)
        return errors::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request");
    std::vector<status_cause> causes;
    if (object_at(body, path_part))
        causes.push_back(errors::invalid_value(std::string(path_part), to_text(*find_at(body, path_part)),
                                               "disallowed on this kind of request"));
    const auto asked = text_at(body, "spec.resourceAttributes.namespace");
    if (object_at(body, resource_part) && asked != x.route.ns)
        causes.push_back(
            errors::invalid_value("spec.resourceAttributes.namespace", quote(asked), "must match metadata.namespace"));
    if (causes.empty()) return {};
    return errors::invalid(kind, group_of_reviews, {}, std::move(causes));
}

json::array one(std::string_view text) { return {json::value(text)}; }

json::object path_rule(std::string_view verb, json::array paths)
{
    return {{"verbs", one(verb)}, {"nonResourceURLs", std::move(paths)}};
}

/// Appends what a role grants to the rules of a review.
void append_role_rule(const role_rule& rule, json::array& resources, json::array& paths)
{
    if (!rule.resources.empty()) {
        json::object granted{{"verbs", to_array(rule.verbs)},
                             {"apiGroups", to_array(rule.groups)},
                             {"resources", to_array(rule.resources)}};
        if (!rule.names.empty()) granted["resourceNames"] = to_array(rule.names);
        resources.push_back(std::move(granted));
    }
    if (!rule.paths.empty())
        paths.push_back(json::object{{"verbs", to_array(rule.verbs)}, {"nonResourceURLs", to_array(rule.paths)}});
}

/** Completes a SelfSubjectAccessReview, SubjectAccessReview or LocalSubjectAccessReview.

    @param body  The review that was posted. @return its status. Errors: 400 and 422 for a question without a meaning. */
answer<json::value> review_access(const exchange& x, std::string_view kind, const json::value& body, authorizer& access)
{
    if (auto e = check_attributes(kind, body)) return *e;
    if (kind == "LocalSubjectAccessReview")
        if (auto e = check_namespace(x, kind, body)) return *e;
    const auto subject = kind == "SelfSubjectAccessReview" ? x.user : subject_in(body);
    return json::value{{"allowed", access.allows(subject, asked_in(body))}};
}

/// The status of a SelfSubjectRulesReview: what the user of the request may do in a namespace. Errors: 400.
answer<json::value> review_rules(const exchange& x, const json::value& body, authorizer& access)
{
    const auto ns = text_at(body, "spec.namespace");
    if (ns.empty()) return errors::bad_request("no namespace on request");
    const auto found = access.access().summarize(x.user, ns);
    json::array resources, paths;
    for (const auto& rule : found.allowed) append_role_rule(as_role_rule(rule), resources, paths);
    for (const auto& [verb, path] : found.paths) paths.push_back(path_rule(verb, one(path)));
    for (const auto* rule : access.roles().of(x.user, ns)) append_role_rule(*rule, resources, paths);
    json::object status{{"resourceRules", std::move(resources)},
                        {"nonResourceRules", std::move(paths)},
                        {"incomplete", found.incomplete}};
    if (found.incomplete) status["evaluationError"] = "rules that forbid are not listed";
    return json::value(std::move(status));
}

constexpr review_kind kinds[]{
    {"authentication.k8s.io/v1", "SelfSubjectReview"},       {"authentication.k8s.io/v1", "TokenReview"},
    {"authorization.k8s.io/v1", "LocalSubjectAccessReview"}, {"authorization.k8s.io/v1", "SelfSubjectAccessReview"},
    {"authorization.k8s.io/v1", "SelfSubjectRulesReview"},   {"authorization.k8s.io/v1", "SubjectAccessReview"},
};

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
        {"authenticated", true}, {"user", described_user(*verdict.user)}, {"audiences", to_array(verdict.audiences)}};
}

answer<json::value> status_of(const exchange& x, const review_kind& kind, const json::value& body, authorizer& access)
{
    if (kind.kind == "SelfSubjectReview") return json::value{{"userInfo", described_user(x.user)}};
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
