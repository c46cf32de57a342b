// Applies patches: RFC 6902 (JSON), RFC 7386 (merge) and Kubernetes' strategic merge.
#pragma once

#include <kubecoro/admission/detail/json_patch.hpp>
#include <kubecoro/apiserver/detail/status_error.hpp>

#include <boost/json/value.hpp>

#include <optional>
#include <string_view>

namespace kubecoro::apiserver {

using detail::apply_json_patch;

void apply_merge_patch(boost::json::value& doc, const boost::json::value& patch);

/** Applies a strategic merge patch to an object of a built-in kind. Objects are merged; lists are merged by their merge key, or
    as sets, when the schema of the kind says so, and replaced otherwise. Supports `$patch`, `$retainKeys`,
    `$setElementOrder/...` and `$deleteFromPrimitiveList/...`. Returns why a patch cannot be applied; `doc` is then
    unusable. */
[[nodiscard]] std::optional<status_error> apply_strategic_merge(boost::json::object& doc,
                                                                const boost::json::object& patch,
                                                                std::string_view api_version, std::string_view kind);

} // namespace kubecoro::apiserver
