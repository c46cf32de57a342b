#pragma once

#include <kubecoro/api/decode.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// @param metadata  Absent if unknown.
[[nodiscard]] inline left_out_object left_out(value_view metadata, std::string why)
{
    left_out_object o;
    o.key = {std::string(metadata["namespace"].as_string()), std::string(metadata["name"].as_string())};
    o.uid = metadata["uid"].as_string();
    o.resource_version = metadata["resourceVersion"].as_string();
    o.why = std::move(why);
    return o;
}

/// An object that is not wanted: without a reason.
[[nodiscard]] inline std::shared_ptr<const left_out_object> passed_over(object_key_view key, std::string_view version)
{
    left_out_object o;
    o.key = object_key(key);
    o.resource_version = version;
    return std::make_shared<const left_out_object>(std::move(o));
}

/// The last one of those that are passed over in a row tells the version of all.
inline void append(watch_event event, std::vector<watch_event>& out)
{
    const auto is_passed_over = [](const watch_event& e) { return e.left_out && e.left_out->why.empty(); };
    if (!out.empty() && is_passed_over(event) && is_passed_over(out.back()) && out.back().type == event.type)
        out.back() = std::move(event);
    else
        out.push_back(std::move(event));
}

} // namespace kubecoro::detail
