// The slots and offsets in front of a plain block's tape, and lookup through them.
#include "storage/object_block.hpp"

#include <cstring>
#include <optional>

namespace kubecoro {
namespace {

using detail::same_text;

/// A member found without a search, and its required kind.
struct front_member
{
    front_field field;
    std::optional<value_kind> kind;
};

std::optional<front_member> root_member(std::string_view key) noexcept
{
    switch (key.size()) {
    case 4:
        if (same_text(key, "kind")) return front_member{front_field::kind, value_kind::string};
        if (same_text(key, "spec")) return front_member{front_field::spec, {}};
        break;
    case 6:
        if (same_text(key, "status")) return front_member{front_field::status, {}};
        break;
    case 8:
        if (same_text(key, "metadata")) return front_member{front_field::metadata, value_kind::object};
        break;
    case 10:
        if (same_text(key, "apiVersion")) return front_member{front_field::api_version, value_kind::string};
        break;
    default:
        break;
    }
    return std::nullopt;
}

std::optional<front_member> metadata_member(std::string_view key) noexcept
{
    switch (key.size()) {
    case 3:
        if (same_text(key, "uid")) return front_member{front_field::uid, value_kind::string};
        break;
    case 4:
        if (same_text(key, "name")) return front_member{front_field::name, value_kind::string};
        break;
    case 6:
        if (same_text(key, "labels")) return front_member{front_field::labels, value_kind::object};
        break;
    case 9:
        if (same_text(key, "namespace")) return front_member{front_field::ns, value_kind::string};
        break;
    case 10:
        if (same_text(key, "generation")) return front_member{front_field::generation, {}};
        break;
    case 11:
        if (same_text(key, "annotations")) return front_member{front_field::annotations, value_kind::object};
        break;
    case 15:
        if (same_text(key, "resourceVersion")) return front_member{front_field::resource_version, value_kind::string};
        if (same_text(key, "ownerReferences")) return front_member{front_field::owner_references, value_kind::array};
        break;
    case 17:
        if (same_text(key, "deletionTimestamp"))
            return front_member{front_field::deletion_timestamp, value_kind::string};
        break;
    default:
        break;
    }
    return std::nullopt;
}

} // namespace

front_offsets object_builder::find_front(std::span<const unsigned char> tape, const detail::vocabulary* words) noexcept
{
    front_offsets found{};
    const unsigned char* const base = tape.data();
    const unsigned char* const end = base + tape.size();
    const auto note = [&](const std::optional<front_member>& m, const detail::tape_member& t) {
        if (!m) return;
        const value_view v = tape_access::whole(t.value, t.end, words);
        // The last of duplicates counts, also when its kind is unexpected.
        found[static_cast<std::size_t>(m->field)] =
            v && (!m->kind || v.kind() == *m->kind) ? static_cast<std::uint32_t>(t.value - base) : offset_elsewhere;
    };
    detail::for_each_member(base, end, words, [&](const auto& m) { note(root_member(m.key), m); });
    const std::uint32_t metadata = found[static_cast<std::size_t>(front_field::metadata)];
    if (metadata <= offset_elsewhere) return found;
    detail::for_each_member(base + metadata, end, words, [&](const auto& m) { note(metadata_member(m.key), m); });
    return found;
}

front_offsets plain_block::offsets() const noexcept
{
    front_offsets all{};
    for (std::size_t i = 0; i < front_fields; ++i) all[i] = offset(static_cast<front_field>(i));
    return all;
}

void plain_block::set_offsets(const front_offsets& offsets) noexcept
{
    const std::size_t width = offset_width(size);
    unsigned char* at = slots() + front_size;
    for (const std::uint32_t offset : offsets) {
        detail::store(at, offset, width);
        at += width;
    }
}

void plain_block::fill_slots() noexcept
{
    const std::size_t width = slot_width(size);
    unsigned char* slot = slots();
    for (std::size_t i = 0; i < front_size / width; ++i, slot += width) {
        const std::string_view value = tape_access::bytes(search(encoding->hot_fields[i]));
        if (value.empty()) {
            *slot = detail::front_tag::absent;
        } else if (value.size() <= width) {
            std::memcpy(slot, value.data(), value.size());
        } else if (const auto at = detail::offset_in(bytes(), value)) {
            *slot = detail::front_tag::elsewhere;
            detail::store(slot + 1, *at, width - 1);
        } else {
            *slot = detail::front_tag::searched;
        }
    }
}

namespace {

// A search steps over members, and each step waits for the cache line with the member's size.
void fetch_ahead(const unsigned char* section) noexcept
{
    constexpr std::size_t line = 64;
    for (std::size_t i = 1; i <= 4; ++i) __builtin_prefetch(section + i * line);
}

} // namespace

value_view plain_block::member(std::string_view name) const noexcept
{
    const std::uint32_t section = same_text(name, "spec")       ? offset(front_field::spec)
                                  : same_text(name, "status")   ? offset(front_field::status)
                                  : same_text(name, "metadata") ? offset(front_field::metadata)
                                                                : offset_elsewhere;
    // Metadata that is not an object has no front offset.
    if (section == offset_elsewhere) return root()[name];
    if (section == 0) return {};
    fetch_ahead(tape() + section);
    return tape_access::view(tape() + section, tape() + size, words());
}

value_view plain_block::search(std::string_view dotted) const noexcept
{
    const auto dot = dotted.find('.');
    const value_view v = member(dotted.substr(0, dot));
    return dot == std::string_view::npos ? v : v.path(dotted.substr(dot + 1));
}

value_view plain_block::path(std::string_view dotted) const noexcept
{
    if (front_size != 0) {
        const auto& fields = encoding->hot_fields;
        for (std::size_t i = 0; i < fields.size(); ++i)
            if (detail::same_text(fields[i], dotted)) return hot(i, dotted);
    }
    return search(dotted);
}

} // namespace kubecoro
