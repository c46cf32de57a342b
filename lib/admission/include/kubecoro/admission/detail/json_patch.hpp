// Applies JSON patches, as a kube-apiserver does.
#pragma once

#include <boost/json/fwd.hpp>

namespace kubecoro::detail {

/** Applies the operations (RFC 6902) in order. Returns false when one of them cannot be applied; `doc` is then unusable.

    The bytes that operations write in total and the depth of the result are bounded. An operation beyond a bound cannot
    be applied. */
[[nodiscard]] bool apply_json_patch(boost::json::value& doc, const boost::json::array& operations);

} // namespace kubecoro::detail
