// Writes arbitrary JSON objects as protobuf: what was written is read again, with everything for which the schema has a
// place, and is written the same again. A body that is encoded for a server has everything.
#include "fuzz.hpp"
#include "json_relations.hpp"

#include "protobuf/message_reader.hpp"
#include "text/go_text.hpp"
#include "values/go_values.hpp"

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

/// Go's zero time is no time; the fraction of a plain time does not count.
bool is_no_time(const json::value& v, bool micro)
{
    const auto* text = v.if_string();
    const auto time = text == nullptr ? std::nullopt : read_time(*text);
    return time && time->seconds == no_time_seconds && (!micro || time->nanos < 1000);
}

/// Copies the part of an object that its schema has a place for.
class known_part
{
public:
    [[nodiscard]] json::object object(const schema_kind& kind, const json::object& from)
    {
        return typed_members(kind.message, from, builtin_schemas::text(kind.api_version),
                             builtin_schemas::text(kind.kind));
    }
    /// Members that have no place.
    [[nodiscard]] std::size_t left_out() const noexcept { return left_out_; }

private:
    /// The type of an object is not in its message.
    json::object typed_members(std::uint16_t message, json::object from, std::string_view api_version,
                               std::string_view kind)
    {
        from.erase("kind");
        from.erase("apiVersion");
        auto out = members(message, from);
        out["kind"] = kind;
        out["apiVersion"] = api_version;
        return out;
    }

    json::object members(std::uint16_t message, const json::object& from)
    {
        json::object out;
        for (const auto& [name, v] : from) {
            const auto* f = builtin_schemas::find_field(message, name);
            if (f != nullptr)
                out.emplace(name, f->has(field_flag::repeated | field_flag::map) ? elements(*f, v) : value(*f, v));
            else
                ++left_out_;
        }
        return out;
    }

    json::value elements(const schema_field& f, json::value v)
    {
        if (auto* list = v.if_array())
            for (auto& item : *list) item = value(f, item);
        if (auto* map = v.if_object())
            for (auto& entry : *map) entry.value() = value(f, entry.value());
        return v;
    }

    json::value value(const schema_field& f, const json::value& v)
    {
        if (f.type != field_type::message) return v;
        const auto form = builtin_schemas::message(f.message).form;
        switch (form) {
        case json_form::object:
            if (!v.is_object()) return v;
            if (is_claim_template(f)) return typed_members(f.message, v.get_object(), claim_api_version, claim_kind);
            return members(f.message, v.get_object());
        case json_form::schema_or_array:
        case json_form::schema_or_bool:
        case json_form::schema_or_strings: {
            const auto fields = builtin_schemas::fields(f.message);
            const bool has_bool = form == json_form::schema_or_bool;
            if (v.is_object()) return value(fields[has_bool ? 1 : 0], v);
            return has_bool ? v : elements(fields[1], v);
        }
        case json_form::time:
        case json_form::micro_time:
            return is_no_time(v, form == json_form::micro_time) ? json::value() : v;
        default:
            return v;
        }
    }

    std::size_t left_out_ = 0;
};

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

/// A body that is encoded at all loses nothing.
void check_body(std::string_view text, const object& read, std::size_t left_out)
{
    const auto body = encode_protobuf_body(text, nullptr);
    fuzz::require(body || (body.error() == cond::invalid && !body.error().message().empty()), "a refusal says why");
    if (!body) return;
    fuzz::require(left_out == 0, "an encoded body has everything");
    const object same = read_again(*body);
    fuzz::require(same.root() == read.root(), "an encoded body is the object");
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
    known_part known;
    fuzz::require(fuzz::keeps(known.object(*kind, from.get_object()), read.to_json(), same_leaf),
                  "everything that has a place is kept");
    check_body(fuzz::text(data, size), read, known.left_out());

    const auto again = to_protobuf(read.to_json());
    if (!again) {
        fuzz::require(is_time_without_text(again.error()), "what was read can be written");
        return 0;
    }
    fuzz::require(fuzz::keeps(read.to_json(), read_again(*again).to_json()), "a second way through protobuf keeps all");
    return 0;
}
