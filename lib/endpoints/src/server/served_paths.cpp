#include "server/served_paths.hpp"

namespace kubecoro::detail {

std::string served_paths(const endpoint_options& o)
{
    std::string out;
    const auto add = [&out](const std::string& path) { out += (out.empty() ? "" : " ") + path; };
    for (const auto& page : o.pages) add(page.path);
    if (o.health)
        for (const auto* const path : {"/livez", "/healthz", "/readyz"}) add(path);
    if (o.prometheus) add("/metrics");
    if (o.debug)
        for (const auto* const path : {"/debug", "/dashboard"}) add(path);
    return out;
}

} // namespace kubecoro::detail
