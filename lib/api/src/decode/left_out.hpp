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

/// The last one of those that are passed over in a row tells the version of all.
inline void append(watch_event event, std::vector<watch_event>& out)
{
    if (!out.empty() && event.passed_over && out.back().passed_over && out.back().type == event.type)
        out.back() = std::move(event);
    else
        out.push_back(std::move(event));
}

} // namespace kubecoro::detail
