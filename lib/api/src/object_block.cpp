#include "object_block.hpp"

#include "tape_writer.hpp"

#include <cstring>
#include <new>
#include <utility>

namespace kubecoro {
namespace {

using detail::head;

void keep_if(value_kind wanted, const value_view& v, std::uint32_t offset, std::uint32_t& field) noexcept
{
    // The last of duplicates decides, also when it is of another kind.
    field = v.kind() == wanted ? offset : 0;
}

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

object::block* object_builder::allocate(std::size_t tape_size, detail::encoding* encoding)
{
    void* memory = ::operator new(sizeof(object::block) + tape_size);
    auto* b = ::new (memory) object::block;
    b->tape_size = static_cast<std::uint32_t>(tape_size);
    b->encoding = encoding;
    if (encoding != nullptr) encoding->retain();
    return b;
}

object object_builder::build(std::span<const unsigned char> tape, detail::encoding* encoding, std::string_view kind,
                             std::string_view api_version)
{
    const value_view root = tape_access::view(tape.data(), tape.data() + tape.size());
    std::string front;
    if (!kind.empty() && !root["kind"]) append_member(front, "kind", kind);
    if (!api_version.empty() && !root["apiVersion"]) append_member(front, "apiVersion", api_version);
    object::block* b = nullptr;
    if (front.empty()) {
        b = allocate(tape.size(), encoding);
        std::memcpy(b->tape(), tape.data(), tape.size());
    } else {
        const head h = tape_access::head_of(root);
        const auto body = static_cast<std::size_t>(h.end - h.body);
        const std::size_t length = front.size() + body;
        const std::size_t count =
            h.count + (root["kind"] || kind.empty() ? 0 : 1) + (root["apiVersion"] || api_version.empty() ? 0 : 1);
        const std::size_t width = detail::width_of(length);
        b = allocate(1 + 2 * width + length, encoding);
        unsigned char* at = b->tape();
        *at = static_cast<unsigned char>(detail::tag::object_8 + detail::width_step(width));
        detail::store(at + 1, length, width);
        detail::store(at + 1 + width, count, width);
        at += 1 + 2 * width;
        std::memcpy(at, front.data(), front.size());
        if (body != 0) std::memcpy(at + front.size(), h.body, body);
    }
    find_front_fields(*b);
    return object(b);
}

object object_builder::with_type(const object& from, std::string_view kind, std::string_view api_version)
{
    return from ? build(tape_of(from), from.block_->encoding, kind, api_version) : object{};
}

std::span<const unsigned char> object_builder::tape_of(const object& o) noexcept
{
    if (!o) return {};
    return {std::as_const(*o.block_).tape(), o.block_->tape_size};
}

void object_builder::find_front_fields(object::block& b) noexcept
{
    const unsigned char* const base = b.tape();
    const auto offset_of = [base](const value_view& v) {
        return static_cast<std::uint32_t>(reinterpret_cast<const unsigned char*>(tape_access::bytes(v).data()) - base);
    };
    for (const auto& [key, value] : b.root().members()) {
        if (key == "apiVersion")
            keep_if(value_kind::string, value, offset_of(value), b.api_version);
        else if (key == "kind")
            keep_if(value_kind::string, value, offset_of(value), b.kind);
        else if (key == "metadata")
            keep_if(value_kind::object, value, offset_of(value), b.metadata);
    }
    for (const auto& [key, value] : b.at(b.metadata).members()) {
        const auto offset = offset_of(value);
        if (key == "name")
            keep_if(value_kind::string, value, offset, b.name);
        else if (key == "namespace")
            keep_if(value_kind::string, value, offset, b.ns);
        else if (key == "uid")
            keep_if(value_kind::string, value, offset, b.uid);
        else if (key == "resourceVersion")
            keep_if(value_kind::string, value, offset, b.resource_version);
        else if (key == "generation")
            b.generation = offset;
        else if (key == "deletionTimestamp")
            keep_if(value_kind::string, value, offset, b.deletion_timestamp);
        else if (key == "labels")
            keep_if(value_kind::object, value, offset, b.labels);
        else if (key == "annotations")
            keep_if(value_kind::object, value, offset, b.annotations);
        else if (key == "ownerReferences")
            keep_if(value_kind::array, value, offset, b.owner_references);
    }
}

} // namespace kubecoro
