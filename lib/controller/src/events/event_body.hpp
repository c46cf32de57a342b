#pragma once

#include "events/event_series.hpp"

#include <kubecoro/api/resource.hpp>
#include <kubecoro/controller/event_recorder.hpp>

#include <boost/json/object.hpp>

#include <string>

namespace kubecoro::detail {

/// The program that reports.
struct event_reporter
{
    std::string component;
    std::string instance;
};

/// The names of the reporter as the API admits them.
[[nodiscard]] event_reporter make_reporter(const event_recorder_options& o);

[[nodiscard]] resource_type event_resource(event_api api);
/// The object to create.
[[nodiscard]] boost::json::object event_object(event_api api, const event_reporter& by, const event_series& s);
/// The merge patch that tells of repetitions.
[[nodiscard]] boost::json::object event_patch(event_api api, const event_series& s);

} // namespace kubecoro::detail
