// Applies patches: RFC 6902 (JSON), RFC 7386 (merge) and Kubernetes' strategic merge.
#pragma once

#include <boost/json/value.hpp>

namespace kubecoro::apiserver {

/** Applies the operations in order. Returns false when one of them cannot be applied; `doc` is then unusable.

    The bytes that operations write in total and the depth of the result are bounded. An operation beyond a bound cannot
    be applied. */
[[nodiscard]] bool apply_json_patch(boost::json::value& doc, const boost::json::array& operations);

void apply_merge_patch(boost::json::value& doc, const boost::json::value& patch);

/** Merges maps, and lists of built-in kinds by their merge keys (containers by name, ports by number, ...). Supports
    `$patch`, `$retainKeys`, `$setElementOrder/...` and `$deleteFromPrimitiveList/...`. */
void apply_strategic_merge(boost::json::value& doc, const boost::json::value& patch);

} // namespace kubecoro::apiserver
