#include "listener/event_trace.hpp"

#include <string>
#include <utility>

namespace kubecoro::detail {

event_trace::event_trace(logger log, std::string_view whose, std::string name)
    : log_(std::move(log)), whose_(whose), name_(std::move(name)), on_(log_.enabled(log_level::trace))
{
}

void event_trace::write(std::string_view station, const object& o) const
{
    if (!o) return; // a bookmark's delta has no object
    log_.trace(station, {{whose_, name_}, {"object", to_string(o.key())}, {"version", o.resource_version()}});
}

} // namespace kubecoro::detail
