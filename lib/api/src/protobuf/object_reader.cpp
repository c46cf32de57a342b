#include "protobuf/object_reader.hpp"

#include "protobuf/wire_cursor.hpp"
#include "text/go_text.hpp"

#include <kubecoro/api/detail/protobuf_form.hpp>
#include <kubecoro/base/printable.hpp>

#include <algorithm>

namespace kubecoro::detail {
namespace {

constexpr std::size_t shown_text = 100;

/// Calls f(number, content) for the length-delimited fields until it returns true, up to damage; the last one may be
/// cut.
template<class F>
void for_each_content(std::string_view message, F f)
{
    wire_cursor in(message);
    while (!in.done()) {
        wire_field w;
        if (in.next(w)) {
            if (w.type == wire_type::length && f(w.number, w.content)) return;
            continue;
        }
        if (const auto last = in.cut_field()) (void)f(last->number, last->content);
        return;
    }
}

} // namespace

result<> check_content(std::string_view encoding, std::string_view type)
{
    if (!encoding.empty())
        return failure(cond::corrupt, "the content of the envelope is encoded as " + printable(encoding, shown_text));
    if (type.empty() || type == protobuf_type) return {};
    return failure(cond::corrupt,
                   "the content of the envelope is " + printable(type, shown_text) + " and not protobuf");
}

result<typed_message> read_envelope(std::string_view bytes, bool is_cut)
{
    if (!bytes.starts_with(protobuf_magic))
        return failure(cond::corrupt, "expected an object in protobuf, got something else");
    const auto parts = read_texts<4>(bytes.substr(protobuf_magic.size()), is_cut);
    const auto type = parts ? read_texts<2>((*parts)[0]) : std::nullopt;
    // Servers write the content of an empty object, too: without it, the response has been cut.
    if (!type || (*parts)[1].data() == nullptr) return failure(cond::corrupt, "damaged protobuf");
    if (auto readable = check_content((*parts)[2], (*parts)[3]); !readable) return readable.error();
    return typed_message{.api_version = (*type)[0], .kind = (*type)[1], .content = (*parts)[1]};
}

message_identity identity_of(std::string_view object) noexcept
{
    std::string_view metadata;
    for_each_content(object, [&](auto number, auto content) {
        if (number == 1) metadata = content;
        return true;
    });
    message_identity out;
    for_each_content(metadata, [&](auto number, auto content) {
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
    o.key = {valid_utf8(who.key.ns), valid_utf8(who.key.name)};
    o.uid = valid_utf8(who.uid);
    o.resource_version = valid_utf8(who.resource_version);
    o.why = std::move(why);
    return o;
}

object_reader::object_reader(const decode_options& options, encoding* e)
    : max_object_bytes_(std::min(options.limits.max_object_bytes, largest_tape)),
      filter_(field_filter::compile(options)),
      tape_(options.limits, filter_ ? *filter_ : nothing_, encoding::words_of(e)),
      reader_(tape_, options.limits.max_depth),
      encoding_(e)
{
}

result<> object_reader::check() const
{
    if (!filter_) return filter_.error();
    return {};
}

bool object_reader::read(std::uint16_t message, const typed_message& from, bool prune, const object& former)
{
    refused_.clear();
    tape_.clear(prune);
    reader_.begin();
    former_sections sections;
    if (former && ++reads_ % reads_whole != 0) sections = former_sections(former, encoding_);
    if (keeps_digests_) reader_.compare_with(sections);
    return reader_.object(message, from.api_version, from.kind, from.content);
}

bool object_reader::read_typed(const typed_message& from, bool prune, const object& former)
{
    const auto is_type_of = [&from](const schema_kind& k) {
        return builtin_schemas::text(k.kind) == from.kind && builtin_schemas::text(k.api_version) == from.api_version;
    };
    if (last_kind_ == nullptr || !is_type_of(*last_kind_))
        last_kind_ = builtin_schemas::find(from.api_version, from.kind);
    if (last_kind_ != nullptr) return read(last_kind_->message, from, prune, former);
    refused_ = "protobuf of a kind without a schema: " + printable(from.api_version, shown_text) + " " +
               printable(from.kind, shown_text);
    return false;
}

object object_reader::build(arrival use, const type_members& missing)
{
    return object_builder::build(tape_.tape().bytes(), encoding_, missing, use, reader_.unknown_fields() != 0,
                                 reader_.digests());
}

bool object_reader::exceeds_limit() const noexcept { return refused_.empty() && reader_.problem().empty(); }

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
    if (!message) return message.error();
    // A Status is the server's response to a request and is not pruned.
    if (!reader.read_typed(*message, message->kind != "Status")) return failure(cond::corrupt, reader.why());
    return reader.build(arrival::in_use);
}

} // namespace kubecoro::detail
