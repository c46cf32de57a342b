#include "event_trace.hpp"

#include <string>

namespace kubecoro {

void event_trace::write(std::string_view station, const object& o) const
{
    if (!o) return; // a bookmark's delta has none
    log_.trace(station, {{whose_, name_}, {"object", to_string(o.key())}, {"version", o.resource_version()}});
}

} // namespace kubecoro
