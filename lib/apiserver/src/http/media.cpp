#include "http/media.hpp"

#include "render/status_errors.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace kubecoro::apiserver {
namespace {

struct clause
{
    std::string type;
    std::map<std::string, std::string, std::less<>> parameters;

    [[nodiscard]] std::string_view parameter(std::string_view name) const
    {
        const auto it = parameters.find(name);
        return it == parameters.end() ? std::string_view{} : std::string_view(it->second);
    }
    [[nodiscard]] bool json() const
    {
        return type == "application/json" || type == "*/*" || type == "application/*" || type.empty();
    }
};

std::string_view trim(std::string_view text)
{
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

std::vector<clause> parse_accept(std::string_view accept)
{
    std::vector<clause> all;
    while (!accept.empty()) {
        const auto comma = accept.find(',');
        auto part = accept.substr(0, comma);
        accept = comma == std::string_view::npos ? std::string_view{} : accept.substr(comma + 1);
        clause c;
        auto semicolon = part.find(';');
        c.type = trim(part.substr(0, semicolon));
        while (semicolon != std::string_view::npos) {
            part.remove_prefix(semicolon + 1);
            semicolon = part.find(';');
            const auto pair = trim(part.substr(0, semicolon));
            const auto equals = pair.find('=');
            if (equals != std::string_view::npos)
                c.parameters.emplace(trim(pair.substr(0, equals)), trim(pair.substr(equals + 1)));
        }
        if (!c.type.empty()) all.push_back(std::move(c));
    }
    return all;
}

status_error not_acceptable(bool bad_transform)
{
    constexpr std::string_view types = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
    auto e = errors::make(406, "NotAcceptable",
                          bad_transform ? "only the following media types are accepted: " + std::string(types)
                                        : "406: Not Acceptable\n\nAvailable representations: " + std::string(types));
    e.empty_details = !bad_transform;
    return e;
}

} // namespace

answer<media_choice> choose_media(std::string_view accept)
{
    const auto clauses = parse_accept(accept);
    if (clauses.empty()) return media_choice{};
    bool bad_transform = false;
    for (const auto& c : clauses) {
        if (!c.json()) continue;
        const auto as = c.parameter("as");
        const auto version = c.parameter("v");
        if (as.empty()) return media_choice{};
        const bool ours = c.parameter("g") == "meta.k8s.io";
        media_choice chosen;
        chosen.version = version;
        if (as == "Table" && ours && (version == "v1" || version == "v1beta1"))
            chosen.as = representation::table;
        else if (as == "PartialObjectMetadata" && ours && version == "v1")
            chosen.as = representation::partial;
        else if (as == "PartialObjectMetadataList" && ours && version == "v1")
            chosen.as = representation::partial_list;
        else {
            bad_transform = true;
            continue;
        }
        return chosen;
    }
    return not_acceptable(bad_transform);
}

answer<media_choice> choose_discovery_media(std::string_view accept)
{
    const auto clauses = parse_accept(accept);
    if (clauses.empty()) return media_choice{};
    for (const auto& c : clauses) {
        if (!c.json()) continue;
        if (c.parameter("as").empty()) return media_choice{};
        if (c.parameter("as") == "APIGroupDiscoveryList" && c.parameter("g") == "apidiscovery.k8s.io" &&
            c.parameter("v") == "v2")
            return media_choice{representation::discovery, "v2",
                                "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"};
    }
    return not_acceptable(false);
}

} // namespace kubecoro::apiserver
