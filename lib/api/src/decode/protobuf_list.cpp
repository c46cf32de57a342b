// Decodes lists in protobuf as their bytes arrive.
#include "decode/answer_readers.hpp"
#include "decode/selection.hpp"
#include "protobuf/object_reader.hpp"
#include "protobuf/wire_cursor.hpp"
#include "text/go_text.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/base/printable.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro::detail {

/** Reads the envelope of a list and its items, in any chunking.

    The length of each item comes before it, so only an item that is cut by the end of a chunk is copied, and an item
    that is too long is passed over without being kept. */
class protobuf_list final : public list_reader
{
public:
    protobuf_list(const decode_options& options, encoding* e, const known_objects* known);

    result<> feed(std::string_view bytes) override;
    result<list_page> finish() override;

private:
    /// The parts of the response, in their order.
    enum class place
    {
        magic,
        /// Fields of the envelope.
        envelope,
        /// Fields of the list.
        list
    };

    // Each returns the number of bytes it consumed.
    [[nodiscard]] std::size_t skip(std::string_view bytes) noexcept;
    [[nodiscard]] result<std::size_t> whole_field(std::string_view bytes);
    /// Completes the field that the last chunk cut.
    [[nodiscard]] result<std::size_t> carried_field(std::string_view bytes);
    /** Reads the field at the front of the text.

        @return the bytes that were consumed; 0: more are needed, and wanted_ says how many in all. */
    [[nodiscard]] result<std::size_t> step(std::string_view text);
    [[nodiscard]] result<std::size_t> envelope_field(const wire_field& head, std::size_t head_size,
                                                     std::string_view text);
    [[nodiscard]] result<std::size_t> list_field(const wire_field& head, std::size_t head_size, std::string_view text);
    [[nodiscard]] result<> read_type(std::string_view type);
    [[nodiscard]] result<> read_metadata(std::string_view metadata);
    [[nodiscard]] result<> read_item(std::string_view item);
    /// Announces the item at the front of the text, if one is there, to the known objects.
    void expect_item(std::string_view text) const;
    [[nodiscard]] result<> leave_out(std::string_view beginning, std::string why);
    [[nodiscard]] failure broken(std::string why) const;
    /// Accounts for consumed bytes.
    void pass(std::size_t size, place where) noexcept;

    encoding* encoding_;
    const selection known_;
    object_reader objects_;
    /// The kind and apiVersion of the items; set once the list has said its own.
    std::optional<type_members> types_;
    list_page page_;
    /// The answer is a Status, which the decoder reads when it is complete.
    bool is_status_ = false;
    place place_ = place::magic;
    /// Set with types_.
    std::uint16_t item_message_ = 0;
    /// Bytes of the list that have not been consumed.
    std::uint64_t list_left_ = 0;
    /// The last field of the envelope, and of the list; 0 = none yet.
    std::uint32_t last_part_ = 0;
    std::uint32_t last_field_ = 0;
    /// Bytes to pass over.
    std::uint64_t skip_ = 0;
    /// The beginning of a field that the last chunk cut, and the size it needs.
    std::string carried_;
    std::size_t wanted_ = 0;
    std::size_t received_ = 0;
};

