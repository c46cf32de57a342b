#include "storage/object_block.hpp"

#include "storage/block_life.hpp"
#include "storage/front_slot.hpp"
#include "storage/packing.hpp"
#include "tape/tape_writer.hpp"

#include <cstring>
#include <initializer_list>
#include <new>
#include <vector>

namespace kubecoro {
namespace {

using detail::head;

// Encodes key and text as a member of an object tape.
std::string encoded_member(detail::encoding* encoding, std::string_view key, std::string_view text)
{
    if (text.empty()) return {};
    detail::vocabulary* const words = detail::encoding::words_of(encoding);
    if (words != nullptr) {
        // Every object of the list will have these.
        words->keys().admit(key);
        if (words->keeps_values()) words->values().admit(text);
    }
    detail::tape_writer w(detail::largest_tape, 2, words);
    const bool whole = w.begin_object() && w.key(key) && w.string(text) && w.end();
    const auto bytes = w.bytes();
    const head h = detail::read_head(bytes.data(), bytes.data() + bytes.size(), words);
    return whole ? std::string(h.text()) : std::string();
}

} // namespace

type_members::type_members(detail::encoding* encoding, std::string_view kind, std::string_view api_version)
    : kind_(encoded_member(encoding, "kind", kind)), api_version_(encoded_member(encoding, "apiVersion", api_version))
{
}

plain_block* object_builder::new_plain(std::size_t tape_size, detail::encoding* encoding, std::size_t hot,
                                       std::size_t extra)
{
    return ::new (::operator new(plain_block::bytes_for(tape_size, hot) + extra)) plain_block(encoding, tape_size, hot);
}

packed_block* object_builder::new_packed(std::size_t front_and_record, detail::encoding* encoding)
{
    return ::new (::operator new(sizeof(packed_block) + front_and_record)) packed_block(encoding);
}

namespace {

// Builds the tape of an object with these members, in this order.
std::vector<unsigned char> object_tape(bool loose, std::initializer_list<std::span<const unsigned char>> members)
{
    std::size_t body = 0;
    for (const auto part : members) body += part.size();
    if (body == 0) return {detail::tag::empty_object};
    const auto form = detail::form_of(true, loose, body);
    std::vector<unsigned char> tape(std::size_t{1} + form.width);
    tape.reserve(tape.size() + body);
    tape[0] = form.tag;
    detail::store(tape.data() + 1, body, form.width);
    for (const auto part : members) tape.insert(tape.end(), part.begin(), part.end());
    return tape;
}

std::span<const unsigned char> bytes_of(std::string_view members) noexcept
{
    return {reinterpret_cast<const unsigned char*>(members.data()), members.size()};
}

} // namespace

// Returns a PartialObjectMetadata tape without its kind and apiVersion; empty for any other object.
std::vector<unsigned char> object_builder::untyped(std::span<const unsigned char> tape, detail::encoding* encoding,
                                                   const type_members& missing)
{
    if (encoding == nullptr || encoding->real_type == nullptr) return {};
    const value_view root = tape_access::view(tape.data(), tape.data() + tape.size(), &encoding->words);
    const value_view kind = root["kind"];
    if (kind ? kind.as_string() != "PartialObjectMetadata" : missing.kind().empty()) return {};
    const head h = tape_access::head_of(root);
    std::vector<unsigned char> body;
    detail::for_each_member(tape.data(), tape.data() + tape.size(), &encoding->words, [&body](const auto& m) {
        if (m.key != "kind" && m.key != "apiVersion") body.insert(body.end(), m.begin, m.end);
    });
    return object_tape(h.loose, {body});
}

object object_builder::build(std::span<const unsigned char> tape, detail::encoding* encoding,
                             const type_members& missing, arrival use, bool partial, const section_digests& digests)
{
    if (const auto bare = untyped(tape, encoding, missing); !bare.empty())
        return complete(bare, encoding, *encoding->real_type, use, partial, digests);
    return complete(tape, encoding, missing, use, partial, digests);
}

object object_builder::complete(std::span<const unsigned char> tape, detail::encoding* encoding,
                                const type_members& missing, arrival use, bool partial, const section_digests& digests)
{
    const value_view root =
        tape_access::view(tape.data(), tape.data() + tape.size(), detail::encoding::words_of(encoding));
    const std::string_view kind = missing.kind().empty() || root["kind"] ? std::string_view{} : missing.kind();
    const std::string_view api_version =
        missing.api_version().empty() || root["apiVersion"] ? std::string_view{} : missing.api_version();
    if (kind.empty() && api_version.empty()) return finish(tape, encoding, use, partial, digests);
    const head h = tape_access::head_of(root);
    return finish(object_tape(h.loose, {bytes_of(kind), bytes_of(api_version), {h.body, h.size}}), encoding, use,
                  partial, digests);
}

object object_builder::finish(std::span<const unsigned char> tape, detail::encoding* encoding, arrival use,
                              bool partial, const section_digests& digests)
{
    const front_offsets offsets = find_front(tape, detail::encoding::words_of(encoding));
    const bool packs = encoding != nullptr && encoding->packed != nullptr && use != arrival::in_passing;
    packed_block* const packed = packs ? encoding->packed->pack(tape, offsets) : nullptr;
    // Owns the record while the plain block is allocated.
    object record(packed);
    if (packed != nullptr) packed->partial = partial;
    if (packed != nullptr && use == arrival::at_rest) return record;
    // The front of a packed object already holds the hot fields.
    const std::size_t hot = encoding == nullptr || packed != nullptr ? 0 : encoding->hot_fields.size();
    const bool keeps_digests = packed == nullptr && !digests.empty();
    plain_block* const plain = new_plain(tape.size(), encoding, hot, keeps_digests ? sizeof digests : 0);
    std::memcpy(plain->tape(), tape.data(), tape.size());
    plain->set_offsets(offsets);
    plain->fill_slots();
    plain->partial = partial;
    if (keeps_digests) plain->set_digests(digests);
    if (packed != nullptr) {
        detail::attach_expansion(*packed, plain);
        encoding->packed->keep_for_a_while(record);
        return record;
    }
    if (encoding != nullptr) encoding->retain();
    return object(plain);
}

object object_builder::with_type(const object& from, std::string_view kind, std::string_view api_version)
{
    if (!from) return {};
    detail::encoding* const encoding = from.block_->encoding;
    const type_members type(encoding, kind, api_version);
    return build(tape_of(from), encoding, type, arrival::at_rest, from.block_->partial);
}

std::span<const unsigned char> object_builder::tape_of(const object& o) noexcept
{
    const plain_block* const whole = o ? detail::whole(*o.block_) : nullptr;
    return whole == nullptr ? std::span<const unsigned char>{} : whole->bytes();
}

const unsigned char* packed_block::slot_at(std::size_t index) const noexcept
{
    const unsigned char* at = begin();
    for (; index != 0 && at != nullptr; --index) at = detail::skip_slot(at, front_end());
    return at == front_end() ? nullptr : at;
}

value_view object::block::front(front_field f) const noexcept
{
    const auto index = static_cast<std::size_t>(f);
    if (!packed) return as_plain().at(f);
    if (index < packed_front_fields) {
        const unsigned char* const at = as_packed().slot_at(index);
        if (at == nullptr) return {};
        if (*at != detail::front_tag::uuid) return tape_access::view(at, as_packed().front_end(), words());
    }
    const plain_block* const all = detail::whole(*this);
    return all == nullptr ? value_view{} : all->at(f);
}

namespace {

/// The 16 bytes of a uid in short form in the front; null for any other.
const unsigned char* short_uid(const object::block& b) noexcept
{
    if (!b.packed) return nullptr;
    const unsigned char* const at = b.as_packed().slot_at(static_cast<std::size_t>(front_field::uid));
    return at != nullptr && *at == detail::front_tag::uuid ? at + 1 : nullptr;
}

} // namespace

bool object::block::has_uid(std::string_view uid) const noexcept
{
    const unsigned char* const bytes = short_uid(*this);
    if (bytes == nullptr) return detail::same_text(front_head(front_field::uid).text(), uid);
    const auto wanted = detail::to_uuid(uid);
    return wanted && std::equal(wanted->begin(), wanted->end(), bytes);
}

bool object::block::has_uid_of(const block& other) const noexcept
{
    const unsigned char* const mine = short_uid(*this);
    const unsigned char* const its = short_uid(other);
    if (mine != nullptr && its != nullptr) return std::memcmp(mine, its, detail::uuid_bytes{}.size()) == 0;
    if (mine != nullptr) return has_uid(other.front_head(front_field::uid).text());
    return other.has_uid(front_head(front_field::uid).text());
}

std::optional<detail::uuid_bytes> object::block::uuid() const noexcept
{
    const unsigned char* const bytes = short_uid(*this);
    if (bytes == nullptr) return detail::to_uuid(front_head(front_field::uid).text());
    detail::uuid_bytes out{};
    std::copy_n(bytes, out.size(), out.begin());
    return out;
}

} // namespace kubecoro
