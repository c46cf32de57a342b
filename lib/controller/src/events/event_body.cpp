// Events in JSON.
#include "events/event_body.hpp"

#include <kubecoro/api/edit.hpp>
#include <kubecoro/api/timestamp.hpp>

#include <boost/json/value.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

constexpr std::size_t max_instance = 128;

std::string host_name()
{
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
    return name.data();
}

std::string seconds_text(wall_time t) { return timestamp(t).canonical(); }
std::string micro_text(wall_time t) { return micro_timestamp(t).canonical(); }

json::object reference_to(const event_target& t)
{
    json::object o;
    const auto set = [&o](std::string_view name, const std::string& value) {
        if (!value.empty()) o[name] = value;
    };
    set("apiVersion", t.api_version);
    set("kind", t.kind);
    set("namespace", t.ns);
    set("name", t.name);
    set("uid", t.uid);
    set("resourceVersion", t.resource_version);
    set("fieldPath", t.field_path);
    return o;
}

json::object series_of(const event_series& s) { return {{"count", s.count}, {"lastObservedTime", micro_text(s.last)}}; }

/// The members that both APIs call the same.
json::object common_parts(event_api api, const event_reporter& by, const event_series& s)
{
    json::object o = new_object(event_resource(api), object_key(s.ns, s.name));
    o["type"] = s.what.type == event_type::warning ? "Warning" : "Normal";
    o["reason"] = s.what.reason;
    o["action"] = s.what.action;
    o["reportingInstance"] = by.instance;
    if (!s.what.related.name.empty()) o["related"] = reference_to(s.what.related);
    return o;
}

json::object new_api_object(const event_reporter& by, const event_series& s)
{
    json::object o = common_parts(event_api::events_v1, by, s);
    o["regarding"] = reference_to(s.what.regarding);
    o["note"] = s.what.note;
    o["reportingController"] = by.component;
    o["eventTime"] = micro_text(s.first);
    if (s.count > 1) o["series"] = series_of(s);
    return o;
}

json::object old_api_object(const event_reporter& by, const event_series& s)
{
    json::object o = common_parts(event_api::core_v1, by, s);
    o["involvedObject"] = reference_to(s.what.regarding);
    o["message"] = s.what.note;
    o["source"] = {{"component", by.component}, {"host", by.instance}};
    o["reportingComponent"] = by.component;
    o["firstTimestamp"] = seconds_text(s.first);
    o["lastTimestamp"] = seconds_text(s.last);
    o["count"] = s.count;
    return o;
}

} // namespace

event_reporter make_reporter(const event_recorder_options& o)
{
    event_reporter by;
    by.component = qualified_name(o.component);
    by.instance = o.instance.empty() ? by.component + '-' + host_name() : o.instance;
    by.instance = clean_text(by.instance, max_instance);
    return by;
}

resource_type event_resource(event_api api)
{
    return {api == event_api::events_v1 ? "events.k8s.io" : "", "v1", "events", "Event", true};
}

json::object event_object(event_api api, const event_reporter& by, const event_series& s)
{
    return api == event_api::events_v1 ? new_api_object(by, s) : old_api_object(by, s);
}

json::object event_patch(event_api api, const event_series& s)
{
    if (api == event_api::events_v1) return {{"series", series_of(s)}};
    return {{"count", s.count}, {"lastTimestamp", seconds_text(s.last)}, {"message", s.what.note}};
}

} // namespace kubecoro::detail
