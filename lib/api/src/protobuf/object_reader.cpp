#include "protobuf/object_reader.hpp"

#include "protobuf/go_text.hpp"

#include <kubecoro/base/printable.hpp>

#include <algorithm>

namespace kubecoro::detail {
namespace {

constexpr std::size_t shown_text = 100;

/// Calls f(number, content) for the length-delimited fields until it returns true; the last one may be cut. False:
/// damaged before the cut.
template<class F>
bool for_each_content(std::string_view message, bool is_cut, F f)
{
    wire_cursor in(message);
    while (!in.done()) {
        wire_field w;
        if (in.next(w)) {
            if (w.type == wire_type::length && f(w.number, w.content)) return true;
            continue;
        }
        if (const auto last = is_cut ? in.cut_field() : std::nullopt) (void)f(last->number, last->content);
        return is_cut;
    }
    return true;
}

std::string valid(std::string_view text)
{
    std::string out;
    append_valid_utf8(out, text);
    return out;
}

} // namespace

std::optional<typed_message> read_envelope(std::string_view bytes, bool is_cut) noexcept
{
    if (!bytes.starts_with(protobuf_magic)) return std::nullopt;
    typed_message out;
    std::string_view type;
    const bool sound = for_each_content(bytes.substr(protobuf_magic.size()), is_cut, [&](auto number, auto content) {
        if (number == 1) type = content;
        if (number == 2) out.content = content;
        return false;
    });
    const bool typed = sound && for_each_content(type, is_cut, [&](auto number, auto content) {
                           if (number == 1) out.api_version = content;
                           if (number == 2) out.kind = content;
                           return false;
                       });
    // Servers write the content of an empty object, too: without it, the response has been cut.
    if (!typed || out.content.data() == nullptr) return std::nullopt;
    return out;
}

std::optional<std::string_view> content_of(std::string_view message, std::uint32_t number, bool is_cut) noexcept
{
    std::string_view found;
    const bool sound = for_each_content(message, is_cut, [&](auto n, auto content) {
        if (n == number && found.data() == nullptr) found = content;
        return false;
    });
    if (!sound) return std::nullopt;
    return found;
}

message_identity identity_of(std::string_view object) noexcept
{
    std::string_view metadata;
    (void)for_each_content(object, true, [&](auto number, auto content) {
        if (number == 1) metadata = content;
        return true;
    });
    message_identity out;
    (void)for_each_content(metadata, true, [&](auto number, auto content) {
        if (number == 1) out.key.name = content;
        if (number == 3) out.key.ns = content;
        if (number == 5) out.uid = content;
        if (number == 6) out.resource_version = content;
        return number >= 6;
    });
    return out;
}

left_out_object left_out_message(std::string_view object, std::string why)
{
    const auto who = identity_of(object);
    left_out_object o;
    o.key = {valid(who.key.ns), valid(who.key.name)};
    o.uid = valid(who.uid);
    o.resource_version = valid(who.resource_version);
    o.why = std::move(why);
    return o;
}

object_reader::object_reader(const decode_options& options, encoding* e)
    : max_object_bytes_(std::min(options.limits.max_object_bytes, largest_tape)),
      filter_(field_filter::compile(options)),
      tape_(options.limits, filter_ ? *filter_ : nothing_, encoding::words_of(e)),
      reader_(tape_),
      encoding_(e)
{
}

result<> object_reader::check() const
{
    if (!filter_) return filter_.error();
    return {};
}

bool object_reader::read(std::uint16_t message, const typed_message& from, bool prune)
{
    refused_.clear();
    tape_.clear(prune);
    reader_.begin();
    return reader_.object(message, from.api_version, from.kind, from.content);
}

bool object_reader::read_typed(const typed_message& from, bool prune)
{
    const auto is_type_of = [&from](const schema_kind& k) {
        return builtin_schemas::text(k.kind) == from.kind && builtin_schemas::text(k.api_version) == from.api_version;
    };
    if (last_kind_ == nullptr || !is_type_of(*last_kind_))
        last_kind_ = builtin_schemas::find(from.api_version, from.kind);
    if (last_kind_ != nullptr) return read(last_kind_->message, from, prune);
    refused_ = "protobuf of a kind without a schema: " + printable(from.api_version, shown_text) + " " +
               printable(from.kind, shown_text);
    return false;
}

object object_reader::build(arrival use, const type_members& missing)
{
    return object_builder::build(tape_.tape().bytes(), encoding_, missing, use, reader_.unknown_fields() != 0);
}

bool object_reader::exceeds_limit() const noexcept
{
    return refused_.empty() && reader_.problem().empty() && !tape_.too_deep();
}

std::string object_reader::why() const
{
    if (!refused_.empty()) return refused_;
    if (!reader_.problem().empty()) return std::string(reader_.problem());
    if (tape_.too_deep()) return "nested too deeply";
    return "an object is larger than " + std::to_string(max_object_bytes_) + " bytes";
}

result<object> decode_protobuf_object(std::string_view bytes, const decode_options& options, encoding* e)
{
    object_reader reader(options, e);
    if (auto sound = reader.check(); !sound) return sound.error();
    const auto message = read_envelope(bytes);
    if (!message) return failure(cond::corrupt, "expected an object in protobuf, got something else");
    // A Status is the server's response to a request and is not pruned.
    if (!reader.read_typed(*message, message->kind != "Status")) return failure(cond::corrupt, reader.why());
    return reader.build(arrival::in_use);
}

} // namespace kubecoro::detail
