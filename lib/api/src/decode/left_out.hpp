#pragma once

#include <kubecoro/api/decode.hpp>

#include <string>
#include <utility>

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

} // namespace kubecoro::detail
