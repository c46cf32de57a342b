#include "verbs/authorization.hpp"

#include "objects/status_errors.hpp"

#include <kubecoro/api/selector.hpp>

#include <algorithm>

namespace kubecoro::apiserver {

role_rule as_role_rule(const access_rule& rule)
{
    role_rule out{{rule.verb.empty() ? "*" : rule.verb}, {"*"}, {}, {}, {}};
    const std::string_view wanted = rule.resource.empty() ? "*" : std::string_view(rule.resource);
    const auto slash = std::min(wanted.find('/'), wanted.size());
    const auto dot = wanted.substr(0, slash).find('.');
    if (dot == std::string_view::npos) {
        out.resources.emplace_back(wanted);
    } else {
        out.groups.front() = wanted.substr(dot + 1, slash - dot - 1);
        out.resources.push_back(std::string(wanted.substr(0, dot)) + std::string(wanted.substr(slash)));
    }
    if (rule.resource.empty()) out.paths.emplace_back("*");
    return out;
}

bool wants_watch(const exchange& x) { return x.route.watch_prefix || (x.route.name.empty() && x.target.flag("watch")); }

std::string verb_of(const exchange& x)
{
    const std::string_view method = x.request.method;
    const bool named = !x.route.name.empty();
    if (method == "GET" || method == "HEAD") return wants_watch(x) ? "watch" : named ? "get" : "list";
    if (method == "POST") return "create";
    if (method == "PUT") return "update";
    if (method == "PATCH") return "patch";
    if (method == "DELETE") return named ? "delete" : "deletecollection";
    return std::string(method);
}

namespace {

/// A list or watch of one object by name counts as a request for it: roles may name it. A deletion of a collection, or a
/// watch by path, does not.
std::string name_selected(const exchange& x, std::string_view verb)
{
    if (x.route.watch_prefix || (verb != "list" && verb != "watch")) return {};
    const auto fields = field_selector::parse(x.target.value("fieldSelector"));
    if (!fields) return {};
    for (const auto& r : fields->requirements())
        if (r.path == "metadata.name" && r.equal) return r.value;
    return {};
}

access_request what_is_asked(const exchange& x)
{
    access_request asked;
    asked.path = x.target.path;
    if (x.route.is_resource) {
        asked.verb = verb_of(x);
        asked.group = x.route.group;
        asked.resource = x.route.plural;
        asked.subresource = x.route.subresource;
        asked.ns = x.route.ns;
        asked.name = x.route.name;
        if (asked.name.empty()) asked.name = name_selected(x, asked.verb);
        // For authorization a namespace object is in the namespace of its name.
        if (asked.group.empty() && asked.resource == "namespaces") asked.ns = x.route.name;
        return asked;
    }
    for (const char c : x.request.method) asked.verb += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return asked;
}

status_error forbidden(const user_info& user, const access_request& asked)
{
    if (asked.resource.empty()) {
        auto e =
            errors::make(403, "Forbidden",
                         "forbidden: User \"" + user.name + "\" cannot " + asked.verb + " path \"" + asked.path + "\"");
        e.empty_details = true;
        return e;
    }
    std::string message = asked.group.empty() ? asked.resource : asked.resource + "." + asked.group;
    if (!asked.name.empty()) message += " \"" + asked.name + "\"";
    message += " is forbidden: User \"" + user.name + "\" cannot " + asked.verb + " resource \"" + asked.resource;
    if (!asked.subresource.empty()) message += "/" + asked.subresource;
    message += "\" in API group \"" + asked.group + "\" ";
    message += asked.ns.empty() ? "at the cluster scope" : "in the namespace \"" + asked.ns + "\"";
    auto e = errors::make(403, "Forbidden", message);
    e.name = asked.name;
    e.group = asked.group;
    e.kind = asked.resource;
    return e;
}

std::optional<http_response> refuse_unless_allowed(const exchange& x, const access_request& asked)
{
    if (x.access.allows(x.user, asked)) return {};
    http_response r = respond(forbidden(x.user, asked));
    r.headers.emplace_back("X-Content-Type-Options", "nosniff");
    return r;
}

/// Makes the impersonated user, if there is one, the exchange's. @return the refusal, if any.
std::optional<http_response> become_another(exchange& x)
{
    auto other = read_impersonation(x.request);
    if (!other.problem.empty()) return respond(errors::bad_request(other.problem));
    for (const auto& need : other.needs)
        if (auto refused = refuse_unless_allowed(x, need)) return refused;
    if (other.user) x.user = std::move(*other.user);
    return {};
}

} // namespace

std::optional<http_response> judge(exchange& x)
{
    auto user = authenticate(x.access.access(), x);
    if (!user) return respond(errors::unauthorized());
    x.user = std::move(*user);
    if (auto refused = become_another(x)) return refused;
    return refuse_unless_allowed(x, what_is_asked(x));
}

std::optional<http_response> judge_create(const exchange& x)
{
    auto asked = what_is_asked(x);
    asked.verb = "create";
    asked.ns = x.route.ns; // A namespace that does not exist is in none.
    return refuse_unless_allowed(x, asked);
}

} // namespace kubecoro::apiserver
