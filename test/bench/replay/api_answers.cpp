#include "api_answers.hpp"

#include "http_service.hpp"

#include <array>

namespace kubecoro::bench {
namespace {

struct fixed_answer
{
    std::string_view path;
    std::string_view body;
};

constexpr std::string_view verbs = R"("verbs":["get","list","watch"])";

constexpr std::array fixed_answers{
    fixed_answer{"/version", R"({
  "major": "1",
  "minor": "36",
  "gitVersion": "v1.36.3",
  "platform": "linux/amd64"
}
)"},
    fixed_answer{"/api", R"({"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[]})"},
    fixed_answer{
        "/api/v1",
        R"({"kind":"APIResourceList","groupVersion":"v1","resources":[)"
        R"({"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["get","list","watch"],"shortNames":["po"]}]})"},
};

constexpr std::string_view custom_group =
    R"("name":"bench.example.com","versions":[{"groupVersion":"bench.example.com/v1","version":"v1"}],)"
    R"("preferredVersion":{"groupVersion":"bench.example.com/v1","version":"v1"}})";

std::string groups(bool custom)
{
    return R"({"kind":"APIGroupList","apiVersion":"v1","groups":[)" +
           (custom ? "{" + std::string(custom_group) : std::string()) + "]}";
}

std::string custom_resources()
{
    return R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":"bench.example.com/v1","resources":[)"
           R"({"name":"widgets","singularName":"widget","namespaced":true,"kind":"Widget",)" +
           std::string(verbs) + "}]}";
}

/// The body for a known path; empty for others.
std::string body_for(std::string_view path, resource_kind kind)
{
    for (const fixed_answer& a : fixed_answers)
        if (a.path == path) return std::string(a.body);
    const bool custom = kind == resource_kind::widgets;
    if (path == "/apis") return groups(custom);
    if (custom && path == "/apis/bench.example.com")
        return R"({"kind":"APIGroup","apiVersion":"v1",)" + std::string(custom_group);
    if (custom && path == "/apis/bench.example.com/v1") return custom_resources();
    return {};
}

bool refuse(channel& to, int code, std::string_view reason, std::string_view message)
{
    return write_answer(to, code, "application/json", status_json(code, reason, message) + "\n");
}

} // namespace

std::optional<std::string_view> namespace_of(std::string_view path, resource_kind kind)
{
    const bool pods = kind == resource_kind::pods;
    const std::string_view group = pods ? "/api/v1/" : "/apis/bench.example.com/v1/";
    const std::string_view plural = pods ? "pods" : "widgets";
    constexpr std::string_view scope = "namespaces/";
    if (!path.starts_with(group)) return std::nullopt;
    path.remove_prefix(group.size());
    if (path == plural) return "";
    if (!path.starts_with(scope)) return std::nullopt;
    path.remove_prefix(scope.size());
    const std::size_t slash = path.find('/');
    if (slash == 0 || slash == std::string_view::npos || path.substr(slash + 1) != plural) return std::nullopt;
    return path.substr(0, slash);
}

bool answer_elsewhere(channel& to, const http_request& request, resource_kind kind)
{
    if (request.method != "GET")
        return refuse(to, 405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
    if (request.path == "/readyz" || request.path == "/livez" || request.path == "/healthz")
        return write_answer(to, 200, "text/plain; charset=utf-8", "ok");
    if (std::string body = body_for(request.path, kind); !body.empty())
        return write_answer(to, 200, "application/json", body + "\n");
    return refuse(to, 404, "NotFound", "the server could not find the requested resource");
}

} // namespace kubecoro::bench
