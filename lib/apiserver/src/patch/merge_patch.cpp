// Applies JSON merge patches (RFC 7386).
#include "patch/patch.hpp"
#include "text/json_text.hpp"

#include <boost/json/object.hpp>

namespace kubecoro::apiserver {

void apply_merge_patch(json::value& doc, const json::value& patch)
{
    const auto* changes = patch.if_object();
    if (!changes) {
        doc = patch;
        return;
    }
    if (!doc.is_object()) doc = json::object{};
    auto& target = doc.get_object();
    erase_members(target, [&](std::string_view key) {
        const auto* change = changes->if_contains(key);
        return change && change->is_null();
    });
    for (const auto& [key, value] : *changes)
        if (!value.is_null()) apply_merge_patch(target[key], value);
}

} // namespace kubecoro::apiserver
