// Answers non-resource paths: discovery, OpenAPI, version, health.
#include "objects/status_errors.hpp"
#include "render/discovery.hpp"
#include "text/json_text.hpp"
#include "verbs/exchange.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace kubecoro::apiserver {
namespace {

/** The checks of a kube-apiserver, in its order, without those of its start. A server that answers passes them: its state
    is in memory. Readiness has all of them, the others those before etcd-readiness. */
constexpr std::string_view checks[]{"ping", "log", "etcd", "etcd-readiness", "informer-sync", "shutdown"};
constexpr std::size_t live_checks = 3;
/// The version whose answers the conformance cases compare.
constexpr std::string_view git_version = "v1.36.0-kubecoro";

bool is_health(std::string_view first_segment) noexcept
{
    return first_segment == "healthz" || first_segment == "livez" || first_segment == "readyz";
}

/// The answer of one check, or of all but those that `exclude` names, which `verbose` lists.
http_response health_response(const exchange& x)
{
    const auto& s = x.target.segments;
    const auto all = std::span(checks).first(s[0] == "readyz" ? std::size(checks) : live_checks);
    if (s.size() == 2 && std::find(all.begin(), all.end(), s[1]) != all.end()) return text_response("ok");
    if (s.size() > 1) return respond(errors::no_such_page());
    if (!x.target.has("verbose")) return text_response("ok");
    const auto named = x.target.values("exclude");
    std::set<std::string, std::less<>> excluded(named.begin(), named.end());
    std::string out;
    for (const auto check : all) {
        const auto at = excluded.find(check);
        out += "[+]" + std::string(check) + (at == excluded.end() ? " ok\n" : " excluded: ok\n");
        if (at != excluded.end()) excluded.erase(at);
    }
    if (!excluded.empty()) {
        out += "warn: some health checks cannot be excluded: no matches for ";
        for (bool first = true; const auto& each : excluded)
            out += (std::exchange(first, false) ? "" : ",") + quote(each);
        out += '\n';
    }
    return text_response(out + s[0] + " check passed\n");
}

http_response version_response()
{
    http_response r;
    r.headers = {{"Content-Type", "application/json"}};
    r.body = indent_json(to_text(json::object{{"major", "1"},
                                              {"minor", "36"},
                                              {"emulationMajor", "1"},
                                              {"emulationMinor", "36"},
                                              {"minCompatibilityMajor", "1"},
                                              {"minCompatibilityMinor", "35"},
                                              {"gitVersion", git_version},
                                              {"gitCommit", ""},
                                              {"gitTreeState", ""},
                                              {"buildDate", "1970-01-01T00:00:00Z"},
                                              {"goVersion", ""},
                                              {"compiler", ""},
                                              {"platform", "linux/amd64"}}));
    return r;
}

/// Answers /api and /apis in the legacy or the aggregated form, as requested.
http_response discovery_response(const exchange& x, bool core)
{
    const auto chosen = choose_discovery_media(x.request.header("accept"), true);
    if (!chosen) return respond(chosen.error());
    const auto groups = served_groups(x.state);
    if (chosen->as != representation::discovery) {
        if (!core) return object_response(group_list(groups), chosen->form);
        return object_response(R"({"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":)"
                               R"([{"clientCIDR":"0.0.0.0/0","serverAddress":"127.0.0.1"}]})",
                               chosen->form);
    }
    auto r = json_response(aggregated_discovery(groups, core));
    const auto tag = '"' + content_hash(r.body) + '"';
    r.headers = {{"Cache-Control", "public"}, {"Etag", tag}, {"Vary", "Accept"}};
    if (x.request.header("if-none-match") == tag) {
        r.status = 304;
        r.body.clear();
        return r;
    }
    r.headers.emplace_back("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    return r;
}

http_response group_response(const exchange& x, const std::string& name, const std::string* version)
{
    const auto groups = served_groups(x.state);
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.name == name; });
    if (group == groups.end()) return respond(errors::no_such_page());
    const auto chosen = choose_discovery_media(x.request.header("accept"), false);
    if (!chosen) return respond(chosen.error());
    if (!version) return object_response(group_document(*group), chosen->form);
    for (const auto& v : group->versions)
        if (v.name == *version) return object_response(resource_list(*group, v), chosen->form);
    return respond(errors::no_such_resource());
}

