// Builds protobuf messages by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace kubecoro::test {

inline std::string varint(std::uint64_t value)
{
    std::string out;
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(0x80 | (value & 0x7f));
    return out += static_cast<char>(value);
}

inline std::string field(unsigned number, std::string_view content)
{
    return varint(number << 3 | 2) + varint(content.size()) + std::string(content);
}

inline std::string field(unsigned number, std::uint64_t value) { return varint(number << 3) + varint(value); }
inline std::string field(unsigned number, int value) { return field(number, static_cast<std::uint64_t>(value)); }

/// An object in its envelope.
inline std::string enveloped(std::string_view api_version, std::string_view kind, std::string_view message)
{
    return std::string("k8s\0", 4) + field(1, field(1, api_version) + field(2, kind)) + field(2, message) +
           field(3, std::string_view()) + field(4, std::string_view());
}

inline std::string object_meta(std::string_view ns, std::string_view name, std::string_view version = "5")
{
    return field(1, name) + field(3, ns) + field(5, "uid-of-" + std::string(name)) + field(6, version) +
           field(8, std::string_view());
}

inline std::string config_map(std::string_view ns, std::string_view name, std::string_view value)
{
    return field(1, object_meta(ns, name)) + field(2, field(1, "key") + field(2, value));
}

inline std::string list_meta(std::string_view version, std::string_view continue_token = {})
{
    return field(1, std::string_view()) + field(2, version) + field(3, continue_token);
}

inline std::string config_maps(std::initializer_list<std::string> items, std::string_view continue_token = {})
{
    std::string list = field(1, list_meta("77", continue_token));
    for (const auto& item : items) list += field(2, item);
    return enveloped("v1", "ConfigMapList", list);
}

/// A frame of a watch.
inline std::string framed(std::string_view type, std::string_view object)
{
    const std::string event = field(1, type) + field(2, field(1, object));
    std::string out;
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(event.size() >> shift & 0xff);
    return out + event;
}

} // namespace kubecoro::test