namespace {

// A tag and a length.
constexpr std::size_t longest_head = 15;
// A type, or the metadata of a list.
constexpr std::size_t longest_envelope_field = 1024 * 1024;
// Larger buffers are freed after the item that needed them.
constexpr std::size_t kept_item = std::size_t{1} << 20;

constexpr std::uint32_t envelope_type = 1;
constexpr std::uint32_t envelope_content = 2;
constexpr std::uint32_t envelope_encoding = 3;
constexpr std::uint32_t envelope_content_type = 4;
constexpr std::uint32_t list_metadata = 1;
constexpr std::uint32_t items_field = 2;
constexpr std::uint32_t metadata_version = 2;
constexpr std::uint32_t metadata_continue = 3;
constexpr std::uint32_t metadata_remaining = 4;
constexpr std::uint32_t metadata_shard = 5;
constexpr std::size_t shown_name = 100;

/// The head of a field: for a length-delimited one, `value` is the length of its content.
struct field_head
{
    wire_field field;
    std::size_t size = 0;
};

enum class head_state
{
    complete,
    cut,
    damaged
};

head_state read_head(std::string_view text, field_head& out) noexcept
{
    wire_cursor in(text.substr(0, longest_head));
    std::uint64_t tag = 0;
    const auto incomplete = [&] {
        return text.size() < longest_head && in.done() ? head_state::cut : head_state::damaged;
    };
    if (!in.next_varint(tag)) return incomplete();
    if ((tag >> 3) == 0 || (tag >> 3) > wire_cursor::largest_number) return head_state::damaged;
    out.field.number = static_cast<std::uint32_t>(tag >> 3);
    out.field.type = static_cast<wire_type>(tag & 7);
    if (out.field.type != wire_type::length && out.field.type != wire_type::varint) return head_state::damaged;
    if (!in.next_varint(out.field.value)) return incomplete();
    out.size = static_cast<std::size_t>(in.position() - text.data());
    return head_state::complete;
}

} // namespace

protobuf_list::protobuf_list(const decode_options& options, encoding* e, const known_objects* known)
    : encoding_(e), known_(known), objects_(options, e)
{
    if (known_.formers != nullptr) objects_.keep_digests();
}

failure protobuf_list::broken(std::string why) const
{
    return failure(cond::corrupt, std::move(why) + " after byte " + std::to_string(received_));
}

void protobuf_list::pass(std::size_t size, place where) noexcept
{
    received_ += size;
    if (where != place::list) return;
    list_left_ -= size;
    if (list_left_ == 0 && skip_ == 0) place_ = place::envelope;
}

result<> protobuf_list::feed(std::string_view bytes)
{
    if (auto sound = objects_.check(); !sound) return sound;
    while (!bytes.empty()) {
        const auto taken = skip_ != 0 ? skip(bytes) : carried_.empty() ? whole_field(bytes) : carried_field(bytes);
        if (!taken) return taken.error();
        bytes.remove_prefix(*taken);
    }
    return {};
}

std::size_t protobuf_list::skip(std::string_view bytes) noexcept
{
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(skip_, bytes.size()));
    skip_ -= n;
    pass(n, place_);
    return n;
}

result<std::size_t> protobuf_list::whole_field(std::string_view bytes)
{
    const place where = place_;
    const auto taken = step(bytes);
    if (!taken) return taken;
    pass(*taken, where);
    if (*taken != 0) return taken;
    carried_ = bytes;
    return bytes.size();
}

result<std::size_t> protobuf_list::carried_field(std::string_view bytes)
{
    const std::size_t added = std::min(wanted_ - carried_.size(), bytes.size());
    carried_ += bytes.substr(0, added);
    const place where = place_;
    const auto taken = step(carried_);
    if (!taken) return taken;
    pass(*taken, where);
    if (*taken != 0 && carried_.capacity() > kept_item) std::string().swap(carried_);
    if (*taken != 0) carried_.clear();
    return added;
}

result<std::size_t> protobuf_list::step(std::string_view text)
{
    if (place_ == place::magic) {
        wanted_ = protobuf_magic.size();
        if (!protobuf_magic.starts_with(text.substr(0, wanted_)))
            return broken("expected a list in protobuf, got something else");
        if (text.size() < wanted_) return std::size_t{0};
        place_ = place::envelope;
        return wanted_;
    }
    field_head head;
    switch (read_head(text, head)) {
    case head_state::damaged:
        return broken("damaged protobuf");
    case head_state::cut:
        wanted_ = text.size() + 1;
        return std::size_t{0};
    case head_state::complete:
        break;
    }
    const bool inside = place_ == place::list;
    const std::uint64_t content = head.field.type == wire_type::length ? head.field.value : 0;
    if (inside && (head.size > list_left_ || content > list_left_ - head.size)) return broken("damaged protobuf");
    return inside ? list_field(head.field, head.size, text) : envelope_field(head.field, head.size, text);
}

