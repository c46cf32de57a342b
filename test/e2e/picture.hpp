// A set of objects by key, as somebody sees it: the server, a store, or a handler that was told of changes.
#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/cache/lister.hpp>

#include <map>
#include <string>

namespace kubecoro::e2e {

using picture = std::map<object_key, object>;

[[nodiscard]] picture picture_of(const lister& l);

/// The first difference in uid, version or content, in words; empty when there is none.
[[nodiscard]] std::string difference(const picture& have, const picture& real);

} // namespace kubecoro::e2e
