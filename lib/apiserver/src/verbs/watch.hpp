// Opens watches: determines the initial events, the start in the history, and the end.
#pragma once

#include "render/render.hpp"
#include "request/list_query.hpp"
#include "state/resource_store.hpp"

#include <kubecoro/apiserver/watch_body.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace kubecoro::apiserver {

struct watch_request
{
    std::shared_ptr<resource_store> store;
    std::string ns = {};
    list_query query = {};
    selection selected = {};
    rendering form = {};
    /// The server ends the watch after this time.
    std::chrono::seconds lifetime{1800};
    std::chrono::seconds bookmark_interval{60};
};

/// Errors: 500 for an invalid version. Versions too old or in the future are reported by the stream.
[[nodiscard]] answer<std::unique_ptr<watch_body>> open_watch(watch_request request, wall_time now);

} // namespace kubecoro::apiserver
