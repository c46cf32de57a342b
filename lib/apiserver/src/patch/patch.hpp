// The patch formats: RFC 6902 (json), RFC 7386 (merge) and Kubernetes' strategic merge.
#pragma once

#include <boost/json/value.hpp>

namespace kubecoro::apiserver {

/** Applies the operations in order. False when one of them cannot be applied; `doc` is then of no use.

    What copies and moves touch in total and how deep the result nests is bounded: beyond that an operation counts as one
    that cannot be applied. */
[[nodiscard]] bool apply_json_patch(boost::json::value& doc, const boost::json::array& operations);

void apply_merge_patch(boost::json::value& doc, const boost::json::value& patch);

/** Merges maps, and lists of built-in kinds by their merge keys (containers by name, ports by number, ...), honouring
    `$patch`, `$retainKeys`, `$setElementOrder/...` and `$deleteFromPrimitiveList/...`. */
void apply_strategic_merge(boost::json::value& doc, const boost::json::value& patch);

} // namespace kubecoro::apiserver