result<std::size_t> protobuf_list::envelope_field(const wire_field& head, std::size_t head_size, std::string_view text)
{
    // Later fields are those of a newer server: they may come again, or be no texts.
    if (head.number < last_part_ || (head.number == last_part_ && head.number <= envelope_content_type))
        return broken("protobuf fields are out of order");
    if (head.number > envelope_content_type) {
        last_part_ = head.number;
        skip_ = head.type == wire_type::length ? head.value : 0;
        return head_size;
    }
    if (head.type != wire_type::length) return broken("damaged protobuf");
    if (head.number == envelope_content) {
        if (is_status_) {
            last_part_ = head.number;
            skip_ = head.value;
            return head_size;
        }
        if (!types_) return broken("the list does not say its kind");
        last_part_ = head.number;
        list_left_ = head.value;
        if (head.value != 0) place_ = place::list;
        return head_size;
    }
    if (head.value > longest_envelope_field) return broken("a field of the list's envelope is too long");
    wanted_ = head_size + static_cast<std::size_t>(head.value);
    if (text.size() < wanted_) return std::size_t{0};
    last_part_ = head.number;
    const std::string_view content = text.substr(head_size, wanted_ - head_size);
    if (head.number == envelope_type) {
        if (auto read = read_type(content); !read) return read.error();
        return wanted_;
    }
    const bool is_encoding = head.number == envelope_encoding;
    if (auto plain = check_content(is_encoding ? content : "", is_encoding ? "" : content); !plain)
        return broken(plain.error().message());
    return wanted_;
}

result<std::size_t> protobuf_list::list_field(const wire_field& head, std::size_t head_size, std::string_view text)
{
    const bool is_item = head.number == items_field;
    const bool is_metadata = head.number == list_metadata;
    if (head.number < last_field_ || (is_metadata && last_field_ != 0))
        return broken("protobuf fields are out of order");
    if (!is_item && !is_metadata) {
        last_field_ = head.number;
        if (head.type == wire_type::length) skip_ = head.value;
        return head_size;
    }
    if (head.type != wire_type::length) return broken("damaged protobuf");
    if (is_metadata && head.value > longest_envelope_field) return broken("the metadata of the list is too long");
    const bool too_long = head.value > objects_.longest_message();
    // An item that is too long is kept as far as its metadata may reach.
    const std::uint64_t needed =
        too_long ? std::min<std::uint64_t>(head.value, objects_.longest_message()) : head.value;
    wanted_ = head_size + static_cast<std::size_t>(needed);
    if (text.size() < wanted_) return std::size_t{0};
    const std::string_view content = text.substr(head_size, wanted_ - head_size);
    if (known_.known != nullptr) expect_item(text.substr(wanted_));
    auto read = is_metadata ? read_metadata(content)
                : too_long  ? leave_out(content, "an object is longer than " +
                                                     std::to_string(objects_.longest_message()) + " bytes of protobuf")
                            : read_item(content);
    if (!read) return read.error();
    last_field_ = head.number;
    skip_ = head.value - needed;
    return wanted_;
}

