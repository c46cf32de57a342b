#include "request/query.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace kubecoro {
namespace {

std::string_view text_of(field_validation validation) noexcept
{
    switch (validation) {
    case field_validation::ignore:
        return "Ignore";
    case field_validation::warn:
        return "Warn";
    case field_validation::strict:
    case field_validation::client:
        return "Strict";
    case field_validation::unset:
        break;
    }
    return {};
}

std::string_view text_of(deletion_propagation propagation) noexcept
{
    switch (propagation) {
    case deletion_propagation::orphan:
        return "Orphan";
    case deletion_propagation::background:
        return "Background";
    case deletion_propagation::foreground:
        return "Foreground";
    case deletion_propagation::unset:
        break;
    }
    return {};
}

} // namespace

std::string encode_query_value(std::string_view text)
{
    std::string out;
    for (char c : text) {
        if (detail::is_unreserved(c))
            out += c;
        else if (c == ' ')
            out += '+';
        else
            detail::append_percent(out, c);
    }
    return out;
}

namespace detail {

query write_query(const write_options& o)
{
    query q;
    q.add_if(o.dry_run, "dryRun", "All")
        .add_unless_empty("fieldManager", o.field_manager)
        .add_unless_empty("fieldValidation", text_of(o.validation))
        .add_if(o.force, "force", "true");
    return q;
}

} // namespace detail

// On the server, a body takes precedence over the query, so all options go into the body.
std::string delete_options_text(const delete_options& o)
{
    if (o == delete_options{}) return {};
    boost::json::object body{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}};
    if (o.grace_period) body["gracePeriodSeconds"] = o.grace_period->count();
    boost::json::object preconditions;
    if (!o.uid.empty()) preconditions["uid"] = o.uid;
    if (!o.resource_version.empty()) preconditions["resourceVersion"] = o.resource_version;
    if (!preconditions.empty()) body["preconditions"] = std::move(preconditions);
    if (o.propagation != deletion_propagation::unset) body["propagationPolicy"] = text_of(o.propagation);
    if (o.dry_run) body["dryRun"] = boost::json::array({"All"});
    return boost::json::serialize(body);
}

} // namespace kubecoro
