// Looks up kinds and fields in the tables of the built-in schemas.
#include <kubecoro/api/detail/schema.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace kubecoro::detail::builtin_schemas {
namespace {

/// Returns the index of a text, if any schema has it. Texts are in order, so indexes compare as the texts do.
std::optional<std::uint16_t> index_of(std::string_view wanted) noexcept
{
    std::size_t first = 0;
    std::size_t last = builtin_schema_tables.text_offsets.size() - 1;
    while (first < last) {
        const auto middle = static_cast<std::uint16_t>((first + last) / 2);
        const auto order = text(middle).compare(wanted);
        if (order == 0) return middle;
        if (order < 0)
            first = middle + 1;
        else
            last = middle;
    }
    return std::nullopt;
}

const schema_field* find_field(std::uint16_t message, std::uint16_t name) noexcept
{
    for (const auto& field : fields(message)) {
        if (!field.has(field_flag::inlined)) {
            if (field.name == name) return &field;
        } else if (const auto* inner = find_field(field.message, name)) {
            return inner;
        }
    }
    return nullptr;
}

} // namespace

const schema_kind* find(std::string_view api_version, std::string_view kind) noexcept
{
    const auto version_index = index_of(api_version);
    const auto kind_index = index_of(kind);
    if (!version_index || !kind_index) return nullptr;
    const std::pair wanted{*version_index, *kind_index};
    const auto id = [](const schema_kind& k) { return std::pair{k.api_version, k.kind}; };
    const auto it = std::ranges::lower_bound(kinds(), wanted, {}, id);
    return it != kinds().end() && id(*it) == wanted ? &*it : nullptr;
}

const schema_kind* find_resource(std::string_view api_version, std::string_view plural) noexcept
{
    const auto version_index = index_of(api_version);
    const auto plural_index = index_of(plural);
    if (!version_index || !plural_index || plural.empty()) return nullptr;
    const std::pair wanted{*version_index, *plural_index};
    const auto id = [](std::uint16_t k) { return std::pair{kinds()[k].api_version, kinds()[k].resource}; };
    const auto resources = builtin_schema_tables.resources;
    const auto it = std::ranges::lower_bound(resources, wanted, {}, id);
    return it != resources.end() && id(*it) == wanted ? &kinds()[*it] : nullptr;
}

const schema_field* find_field(std::uint16_t message, std::string_view json_name) noexcept
{
    const auto name = index_of(json_name);
    return name && !json_name.empty() ? find_field(message, *name) : nullptr;
}

} // namespace kubecoro::detail::builtin_schemas
