// Classifies member names: excludes values, or the names themselves, from sharing.
#pragma once

#include "text/byte_block.hpp"

#include <kubecoro/base/hash.hpp>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace kubecoro::detail {

enum class key_class : std::uint8_t
{
    /// Nearly all keys.
    plain,
    /// `labels` and similar: users choose the names of the members.
    user_map,
    // From here on, the key affects how the writer treats its value.
    /// `value`: environment variables, parameters.
    value,
    /// `data` and similar, secret below the root.
    data,
    /// The names of these in managedFields, secret everywhere.
    data_fields,
    /// `metadata`, which is the object's own below the root.
    metadata,
    /// `name` and other fields that differ between most objects.
    identity,
    /// `uid`, which differs between all objects.
    uid,
    /// `namespace`, the owner of what the object adds to the vocabulary.
    ns,
    /// Names of list items in managedFields: `k:{"uid":"..."}`, `v:"..."`.
    item,
    /// Item names that many objects have.
    common_item
};

[[nodiscard]] inline bool names_data(std::string_view key) noexcept
{
    return key == "data" || key == "stringData" || key == "binaryData";
}

[[nodiscard]] inline key_class class_of_item(std::string_view key) noexcept
{
    return key.starts_with("k:{\"type\":") || key.starts_with("k:{\"name\":") ? key_class::common_item
                                                                              : key_class::item;
}

[[nodiscard]] inline bool names_user_map(std::string_view key) noexcept
{
    return key == "labels" || key == "annotations" || key == "matchLabels" || key == "nodeSelector" ||
           key == "selector";
}

[[nodiscard]] inline key_class class_of_field(std::string_view name) noexcept
{
    if (names_data(name)) return key_class::data_fields;
    return names_user_map(name) ? key_class::user_map : key_class::plain;
}

[[nodiscard]] inline key_class class_of(std::string_view key) noexcept
{
    if (key.size() > 2 && key[1] == ':') {
        if (key[0] == 'k' || key[0] == 'v') return class_of_item(key);
        return key[0] == 'f' ? class_of_field(key.substr(2)) : key_class::plain;
    }
    if (names_user_map(key)) return key_class::user_map;
    switch (key.size()) {
    case 3:
        return key == "uid" ? key_class::uid : key_class::plain;
    case 4:
        return key == "name" ? key_class::identity : key == "data" ? key_class::data : key_class::plain;
    case 5:
        return key == "value" ? key_class::value : key_class::plain;
    case 8:
        return key == "metadata" ? key_class::metadata : key_class::plain;
    case 9:
        return key == "namespace" ? key_class::ns : key_class::plain;
    case 10: // stringData, binaryData
        return names_data(key) ? key_class::data : key_class::plain;
    case 15:
        return key == "resourceVersion" ? key_class::identity : key_class::plain;
    case 17:
        return key == "creationTimestamp" ? key_class::identity : key_class::plain;
    default:
        return key_class::plain;
    }
}

/// Seven bits for the filter of duplicate keys in an object. Not keyed: chosen keys can cost at most a scan of 32
/// members each. The constants are chosen so that members of common objects map to distinct bits.
[[nodiscard]] inline std::uint8_t key_mark(std::string_view key) noexcept
{
    constexpr hash_secrets constants{.word = 0x67eca10188daa279,
                                     .length = 0xb7ffb1920d580e1d,
                                     .left = 0x823f0b05454a1feb,
                                     .right = 0xa36a961915121af7};
    return static_cast<std::uint8_t>(hash_text(key, constants) & 0x7f);
}

/// The key properties that the writer needs, in 16 bits.
struct key_remark
{
    key_class c;
    std::uint8_t mark;
    /// Its JSON is the key itself between quotes.
    bool plain;

    [[nodiscard]] static key_remark of(std::string_view key) noexcept
    {
        return {class_of(key), key_mark(key), !key.empty() && std::ranges::none_of(key, is_special)};
    }
    [[nodiscard]] static key_remark unpack(std::uint16_t bits) noexcept
    {
        return {static_cast<key_class>(bits & 0xff), static_cast<std::uint8_t>((bits >> 8) & 0x7f), bits >> 15 != 0};
    }
    [[nodiscard]] std::uint16_t pack() const noexcept
    {
        return static_cast<std::uint16_t>(static_cast<unsigned>(c) | unsigned{mark} << 8 | unsigned{plain} << 15);
    }
};

} // namespace kubecoro::detail
