// The two forms of events, of the core group and of events.k8s.io, and Kubernetes' rules for them.
#include "objects/registry.hpp"
#include "objects/status_errors.hpp"
#include "schema/kind_validation.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/detail/label_rules.hpp>

#include <string_view>
#include <utility>

namespace kubecoro::apiserver {
namespace {

using errors::invalid_value;

constexpr std::size_t longest_field = 128;
constexpr std::size_t longest_message = 1024;

bool given(const json::value& event, std::string_view path)
{
    const auto* found = find_at(event, path);
    return found && !found->is_null();
}

void check_short_text(const json::value& event, std::string_view path, std::vector<status_cause>& causes)
{
    const auto text = text_at(event, path);
    if (text.empty())
        causes.push_back(errors::required(std::string(path)));
    else if (text.size() > longest_field)
        causes.push_back(invalid_value(std::string(path), R"("")", "can have at most 128 characters"));
}

/// A missing name is also no qualified name, for two reasons.
void check_reporter(const json::value& event, const std::string& path, std::vector<status_cause>& causes)
{
    if (!text_at(event, "reportingComponent").empty()) return;
    causes.push_back(errors::required(path));
    for (const auto& why : detail::label_key_problems("")) causes.push_back(invalid_value(path, quote(""), why));
}

void check_series(const json::value& event, std::vector<status_cause>& causes)
{
    if (!given(event, "series")) return;
    if (int_at(event, "series.count") < 2)
        causes.push_back(invalid_value("series.count", R"("")", "should be at least 2"));
    if (!given(event, "series.lastObservedTime")) causes.push_back(errors::required("series.lastObservedTime"));
}

/// An event with a time may be about an object of any namespace.
void check_namespace(const json::value& event, bool has_time, std::vector<status_cause>& causes)
{
    const auto about = text_at(event, "involvedObject.namespace");
    const auto own = text_at(event, "metadata.namespace");
    const bool of_cluster = own == "default" || (has_time && own == "kube-system");
    if (about.empty() ? of_cluster : has_time || about == own) return;
    causes.push_back(invalid_value("involvedObject.namespace", quote(about), "does not match event.namespace"));
}

/// The rules of both groups.
void check_legacy(const resource_info& info, const json::value& event, std::vector<status_cause>& causes)
{
    const bool has_time = given(event, "eventTime");
    check_namespace(event, has_time, causes);
    if (!has_time) return;
    check_reporter(event, info.group.empty() ? "reportingComponent" : "reportingController", causes);
    for (const std::string_view path : {"reportingInstance", "action", "reason"}) check_short_text(event, path, causes);
    if (text_at(event, "message").size() > longest_message)
        causes.push_back(invalid_value("message", R"("")", "can have at most 1024 characters"));
}

/// Events of events.k8s.io may not be created with the fields of older clients.
void check_deprecated(const json::value& event, std::vector<status_cause>& causes)
{
    for (const std::string_view path : {"firstTimestamp", "lastTimestamp"})
        if (given(event, path)) causes.push_back(invalid_value(std::string(path), R"("")", "needs to be unset"));
    if (int_at(event, "count") != 0) causes.push_back(invalid_value("count", R"("")", "needs to be unset"));
    if (!text_at(event, "source.component").empty() || !text_at(event, "source.host").empty())
        causes.push_back(invalid_value("source", R"("")", "needs to be unset"));
    const auto type = text_at(event, "type");
    if (type != "Normal" && type != "Warning")
        causes.push_back(invalid_value("type", R"("")", "has invalid value: " + std::string(type)));
    check_series(event, causes);
}

bool same_at(const json::value& a, const json::value& b, std::string_view path)
{
    const auto* x = find_at(a, path);
    const auto* y = find_at(b, path);
    return x && y ? *x == *y : !x && !y;
}

} // namespace

// As a kube-apiserver, which converts an event to its own form first and names the fields of that.
void validate_event(const resource_info& info, const json::value& body, std::vector<status_cause>& causes)
{
    const bool core = info.group.empty();
    const auto event = core ? body : event_form(body, true);
    check_legacy(info, event, causes);
    if (!core && !given(event, "eventTime")) causes.push_back(errors::required("eventTime"));
    if (!core) check_deprecated(event, causes);
}

void validate_event_update(const resource_info& info, const json::value& before, const json::value& after,
                           std::vector<status_cause>& causes)
{
    if (info.group.empty()) return check_legacy(info, after, causes);
    const auto then = event_form(before, true);
    const auto now = event_form(after, true);
    check_legacy(info, now, causes);
    if (!same_at(then, now, "series")) check_series(now, causes);
    for (const std::string_view path :
         {"involvedObject", "reason", "message", "source", "firstTimestamp", "lastTimestamp", "count", "type",
          "eventTime", "action", "related", "reportingComponent", "reportingInstance"}) {
        if (same_at(then, now, path)) continue;
        const auto* value = find_at(now, path);
        causes.push_back(invalid_value(path == "reportingComponent" ? "reportingController" : std::string(path),
                                       value ? to_text(*value) : "null", "field is immutable"));
    }
}

namespace {

/// The members whose names differ: in the core group, and in events.k8s.io.
constexpr std::pair<std::string_view, std::string_view> names[]{
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"reportingComponent", "reportingController"},
};

std::string_view other_name(std::string_view name, bool core)
{
    for (const auto& [in_core, in_events] : names)
        if (name == (core ? in_events : in_core)) return core ? in_core : in_events;
    return name;
}

} // namespace

json::value event_form(json::value event, bool core)
{
    json::object out;
    for (auto& [key, member] : event.get_object()) out.emplace(other_name(key, core), std::move(member));
    return out;
}

} // namespace kubecoro::apiserver
