// Writes arbitrary JSON objects as protobuf: what was written is read again, with everything for which the schema has a
// place, and is written the same again.
#include "fuzz.hpp"
#include "json_relations.hpp"

#include "protobuf/go_text.hpp"
#include "protobuf/go_values.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/protobuf_form.hpp>
#include <kubecoro/api/detail/schema.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include <string>
#include <string_view>

using namespace kubecoro;
using namespace kubecoro::detail;
namespace json = boost::json;

namespace {

json::value known_part(const schema_field& f, const json::value& v);

/// The members that a message has a place for.
json::object known_members(std::uint16_t message, const json::object& from)
{
    json::object out;
    for (const auto& [name, value] : from) {
        const auto* f = builtin_schemas::find_field(message, name);
        if (f == nullptr) continue;
        const bool many = f->has(field_flag::repeated | field_flag::map);
        json::value kept = value;
        if (auto* list = many ? kept.if_array() : nullptr)
            for (auto& item : *list) item = known_part(*f, item);
        if (auto* map = many ? kept.if_object() : nullptr)
            for (auto& entry : *map) entry.value() = known_part(*f, entry.value());
        out.emplace(name, many ? std::move(kept) : known_part(*f, value));
    }
    return out;
}

/// Go's zero time is no time; the fraction of a plain time does not count.
bool is_no_time(const json::value& v, bool micro)
{
    const auto* text = v.if_string();
    const auto time = text == nullptr ? std::nullopt : read_time(*text);
    return time && time->seconds == no_time_seconds && (!micro || time->nanos < 1000);
}

/// The part of one value that its message has a place for.
json::value known_part(const schema_field& f, const json::value& v)
{
    if (f.type != field_type::message) return v;
    const auto fields = builtin_schemas::fields(f.message);
    switch (builtin_schemas::message(f.message).form) {
    case json_form::object:
        if (!v.is_object()) return v;
        // The reader adds the type of claim templates.
        if (auto members = known_members(f.message, v.get_object());
            builtin_schemas::text(f.name) == "volumeClaimTemplates") {
            members["kind"] = "PersistentVolumeClaim";
            members["apiVersion"] = "v1";
            return members;
        } else {
            return members;
        }
    case json_form::schema_or_array:
    case json_form::schema_or_bool:
    case json_form::schema_or_strings: {
        const bool has_bool = builtin_schemas::message(f.message).form == json_form::schema_or_bool;
        const schema_field& schema = has_bool ? fields[1] : fields[0];
        if (v.is_object()) return known_part(schema, v);
        json::value kept = v;
        if (auto* list = has_bool ? nullptr : kept.if_array())
            for (auto& item : *list) item = known_part(fields[1], item);
        return kept;
    }
    case json_form::time:
        return is_no_time(v, false) ? json::value() : v;
    case json_form::micro_time:
        return is_no_time(v, true) ? json::value() : v;
    default:
        return v;
    }
}

/// Texts that Go writes in another way: times, durations, base64, quantities that were numbers.
bool same_leaf(const json::value& before, const json::value& after)
{
    if (test::same_json(before, after)) return true;
    const auto* b = before.if_string();
    const auto* a = after.if_string();
    if (b == nullptr) return a != nullptr && before.is_number();
    if (const auto time = read_time(*b))
        return a == nullptr ? after.is_null() : read_time(*a) && read_time(*a)->seconds == time->seconds;
    if (a == nullptr) return false;
    if (const auto nanos = read_duration(*b)) return read_duration(*a) == nanos;
    std::string bytes_before;
    std::string bytes_after;
    return append_decoded_base64(bytes_before, *b) && append_decoded_base64(bytes_after, *a) &&
           bytes_before == bytes_after;
}

/// Times beyond the years of four digits can be written and read, but not as JSON.
bool is_time_without_text(const failure& f) { return f.message().find("RFC 3339") != std::string::npos; }

object read_again(const std::string& bytes)
{
    decode_options options;
    options.limits.max_depth = 512;
    options.limits.max_object_bytes *= 4;
    auto read = decode_object(bytes, options, {}, wire_form::protobuf);
    fuzz::require(read.has_value(), "what was written is read");
    fuzz::require(!read->is_partial(), "the reader knows every field that the writer writes");
    return std::move(*read);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto parsed = object::parse(fuzz::text(data, size));
    if (!parsed) return 0;
    const json::value from = parsed->to_json();
    const auto written = to_protobuf(from);
    if (!written) {
        fuzz::require(written.error() == cond::invalid && !written.error().message().empty(), "a failure says why");
        return 0;
    }
    const object read = read_again(*written);
    const auto* kind = builtin_schemas::find(read.api_version(), read.kind());
    fuzz::require(kind != nullptr && parsed->kind() == read.kind(), "the kind stays");
    auto known = known_members(kind->message, from.get_object());
    known["kind"] = std::string(read.kind());
    known["apiVersion"] = std::string(read.api_version());
    fuzz::require(fuzz::keeps(known, read.to_json(), same_leaf), "everything that has a place is kept");

    const auto again = to_protobuf(read.to_json());
    if (!again) {
        fuzz::require(is_time_without_text(again.error()), "what was read can be written");
        return 0;
    }
    fuzz::require(fuzz::keeps(read.to_json(), read_again(*again).to_json()), "a second way through protobuf keeps all");
    return 0;
}
