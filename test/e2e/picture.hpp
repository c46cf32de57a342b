// A set of objects by key: the contents of the server, of a store, or as derived from notifications.
#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/cache/lister.hpp>

#include <map>
#include <string>

namespace kubecoro::e2e {

using picture = std::map<object_key, object>;

[[nodiscard]] picture picture_of(const lister<object>& l);

/// Describes the first difference in uid, version or content; empty when there is none.
[[nodiscard]] std::string difference(const picture& have, const picture& real);

} // namespace kubecoro::e2e
