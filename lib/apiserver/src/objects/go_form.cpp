#include "objects/go_form.hpp"

#include <kubecoro/api/detail/protobuf_form.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <limits>
#include <utility>

namespace kubecoro::apiserver {

namespace json = boost::json;

namespace {

void take(json::value& target, json::value form);

void take_members(json::object& target, json::object form)
{
    json::object ordered;
    for (auto& [key, value] : target) {
        const auto it = form.find(key);
        if (it == form.end()) continue;
        take(value, std::move(it->value()));
        ordered.emplace(key, std::move(value));
        form.erase(it);
    }
    for (auto& [key, value] : form) ordered.emplace(key, std::move(value));
    target = std::move(ordered);
}

/// Gives `target` the content of `form`; members of objects keep their order.
void take(json::value& target, json::value form)
{
    if (target.is_object() && form.is_object()) return take_members(target.get_object(), std::move(form.get_object()));
    if (!target.is_array() || !form.is_array() || target.get_array().size() != form.get_array().size()) {
        target = std::move(form);
        return;
    }
    for (std::size_t i = 0; i < target.get_array().size(); ++i)
        take(target.get_array()[i], std::move(form.get_array()[i]));
}

} // namespace

void take_go_form(const resource_info& info, json::value& body)
{
    const auto version = info.api_version(info.storage_version);
    const auto* kind = info.custom ? nullptr : detail::builtin_schemas::find(version, info.kind);
    if (!kind || !body.is_object()) return;
    const auto message = detail::protobuf_message(*kind, body.get_object());
    if (!message) return;
    const decode_limits unlimited{.max_object_bytes = std::numeric_limits<std::int32_t>::max(), .max_depth = 512};
    const auto object = detail::decode_protobuf_body(detail::protobuf_envelope(version, info.kind, *message), version,
                                                     info.kind, unlimited);
    if (!object) return;
    auto form = object->to_json();
    for (const std::string_view key : {"kind", "apiVersion"}) form.get_object().erase(key);
    take(body, std::move(form));
}

} // namespace kubecoro::apiserver
