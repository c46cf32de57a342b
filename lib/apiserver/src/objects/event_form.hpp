// Events are one set of objects with two forms: of the core group, and of events.k8s.io.
#pragma once

#include <boost/json/value.hpp>

namespace kubecoro::apiserver {

/// Gives the members of an Event the names of the other form.
[[nodiscard]] boost::json::value event_form(boost::json::value event, bool core);

} // namespace kubecoro::apiserver
