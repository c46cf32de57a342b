#include "object_block.hpp"

#include "block_life.hpp"
#include "packing.hpp"
#include "tape_writer.hpp"

#include <cstring>
#include <new>
#include <vector>

namespace kubecoro {
namespace {

using detail::head;

// Key and text as a member of an object tape: what `kind` and `apiVersion` become.
void append_member(std::string& out, std::string_view key, std::string_view text)
{
    detail::tape_writer w(detail::largest_tape, 2);
    const bool whole = w.begin_object() && w.key(key) && w.string(text) && w.end();
    const auto bytes = w.bytes();
    const head h = detail::read_head(bytes.data(), bytes.data() + bytes.size());
    if (whole) out += h.text();
}

} // namespace

plain_block* object_builder::new_plain(std::size_t tape_size, detail::encoding* encoding)
{
    void* memory = ::operator new(sizeof(plain_block) + tape_size);
    auto* b = ::new (memory) plain_block(encoding);
    b->size = static_cast<std::uint32_t>(tape_size);
    return b;
}

packed_block* object_builder::new_packed(std::size_t front_and_record, detail::encoding* encoding)
{
    return ::new (::operator new(sizeof(packed_block) + front_and_record)) packed_block(encoding);
}

object object_builder::build(std::span<const unsigned char> tape, detail::encoding* encoding, std::string_view kind,
                             std::string_view api_version, arrival use)
{
    const value_view root = tape_access::view(tape.data(), tape.data() + tape.size());
    std::string front;
    if (!kind.empty() && !root["kind"]) append_member(front, "kind", kind);
    if (!api_version.empty() && !root["apiVersion"]) append_member(front, "apiVersion", api_version);
    if (front.empty()) return finish(tape, encoding, use);
    const head h = tape_access::head_of(root);
    const auto body = static_cast<std::size_t>(h.end - h.body);
    const std::size_t length = front.size() + body;
    const std::size_t count =
        h.count + (root["kind"] || kind.empty() ? 0 : 1) + (root["apiVersion"] || api_version.empty() ? 0 : 1);
    const std::size_t width = detail::width_of(length);
    std::vector<unsigned char> longer(1 + 2 * width + length);
    unsigned char* at = longer.data();
    *at = static_cast<unsigned char>(detail::tag::object_8 + detail::width_step(width));
    detail::store(at + 1, length, width);
    detail::store(at + 1 + width, count, width);
    at += 1 + 2 * width;
    std::memcpy(at, front.data(), front.size());
    if (body != 0) std::memcpy(at + front.size(), h.body, body);
    return finish(longer, encoding, use);
}

object object_builder::finish(std::span<const unsigned char> tape, detail::encoding* encoding, arrival use)
{
    const front_offsets offsets = find_front(tape);
    const bool packs = encoding != nullptr && encoding->packed != nullptr && use != arrival::in_passing;
    packed_block* const packed = packs ? encoding->packed->pack(tape, offsets) : nullptr;
    if (packed != nullptr && use == arrival::at_rest) return object(packed);
    plain_block* const plain = new_plain(tape.size(), encoding);
    std::memcpy(plain->tape(), tape.data(), tape.size());
    plain->offsets = offsets;
    if (packed != nullptr) {
        detail::attach_expansion(*packed, plain);
        return object(packed);
    }
    if (encoding != nullptr) encoding->retain();
    return object(plain);
}

object object_builder::with_type(const object& from, std::string_view kind, std::string_view api_version)
{
    return from ? build(tape_of(from), from.block_->encoding, kind, api_version, arrival::at_rest) : object{};
}

std::span<const unsigned char> object_builder::tape_of(const object& o) noexcept
{
    const plain_block* const whole = o ? detail::whole(*o.block_) : nullptr;
    return whole == nullptr ? std::span<const unsigned char>{} : whole->bytes();
}

front_offsets object_builder::find_front(std::span<const unsigned char> tape) noexcept
{
    front_offsets found{};
    const unsigned char* const base = tape.data();
    const auto offset_of = [base](const value_view& v) {
        return static_cast<std::uint32_t>(reinterpret_cast<const unsigned char*>(tape_access::bytes(v).data()) - base);
    };
    const auto keep = [&](front_field f, value_kind wanted, const value_view& v) {
        // The last of duplicates decides, also when it is of another kind.
        found[static_cast<std::size_t>(f)] = v.kind() == wanted ? offset_of(v) : 0;
    };
    value_view metadata;
    for (const auto& [key, value] : tape_access::view(base, base + tape.size()).members()) {
        if (key == "apiVersion")
            keep(front_field::api_version, value_kind::string, value);
        else if (key == "kind")
            keep(front_field::kind, value_kind::string, value);
        else if (key == "metadata") {
            keep(front_field::metadata, value_kind::object, value);
            metadata = value.is_object() ? value : value_view{};
        }
    }
    for (const auto& [key, value] : metadata.members()) {
        if (key == "name")
            keep(front_field::name, value_kind::string, value);
        else if (key == "namespace")
            keep(front_field::ns, value_kind::string, value);
        else if (key == "uid")
            keep(front_field::uid, value_kind::string, value);
        else if (key == "resourceVersion")
            keep(front_field::resource_version, value_kind::string, value);
        else if (key == "generation")
            keep(front_field::generation, value.kind(), value);
        else if (key == "deletionTimestamp")
            keep(front_field::deletion_timestamp, value_kind::string, value);
        else if (key == "labels")
            keep(front_field::labels, value_kind::object, value);
        else if (key == "annotations")
            keep(front_field::annotations, value_kind::object, value);
        else if (key == "ownerReferences")
            keep(front_field::owner_references, value_kind::array, value);
    }
    return found;
}

value_view packed_block::slot(std::size_t index) const noexcept
{
    const unsigned char* at = begin();
    const unsigned char* const end = at + front_size;
    for (; index != 0 && at != end; --index) {
        const head h = detail::read_head(at, end);
        if (h.kind == value_kind::absent) return {};
        at = h.end;
    }
    const value_view v = tape_access::view(at, end);
    return v.kind() == value_kind::null ? value_view{} : v;
}

value_view object::block::front(front_field f) const noexcept
{
    const auto index = static_cast<std::size_t>(f);
    if (!packed) return as_plain().at(f);
    if (index < packed_front_fields) return as_packed().slot(index);
    const plain_block* const all = detail::whole(*this);
    return all == nullptr ? value_view{} : all->at(f);
}

} // namespace kubecoro
