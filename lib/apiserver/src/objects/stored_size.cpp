#include "objects/stored_size.hpp"

#include "text/base64.hpp"
#include "text/json_text.hpp"

namespace kubecoro::apiserver {
namespace {

std::size_t binary_size(const json::value& v)
{
    std::size_t size = 4;
    if (v.is_string()) size += v.get_string().size();
    if (const auto* array = v.if_array())
        for (const auto& item : *array) size += binary_size(item);
    if (const auto* object = v.if_object())
        for (const auto& member : *object) size += member.key().size() + binary_size(member.value());
    return size;
}

} // namespace

std::size_t stored_size(const resource_info& info, const json::value& body)
{
    if (info.custom) return to_text(body).size();
    std::size_t size = binary_size(body);
    const bool secret = info.behaves == builtin::secret;
    if (const auto* binary = object_at(body, secret ? "data" : "binaryData"))
        for (const auto& member : *binary)
            if (member.value().is_string()) {
                const std::string_view text = member.value().get_string();
                size -= text.size() - decoded_base64_size(text);
            }
    return size;
}

} // namespace kubecoro::apiserver
