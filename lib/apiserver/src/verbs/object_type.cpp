#include "verbs/body.hpp"

#include "objects/status_errors.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/detail/strict_decoding.hpp>

#include <algorithm>

namespace kubecoro::apiserver {
namespace {

type_fault unreadable(std::string why) { return {.why = std::move(why), .unreadable = true}; }

std::string_view version_of(std::string_view api_version) { return api_version.substr(api_version.rfind('/') + 1); }

/// The Go package of a group's internal types.
std::string package_of(std::string_view group)
{
    if (group.empty() || group == "events.k8s.io") return "core";
    return std::string(group.substr(0, group.find('.')));
}

std::optional<type_fault> fault_of_custom(const resource_info& info, std::string_view expected,
                                          const json::value& object)
{
    const auto kind = text_at(object, "kind");
    const auto api_version = text_at(object, "apiVersion");
    if (kind.empty()) return unreadable("Object 'Kind' is missing in '" + to_text(object) + "'");
    if (api_version.empty()) return unreadable("Object 'apiVersion' is missing in '" + to_text(object) + "'");
    const auto name = text_at(object, "metadata.name");
    type_fault out;
    if (kind != info.kind)
        out.verdict = errors::invalid(kind, info.group, name,
                                      {errors::invalid_value("kind", quote(kind), "must be " + info.kind)});
    else if (api_version != expected)
        out.verdict = errors::invalid(
            info, name, {errors::invalid_value("apiVersion", quote(api_version), "must be " + std::string(expected))});
    else
        return {};
    return out;
}

} // namespace

std::string in_version(std::string_view kind, std::string_view version, const resource_info& info)
{
    return std::string(kind) + " in version \"" + std::string(version) + "\" cannot be handled as a " + info.kind;
}

std::optional<type_fault> find_type_fault(const exchange& x, const json::value& object)
{
    const auto& info = x.store->info;
    for (const std::string_view member : {"apiVersion", "kind"})
        if (const auto* stated = find_at(object, member); stated && !stated->is_null() && !stated->is_string())
            return unreadable("couldn't get version/kind; json parse error: json: cannot unmarshal " +
                              std::string(go_kind(*stated)) + " into Go struct field ." + std::string(member) +
                              " of type string");
    const auto expected = info.api_version(x.route.version);
    if (info.custom) return fault_of_custom(info, expected, object);
    auto kind = text_at(object, "kind");
    auto api_version = text_at(object, "apiVersion");
    if (kind.empty()) kind = info.kind;
    if (api_version.empty()) api_version = expected;
    if (kind == info.kind && api_version == expected) return {};
    if (std::count(api_version.begin(), api_version.end(), '/') > 1)
        return unreadable("unexpected GroupVersion string: " + std::string(api_version));
    if (!detail::builtin_schemas::find(api_version, kind))
        return type_fault{.why = "no kind " + quote(kind) + " is registered for version " + quote(api_version) +
                                 " in scheme \"pkg/runtime/scheme.go:111\""};
    if (kind == info.kind)
        return type_fault{.verdict =
                              errors::bad_request("the API version in the data (" + std::string(api_version) +
                                                  ") does not match the expected API version (" + expected + ")")};
    return type_fault{.why = "converting (" + std::string(version_of(api_version)) + "." + std::string(kind) +
                             ") to (" + package_of(info.group) + "." + info.kind + "): unknown conversion"};
}

} // namespace kubecoro::apiserver
