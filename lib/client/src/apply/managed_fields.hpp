#pragma once
// The entries of metadata.managedFields. Sans-io.

#include <kubecoro/api/object.hpp>

#include <string_view>

namespace kubecoro::detail {

/// One entry, borrowed from its object.
struct managed_entry
{
    std::string_view manager;
    /// "Apply" or "Update".
    std::string_view operation;
    std::string_view api_version;
    std::string_view subresource;
    /// FieldsV1.
    value_view fields;
};

[[nodiscard]] inline managed_entry read_entry(value_view entry) noexcept
{
    return {entry["manager"].as_string(), entry["operation"].as_string(), entry["apiVersion"].as_string(),
            entry["subresource"].as_string(), entry["fieldsV1"]};
}

} // namespace kubecoro::detail
