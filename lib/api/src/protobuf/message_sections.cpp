// Copies sections of an object from its former state.
#include "protobuf/message_reader.hpp"

namespace kubecoro::detail {
namespace {

/// The field `fieldsV1` of an entry of managedFields, with its tag; empty if there is none.
std::string_view fields_of(std::string_view entry) noexcept
{
    constexpr std::uint32_t fields_v1 = 7;
    wire_cursor in(entry);
    while (!in.done()) {
        const char* const begin = in.position();
        wire_field w;
        if (!in.next(w)) return {};
        if (w.number == fields_v1) return {begin, static_cast<std::size_t>(in.position() - begin)};
    }
    return {};
}

} // namespace

bool message_reader::copy_spec(const schema_field& f, std::string_view content)
{
    if (content.size() < shortest_section || builtin_schemas::text(f.name) != "spec" || !tape_.may_copy()) return false;
    digests_.spec = digest_of(content, f.message);
    const auto spec = digests_.spec == former_->digests().spec ? former_->spec() : std::span<const unsigned char>{};
    return !spec.empty() && tape_.copy(spec);
}

void message_reader::compare_fields(const wire_field& first, wire_cursor in)
{
    std::size_t size = 0;
    std::uint64_t digest = first.number;
    wire_field entry = first;
    for (;;) {
        // Damage is noticed when the entry is read.
        const std::string_view fields = fields_of(entry.content);
        size += fields.size();
        digest = digest_of(fields, digest);
        if (in.next_number() != first.number || !in.next(entry)) break;
    }
    if (size < shortest_section) return;
    digests_.fields = digest;
    reads_fields_ = digest == former_->digests().fields;
    if (reads_fields_) former_->begin_fields();
}

bool message_reader::copy_fields()
{
    const auto fields = former_->next_fields();
    return !fields.empty() && tape_.may_copy() && tape_.copy(fields);
}

std::uint64_t message_reader::digest_of(std::string_view text, std::uint64_t before) const noexcept
{
    // A tape that was accepted under one limit must not be used under another one.
    return section_digest(text, before, max_depth_);
}

} // namespace kubecoro::detail
