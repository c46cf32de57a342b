#include <kubecoro/client/detail/request_route.hpp>

#include <utility>
#include <vector>

namespace kubecoro::detail {
namespace {

std::vector<std::string_view> parts_of(std::string_view path)
{
    std::vector<std::string_view> out;
    while (!path.empty()) {
        const auto slash = path.find('/');
        if (slash != 0) out.push_back(path.substr(0, slash));
        path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    }
    return out;
}

std::string verb_of(std::string_view method, std::string_view query, bool has_name)
{
    if (method == "POST") return "create";
    if (method == "PUT") return "update";
    if (method == "PATCH") return "patch";
    if (method == "DELETE") return has_name ? "delete" : "deletecollection";
    if (query.find("watch=") != std::string_view::npos) return "watch";
    return has_name ? "get" : "list";
}

} // namespace

std::string request_route::display_name() const { return group.empty() ? resource : resource + "." + group; }

std::string request_route::key() const { return display_name() + " " + ns + (ns.empty() ? "" : "/") + name; }

bool request_route::writes() const noexcept { return verb != "get" && verb != "list" && verb != "watch"; }

bool request_route::is_bookkeeping() const noexcept
{
    if (resource == "leases") return group == "coordination.k8s.io";
    return resource == "events" && (group.empty() || group == "events.k8s.io");
}

bool request_route::is_review() const noexcept
{
    return group == "authorization.k8s.io" || group == "authentication.k8s.io";
}

request_route route_of(std::string_view method, std::string_view target)
{
    const auto mark = target.find('?');
    const auto query = mark == std::string_view::npos ? std::string_view() : target.substr(mark);
    auto parts = parts_of(target.substr(0, mark));
    request_route out;
    std::size_t at = 0;
    if (parts.size() >= 3 && parts[0] == "api") {
        at = 2;
    } else if (parts.size() >= 4 && parts[0] == "apis") {
        out.group = parts[1];
        at = 3;
    } else {
        return {.verb = "get"};
    }
    const bool in_namespace =
        parts[at] == "namespaces" && parts.size() > at + 2 && parts[at + 2] != "status" && parts[at + 2] != "finalize";
    if (in_namespace) {
        out.ns = parts[at + 1];
        at += 2;
    }
    out.resource = parts[at];
    if (parts.size() > at + 1) out.name = parts[at + 1];
    if (parts.size() > at + 2) out.subresource = parts[at + 2];
    out.verb = verb_of(method, query, !out.name.empty());
    return out;
}

} // namespace kubecoro::detail
