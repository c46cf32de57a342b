#include <kubecoro/api/detail/object_encoding.hpp>

#include "storage/block_life.hpp"
#include "storage/packing.hpp"

#include <utility>

namespace kubecoro {

std::string_view to_string(storage s) noexcept
{
    switch (s) {
    case storage::plain:
        return "plain";
    case storage::compressed:
        return "compressed";
    case storage::metadata_only:
        break;
    }
    return "metadata_only";
}

std::string_view to_string(dictionary_stage s) noexcept
{
    switch (s) {
    case dictionary_stage::none:
        return "none";
    case dictionary_stage::provisional:
        return "provisional";
    case dictionary_stage::settled:
        break;
    }
    return "settled";
}

namespace detail {

namespace {

std::vector<std::string> hot_fields_of(const storage_options& options)
{
    if (options.policy == storage::metadata_only) return {};
    auto fields = options.hot_fields;
    if (fields.size() > max_hot_fields) fields.resize(max_hot_fields);
    return fields;
}

} // namespace

encoding::encoding(const encoding_options& options)
    : words(options.values), policy(options.storage.policy), hot_fields(hot_fields_of(options.storage))
{
    if (!options.kind.empty()) real_type = std::make_unique<type_members>(this, options.kind, options.api_version);
    if (policy == storage::compressed) packed = std::make_unique<packing>(*this, options.storage);
}

encoding::~encoding() = default;

namespace {

encoding& behind(object_encoding& e) noexcept { return static_cast<encoding&>(e); }
const encoding& behind(const object_encoding& e) noexcept { return static_cast<const encoding&>(e); }

} // namespace

encoding_options encoding_for(const resource_type& resource, storage_options wanted)
{
    encoding_options options{.values = true, .storage = std::move(wanted)};
    if (options.storage.policy == storage::metadata_only) {
        options.kind = resource.kind;
        options.api_version = resource.api_version();
    }
    if (resource.group.empty() && resource.plural == "secrets") {
        options.values = false;
        // A dictionary contains samples, which outlive the objects they came from.
        if (options.storage.policy == storage::compressed) options.storage.policy = storage::plain;
    }
    return options;
}

std::size_t object_encoding::bytes() const noexcept
{
    const auto& e = behind(*this);
    return sizeof(e) + e.words.bytes() + (e.packed ? e.packed->bytes() : 0);
}

storage_stats object_encoding::stats() const
{
    const auto& e = behind(*this);
    storage_stats s;
    s.policy = e.policy;
    s.shared_bytes = bytes();
    if (e.packed) e.packed->add_to(s);
    return s;
}

object object_encoding::at_rest(const object& o)
{
    const auto& packed = behind(*this).packed;
    const object::block* b = object_builder::block_of(o);
    if (!packed || b == nullptr) return o;
    object::block* const renewed = packed->renew(*b);
    if (renewed == nullptr) return o;
    renewed->partial = b->partial;
    return object_builder::adopt(renewed);
}

bool object_encoding::stale(const kept_object& o) const noexcept
{
    const auto& packed = behind(*this).packed;
    const object::block* const b = object_builder::block_of(o);
    return packed && b != nullptr && packed->stale(*b);
}

std::uint64_t object_encoding::revision() const noexcept
{
    const auto& packed = behind(*this).packed;
    return packed ? packed->revision() : 0;
}

void object_encoding::keep_recent(bool on)
{
    if (const auto& packed = behind(*this).packed) packed->keep_recent(on);
}

std::shared_ptr<object_encoding> make_object_encoding(encoding_options options)
{
    return std::shared_ptr<object_encoding>(new encoding(options),
                                            [](object_encoding* e) { static_cast<encoding*>(e)->release(); });
}

} // namespace detail
} // namespace kubecoro
