// Applies patches: RFC 6902 (JSON), RFC 7386 (merge) and Kubernetes' strategic merge.
#pragma once

#include <kubecoro/apiserver/status_error.hpp>

#include <boost/json/value.hpp>

#include <optional>
#include <string_view>

namespace kubecoro::apiserver {

/** Applies the operations in order. Returns false when one of them cannot be applied; `doc` is then unusable.

    The bytes that operations write in total and the depth of the result are bounded. An operation beyond a bound cannot
    be applied. */
[[nodiscard]] bool apply_json_patch(boost::json::value& doc, const boost::json::array& operations);

void apply_merge_patch(boost::json::value& doc, const boost::json::value& patch);

/** Applies a strategic merge patch to an object of a built-in kind. Objects are merged; lists are merged by their merge key, or
    as sets, when the schema of the kind says so, and replaced otherwise. Supports `$patch`, `$retainKeys`,
    `$setElementOrder/...` and `$deleteFromPrimitiveList/...`. Returns why a patch cannot be applied; `doc` is then
    unusable. */
[[nodiscard]] std::optional<status_error> apply_strategic_merge(boost::json::object& doc,
                                                                const boost::json::object& patch,
                                                                std::string_view api_version, std::string_view kind);

} // namespace kubecoro::apiserver
