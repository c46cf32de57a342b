#include "state/scale.hpp"

#include "objects/status_errors.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/detail/go_format.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

namespace kubecoro::apiserver {
namespace {

std::string selector_of(const resource_info& info, const json::value& body)
{
    if (!info.scale_selector.empty()) return std::string(text_at(body, info.scale_selector));
    std::string out;
    if (const auto* labels = object_at(body, "spec.selector.matchLabels"))
        for (const auto& [key, value] : *labels)
            out += (out.empty() ? "" : ",") + std::string(key) + "=" + scalar_text(value);
    return out;
}

void set_at(json::value& body, std::string_view dotted, json::value v)
{
    json::object* at = &body.get_object();
    for (auto dot = dotted.find('.'); dot != std::string_view::npos; dot = dotted.find('.')) {
        at = &object_member(*at, dotted.substr(0, dot));
        dotted.remove_prefix(dot + 1);
    }
    (*at)[dotted] = std::move(v);
}

} // namespace

json::value scale_of(const resource_info& info, const stored_object& object) { return scale_of(info, to_json(object)); }

json::value scale_of(const resource_info& info, const json::value& body)
{
    json::object metadata;
    for (const std::string_view key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"})
        if (const auto* v = body.at("metadata").get_object().if_contains(key)) metadata.emplace(key, *v);
    json::object spec, status;
    if (const auto replicas = int_at(body, info.scale_spec)) spec.emplace("replicas", replicas);
    status.emplace("replicas", int_at(body, info.scale_status));
    if (const auto selector = selector_of(info, body); !selector.empty())
        status.emplace("selector", json::value(std::string_view(selector)));
    return {{"kind", "Scale"},
            {"apiVersion", "autoscaling/v1"},
            {"metadata", metadata},
            {"spec", spec},
            {"status", status}};
}

namespace {

status_error other_uid(const resource_info& info, std::string_view uid, const json::object& metadata)
{
    auto e = errors::conflict(info, std::string(metadata.at("name").get_string()));
    e.kind = info.plural + "/scale";
    e.message = "Operation cannot be fulfilled on " + info.plural + "/scale" + (info.group.empty() ? "" : ".") +
                info.group + " \"" + e.name + "\": Precondition failed: UID in precondition: " + std::string(uid) +
                ", UID in object meta: " + std::string(metadata.at("uid").get_string());
    return e;
}

} // namespace

answer<void> take_scale(const resource_info& info, const json::value& scale, json::value& body)
{
    const auto replicas = int_at(scale, "spec.replicas");
    if (replicas < 0)
        return errors::invalid(
            "Scale", "autoscaling", text_at(body, "metadata.name"),
            {errors::invalid_value("spec.replicas", std::to_string(replicas), "must be greater than or equal to 0")});
    auto& metadata = object_member(body.get_object(), "metadata");
    if (const auto uid = text_at(scale, "metadata.uid"); !uid.empty() && uid != text_at(body, "metadata.uid"))
        return other_uid(info, uid, metadata);
    metadata["resourceVersion"] = text_at(scale, "metadata.resourceVersion");
    set_at(body, info.scale_spec, replicas);
    return {};
}

namespace {

using errors::invalid_value;

std::string_view go_type(const json::value& v)
{
    if (v.is_null()) return "<nil>";
    if (v.is_string()) return "string";
    if (v.is_bool()) return "bool";
    if (v.is_array()) return "[]interface {}";
    if (v.is_object()) return "map[string]interface {}";
    return v.is_int64() ? "int64" : "float64";
}

struct found_member
{
    /// Null: absent.
    const json::value* value = nullptr;
    /// Why there is no way to it.
    std::string problem = {};
};

/// Follows a path of names. @param wanted  Go's type of the value.
found_member member_at(const json::value& body, std::string_view path, std::string_view wanted)
{
    const auto fault = [&](std::string_view at, const json::value& v, std::string_view type) {
        return "." + std::string(at) + " accessor error: " + detail::go_plain(v) + " is of the type " +
               std::string(go_type(v)) + ", expected " + std::string(type);
    };
    const json::value* v = &body;
    for (std::size_t begin = 0, end = 0; end != path.size(); begin = end + 1) {
        end = std::min(path.find('.', begin), path.size());
        const auto* object = v->if_object();
        if (v->is_null()) return {};
        if (!object) return {nullptr, fault(path.substr(0, end), *v, "map[string]interface{}")};
        v = object->if_contains(path.substr(begin, end - begin));
        if (!v) return {};
    }
    const bool fits = wanted == "string" ? v->is_string() : v->is_int64();
    return fits ? found_member{v} : found_member{nullptr, fault(path, *v, wanted)};
}

void check_replicas(const json::value& body, const std::string& path, std::vector<status_cause>& causes)
{
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const auto found = member_at(body, path, "int64");
    const auto add = [&](std::int64_t number, const std::string& why) {
        causes.push_back(invalid_value("." + path, std::to_string(number), why));
    };
    if (!found.problem.empty())
        add(0, found.problem);
    else if (found.value && found.value->get_int64() < 0)
        add(found.value->get_int64(), "should be a non-negative integer");
    else if (found.value && found.value->get_int64() > most)
        add(found.value->get_int64(), "should be less than or equal to " + std::to_string(most));
}

} // namespace

void validate_scaled(const resource_info& info, const json::value& body, std::vector<status_cause>& causes)
{
    if (!info.custom || !info.has_scale) return;
    check_replicas(body, info.scale_spec, causes);
    check_replicas(body, info.scale_status, causes);
    if (info.scale_selector.empty()) return;
    if (const auto found = member_at(body, info.scale_selector, "string"); !found.problem.empty())
        causes.push_back(invalid_value("." + info.scale_selector, "\"\"", found.problem));
}

} // namespace kubecoro::apiserver