result<> protobuf_list::read_type(std::string_view type)
{
    const auto texts = read_texts<2>(type);
    if (!texts) return broken("damaged protobuf");
    auto [api_version, kind] = *texts;
    const schema_kind* const schema = builtin_schemas::find(api_version, kind);
    const auto fields = schema == nullptr ? std::span<const schema_field>{} : builtin_schemas::fields(schema->message);
    const bool is_list = fields.size() >= 2 && fields[1].number == items_field && fields[1].has(field_flag::repeated) &&
                         builtin_schemas::text(fields[1].name) == "items" && kind.ends_with(list_suffix) &&
                         builtin_schemas::message(fields[1].message).form == json_form::object;
    is_status_ = kind == "Status" && api_version == "v1";
    if (is_status_) return {};
    if (!is_list)
        return broken("expected a list, got kind " + printable(kind, shown_name) + " of " +
                      printable(api_version, shown_name));
    page_.api_version = api_version;
    page_.kind = kind;
    item_message_ = fields[1].message;
    kind.remove_suffix(list_suffix.size());
    types_.emplace(encoding_, kind, api_version);
    return {};
}

result<> protobuf_list::read_metadata(std::string_view metadata)
{
    std::uint32_t last = 0;
    wire_cursor in(metadata);
    while (!in.done()) {
        wire_field w;
        if (!in.next(w)) return broken("damaged protobuf");
        if (w.number < last || (w.number == last && w.number <= metadata_shard))
            return broken("protobuf fields are out of order");
        last = w.number;
        if (w.number > metadata_shard) continue;
        const bool is_number = w.number == metadata_remaining;
        if (w.type != (is_number ? wire_type::varint : wire_type::length))
            return broken("the metadata of the list has a field of another type");
        if (w.number == metadata_version) page_.resource_version = valid_utf8(w.content);
        if (w.number == metadata_continue) page_.continue_token = valid_utf8(w.content);
        if (is_number) page_.remaining = static_cast<std::int64_t>(w.value);
        if (w.number != metadata_shard) continue;
        const auto shard = read_texts<1>(w.content);
        if (!shard) return broken("damaged protobuf");
        page_.shard_selector = valid_utf8(shard->front());
    }
    return {};
}

result<> protobuf_list::read_item(std::string_view item)
{
    if (page_.items.size() >= most_items(received_)) return broken("too many items for the length of the list");
    if (known_.judges()) {
        const auto who = identity_of(item);
        if (known_.drops(who.key)) return {};
        object same = who.is_complete() ? known_.find(who.key, who.uid, who.resource_version) : object();
        if (same) {
            page_.items.push_back(std::move(same));
            return {};
        }
    }
    if (objects_.read(item_message_, {.api_version = {}, .kind = {}, .content = item}, true)) {
        page_.items.push_back(objects_.build(arrival::at_rest, *types_));
        return {};
    }
    return objects_.exceeds_limit() ? leave_out(item, objects_.why()) : broken(objects_.why());
}

void protobuf_list::expect_item(std::string_view text) const
{
    field_head head;
    if (read_head(text, head) != head_state::complete || head.field.number != items_field) return;
    known_.expect(identity_of(text.substr(head.size, head.field.value)).key);
}

result<> protobuf_list::leave_out(std::string_view beginning, std::string why)
{
    auto item = left_out_message(beginning, why);
    // A caller that replaces the content of a store must know which object to leave unchanged.
    if (item.key.name.empty()) return broken(std::move(why));
    if (known_.drops(item.key)) return {};
    page_.left_out.push_back(std::move(item));
    return {};
}

result<list_page> protobuf_list::finish()
{
    if (auto sound = objects_.check(); !sound) return sound.error();
    // Nothing at all is no list. The beginning of one is a broken transfer, however properly its body ended.
    if (!carried_.empty() || skip_ != 0 || place_ != place::envelope)
        return failure(received_ == 0 && carried_.empty() ? cond::corrupt : cond::unreachable,
                       "unexpected end of the response after byte " + std::to_string(received_));
    if (is_status_) return broken("expected a list, got kind Status");
    if (last_part_ < envelope_content) return broken("the response has no list");
    return std::move(page_);
}

std::unique_ptr<list_reader> make_protobuf_list(const decode_options& options, encoding* e, const known_objects* known)
{
    return std::make_unique<protobuf_list>(options, e, known);
}

} // namespace kubecoro::detail
