#include "state/scale.hpp"

#include "objects/status_errors.hpp"
#include "text/json_text.hpp"

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

json::value scale_of(const resource_info& info, const stored_object& object)
{
    const auto body = to_json(object);
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

} // namespace kubecoro::apiserver
