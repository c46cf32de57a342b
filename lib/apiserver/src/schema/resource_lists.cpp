#include "schema/resource_lists.hpp"

#include "text/json_text.hpp"

#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/api/quantity.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <limits>

namespace kubecoro::apiserver {

namespace json = boost::json;

namespace {

using detail::field_flag;
using detail::schema_field;
namespace builtin_tables = detail::builtin_schemas;

void round_to_thousandths(json::value& amount)
{
    const auto read = quantity::parse(scalar_text(amount));
    if (!read) return;
    const auto count = read->milli_value();
    using limits = std::numeric_limits<std::int64_t>;
    if (count == limits::max() || count == limits::min()) return;
    const auto thousandths = quantity::milli(count);
    if (thousandths == *read) return;
    auto rounded = *read; // in its own form
    rounded += thousandths - *read;
    amount = rounded.canonical();
}

void round_members(json::object& object, std::uint16_t message);

void round_field(json::value& value, const schema_field& field)
{
    if (field.type != detail::field_type::message) return;
    const bool is_amount = builtin_tables::message(field.message).form == detail::json_form::quantity;
    if (auto* object = value.if_object(); object && field.has(field_flag::map)) {
        for (auto& member : *object)
            if (is_amount) round_to_thousandths(member.value());
    } else if (auto* items = value.if_array(); items && field.has(field_flag::repeated)) {
        for (auto& item : *items)
            if (auto* each = item.if_object()) round_members(*each, field.message);
    } else if (object)
        round_members(*object, field.message);
}

// Recursion is bounded by the depth of the text that the object was read from.
void round_members(json::object& object, std::uint16_t message)
{
    for (auto& member : object)
        if (const auto* field = builtin_tables::find_field(message, member.key())) round_field(member.value(), *field);
}

} // namespace

void round_resource_lists(const resource_info& info, json::value& body)
{
    if (info.custom || (!info.group.empty() && info.group != "apps" && info.group != "batch")) return;
    const auto* kind = builtin_tables::find(info.api_version(info.storage_version), info.kind);
    if (kind && body.is_object()) round_members(body.get_object(), kind->message);
}

} // namespace kubecoro::apiserver
