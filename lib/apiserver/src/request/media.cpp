#include "request/media.hpp"

#include "objects/status_errors.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/detail/protobuf_form.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <exception>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace kubecoro::apiserver {
namespace {

constexpr std::string_view json_type = "application/json";
constexpr std::string_view yaml_type = "application/yaml";

struct clause
{
    std::string type;
    std::map<std::string, std::string, std::less<>> parameters;

    [[nodiscard]] bool has(std::string_view name) const { return parameters.find(name) != parameters.end(); }
    [[nodiscard]] std::string_view parameter(std::string_view name) const
    {
        const auto it = parameters.find(name);
        return it == parameters.end() ? std::string_view{} : std::string_view(it->second);
    }
    /// 1 if there is none, or none that is a number.
    [[nodiscard]] double quality() const
    {
        const auto text = parameter("q");
        double value = 1;
        const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool whole = ec == std::errc{} && end == text.data() + text.size() && !text.empty();
        return whole && std::isfinite(value) ? value : 1;
    }
    [[nodiscard]] bool allows(std::string_view media_type) const { return type == media_type || type == "*/*"; }
    /// True if it asks for another representation of the object.
    [[nodiscard]] bool transforms() const { return has("as") || has("g") || has("v"); }
    [[nodiscard]] bool is_streamable() const { return parameter("stream").empty() || parameter("stream") == "watch"; }
};

/// The forms that the server writes, in the order in which wildcards select them.
struct offer
{
    std::string_view media_type;
    answer_form form;
};
constexpr offer offers[] = {
    {json_type, answer_form::json}, {yaml_type, answer_form::yaml}, {detail::protobuf_type, answer_form::protobuf}};

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
    // The best quality first, then the most specific.
    const auto rank = [](const clause& c) {
        return std::tuple(-c.quality(), c.type.starts_with("*/"), c.type.ends_with("/*"));
    };
    std::ranges::stable_sort(all, {}, rank);
    return all;
}

/// @param routed  Some clause names a form of the server, so the request reaches the resource, which refuses it.
status_error not_acceptable(bool routed, bool watch)
{
    const std::string types = watch ? "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"
                                    : "application/json, application/yaml, application/vnd.kubernetes.protobuf";
    auto e = errors::make(406, "NotAcceptable",
                          routed ? "only the following media types are accepted: " + types
                                 : "406: Not Acceptable\n\nAvailable representations: " + types);
    e.empty_details = !routed;
    return e;
}

/// Returns what the clause gets in this form; nothing if it cannot be served.
std::optional<media_choice> serve(const clause& c, const offer& o, const media_scope& scope)
{
    if (!c.allows(o.media_type) || !c.is_streamable()) return {};
    if (scope.watch && o.form == answer_form::yaml) return {};
    media_choice chosen;
    chosen.form = o.form;
    const bool protobuf = o.form == answer_form::protobuf;
    if (!c.transforms()) return protobuf && scope.custom ? std::nullopt : std::optional(chosen);
    const auto as = c.parameter("as");
    const auto version = c.parameter("v");
    if (c.parameter("g") != "meta.k8s.io") return {};
    chosen.version = version;
    if (as == "Table" && !protobuf && (version == "v1" || version == "v1beta1"))
        chosen.as = representation::table;
    else if (as == "PartialObjectMetadata" && version == "v1")
        chosen.as = representation::partial;
    else if (as == "PartialObjectMetadataList" && version == "v1")
        chosen.as = representation::partial_list;
    else
        return {};
    return chosen;
}

} // namespace

answer<media_choice> choose_media(std::string_view accept, const media_scope& scope)
{
    const auto clauses = parse_accept(accept);
    if (clauses.empty()) return media_choice{};
    bool routed = scope.custom;
    for (const auto& c : clauses) {
        for (const auto& o : offers) {
            if (auto chosen = serve(c, o, scope)) return *chosen;
            routed = routed || c.allows(o.media_type);
        }
    }
    return not_acceptable(routed, scope.watch);
}

answer_form choose_plain_form(std::string_view accept)
{
    for (const auto& c : parse_accept(accept))
        for (const auto& o : offers)
            if (c.allows(o.media_type) && c.is_streamable() && !c.transforms()) return o.form;
    return answer_form::json;
}

std::string_view content_type(answer_form form, bool watch) noexcept
{
    if (form == answer_form::json) return json_type;
    if (form == answer_form::yaml) return yaml_type;
    return watch ? "application/vnd.kubernetes.protobuf;stream=watch" : detail::protobuf_type;
}

answer<media_choice> choose_discovery_media(std::string_view accept, bool aggregates)
{
    const auto clauses = parse_accept(accept);
    if (clauses.empty()) return media_choice{};
    for (const auto& c : clauses) {
        const auto* const plain = std::ranges::find_if(offers, [&](const offer& o) { return c.allows(o.media_type); });
        if (!c.transforms() && plain != std::end(offers)) {
            media_choice chosen;
            chosen.form = plain->form;
            return chosen;
        }
        if (aggregates && c.allows(json_type) && c.parameter("as") == "APIGroupDiscoveryList" &&
            c.parameter("g") == "apidiscovery.k8s.io" && c.parameter("v") == "v2") {
            media_choice aggregated;
            aggregated.as = representation::discovery;
            aggregated.version = "v2";
            return aggregated;
        }
    }
    return not_acceptable(false, false);
}

namespace {

/// Nodes of a YAML body: some tenths of a second.
constexpr std::size_t most_yaml_nodes = 200'000;

bool is_json(const http_request& request)
{
    // The handler refuses a body with too many members before anything is built of it.
    return key_comparisons(request.body, deepest_body) > most_comparisons || parse_json(request.body, deepest_body);
}

} // namespace

std::string media_type(std::string_view content_type)
{
    content_type = content_type.substr(0, content_type.find(';'));
    while (!content_type.empty() && content_type.back() == ' ') content_type.remove_suffix(1);
    std::string out(content_type);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

bool is_called_yaml(const http_request& request)
{
    return media_type(request.header("content-type")).ends_with("yaml");
}

bool is_plain_yaml(const http_request& request)
{
    if (!is_called_yaml(request)) return false;
    const auto first = request.body.find_first_not_of(" \t\r\n");
    return first == std::string::npos || request.body[first] != '{';
}

std::shared_ptr<const yaml_body> parse_yaml_body(const http_request& request)
{
    return std::make_shared<const yaml_body>(yaml_body{detail::parse_yaml(request.body, most_yaml_nodes)});
}

void parse_ahead(http_request& request) noexcept
{
    try {
        if (is_plain_yaml(request) || !is_json(request)) request.yaml = parse_yaml_body(request);
    } catch (const std::exception&) { // left to the handler
    }
}

} // namespace kubecoro::apiserver