http_response openapi_response(const exchange& x)
{
    const auto groups = served_groups(x.state);
    const auto& s = x.target.segments;
    if (s.size() == 2) {
        auto r = text_response(openapi_index(groups, x.state.discovery_version()));
        std::erase_if(r.headers, [](const auto& h) { return h.first == "X-Content-Type-Options"; });
        return r;
    }
    std::string path;
    for (std::size_t i = 2; i < s.size(); ++i) path += (i > 2 ? "/" : "") + s[i];
    http_response r;
    r.body = openapi_document(groups, path);
    if (r.body.empty()) return respond(errors::no_such_page());
    const auto hash = openapi_hash(path, x.state.discovery_version());
    r.headers = {{"Content-Type", "application/json"}, {"Etag", '"' + hash + '"'}, {"Vary", "Accept"}};
    if (x.target.value("hash") == hash) r.headers.emplace_back("Cache-Control", "public, immutable");
    return r;
}

/** Answers with an OpenAPI v2 document without definitions, in JSON or in the protobuf form that kubectl requests.

    kubectl falls back to v2 for kinds missing in v3 (a custom resource in the same command as its definition), and
    accepts kinds missing there too. Without a v2 document it would refuse them. */
http_response openapi_v2_response(const exchange& x)
{
    http_response r;
    if (x.request.header("accept").find("com.github.proto-openapi.spec.v2") != std::string_view::npos) {
        r.headers = {{"Content-Type", "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"}};
        r.body = "\x0a\x03"
                 "2.0"; // Field 1, swagger.
        return r;
    }
    r.headers = {{"Content-Type", "application/json"}};
    r.body = R"({"swagger":"2.0","info":{"title":"Kubernetes","version":"1.36"},"paths":{},"definitions":{}})";
    return r;
}

http_response index_response(const exchange& x)
{
    json::array paths;
    for (const auto& g : served_groups(x.state))
        for (const auto& v : g.versions)
            paths.push_back(
                json::value(std::string_view(g.name.empty() ? "/api/" + v.name : "/apis/" + g.name + "/" + v.name)));
    return json_response(to_text(json::object{{"paths", paths}}));
}

/// The paths that answer any method, as those of a kube-apiserver that are no resources of a web service.
std::optional<http_response> answer_any_method(const exchange& x)
{
    const auto& s = x.target.segments;
    const auto& path = x.target.path;
    if (path == "/") return index_response(x);
    if (s.empty()) return {};
    const std::string_view first = s[0];
    const bool exact = !path.ends_with('/');
    if (exact && is_health(first)) return health_response(x);
    if (first == "apis" && s.size() == 1) return discovery_response(x, false);
    if (first == "apis" && s.size() == 2) return group_response(x, s[1], nullptr);
    if (exact && first == "openapi" && s.size() >= 2 && s[1] == "v3") return openapi_response(x);
    if (exact && first == "openapi" && s.size() == 2 && s[1] == "v2") return openapi_v2_response(x);
    return {};
}

} // namespace

http_response answer_path(exchange& x)
{
    if (auto answered = answer_any_method(x)) return std::move(*answered);
    const auto& s = x.target.segments;
    const std::string_view first = s.empty() ? std::string_view() : std::string_view(s[0]);
    std::optional<http_response> read;
    if (first == "version" && s.size() == 1) read = version_response();
    if (first == "api" && s.size() == 1) read = discovery_response(x, true);
    if (first == "api" && s.size() == 2) read = group_response(x, "", &s[1]);
    if (first == "apis" && s.size() == 3) read = group_response(x, s[1], &s[2]);
    if (!read) return respond(errors::no_such_page());
    // A page that is missing is missing for every method.
    if (x.request.method != "GET" && read->status != 404) return respond(errors::method_not_allowed());
    return std::move(*read);
}

} // namespace kubecoro::apiserver
