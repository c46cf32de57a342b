#include "verbs/health.hpp"

#include "objects/status_errors.hpp"
#include "text/json_text.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <utility>

namespace kubecoro::apiserver {
namespace {

/** The checks of a kube-apiserver, in its order, without those of its start. A server that answers passes them: its state
    is in memory. Readiness has all of them, the others those before etcd-readiness. */
constexpr std::string_view checks[]{"ping", "log", "etcd", "etcd-readiness", "informer-sync", "shutdown"};
constexpr std::size_t live_checks = 3;

} // namespace

bool is_health(std::string_view first_segment) noexcept
{
    return first_segment == "healthz" || first_segment == "livez" || first_segment == "readyz";
}

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

} // namespace kubecoro::apiserver
