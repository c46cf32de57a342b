// The claim templates of a StatefulSet, whose JSON has more than their message.
#pragma once

#include <kubecoro/api/detail/schema.hpp>

#include <string_view>

namespace kubecoro::detail {

inline constexpr std::string_view claim_kind = "PersistentVolumeClaim";
inline constexpr std::string_view claim_api_version = "v1";

/// The JSON of a kube-apiserver has kind and apiVersion in these objects; the message has no place for them.
[[nodiscard]] inline bool is_claim_template(const schema_field& f) noexcept
{
    static const schema_kind* const claim = builtin_schemas::find(claim_api_version, claim_kind);
    return claim != nullptr && f.message == claim->message && f.has(field_flag::repeated) &&
           builtin_schemas::text(f.name) == "volumeClaimTemplates";
}

} // namespace kubecoro::detail
