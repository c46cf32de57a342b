#include "objects/finalizers.hpp"

#include "objects/registry.hpp"
#include "text/json_text.hpp"

#include <algorithm>
#include <set>

namespace kubecoro::apiserver {

bool has_finalizers(const json::value& body)
{
    const auto* list = array_at(body, "metadata.finalizers");
    return list && !list->empty();
}

bool has_finalizer(const json::value& body, std::string_view name)
{
    const auto* list = array_at(body, "metadata.finalizers");
    return list && std::find(list->begin(), list->end(), json::value(name)) != list->end();
}

void remove_finalizer(json::value& body, std::string_view name)
{
    auto* list = object_member(body.get_object(), "metadata")["finalizers"].if_array();
    if (!list) return;
    list->erase(std::remove(list->begin(), list->end(), json::value(name)), list->end());
}

bool is_standard_finalizer(std::string_view name)
{
    return name == orphan_finalizer || name == foreground_finalizer || name == namespace_finalizer;
}

std::vector<std::string> finalizer_warnings(const json::value& before, const json::value& after)
{
    std::set<std::string_view> added;
    if (const auto* list = array_at(after, "metadata.finalizers"))
        for (const auto& name : *list)
            if (name.is_string() && !has_finalizer(before, name.get_string())) added.insert(name.get_string());
    std::vector<std::string> out;
    for (const auto name : added) {
        if (is_standard_finalizer(name) || name.find('/') != std::string_view::npos) continue;
        const bool dotted = name.find('.') != std::string_view::npos;
        out.push_back("metadata.finalizers: " + quote(name) + ": prefer a domain-qualified finalizer name " +
                      (dotted ? "including a path (/) " : "") +
                      "to avoid accidental conflicts with other finalizer writers");
    }
    return out;
}

namespace {

/// The finalizer that the deletion takes; empty for none.
std::string_view finalizer_for(const resource_info& info, const delete_request& how, const json::value& body)
{
    if (how.propagation == "Orphan") return orphan_finalizer;
    if (how.propagation == "Foreground") return foreground_finalizer;
    if (how.propagation == "Background") return {};
    for (const auto name : {orphan_finalizer, foreground_finalizer})
        if (has_finalizer(body, name)) return name;
    return info.orphans_dependents ? orphan_finalizer : std::string_view{};
}

} // namespace

bool settle_propagation(const resource_info& info, const delete_request& how, json::value& body)
{
    const auto wanted = finalizer_for(info, how, body);
    bool changed = false;
    for (const auto name : {orphan_finalizer, foreground_finalizer}) {
        if (has_finalizer(body, name) == (name == wanted)) continue;
        changed = true;
        if (name != wanted) {
            remove_finalizer(body, name);
            continue;
        }
        auto& list = object_member(body.get_object(), "metadata")["finalizers"];
        if (!list.is_array()) list = json::array{};
        list.get_array().push_back(json::value(name));
    }
    return changed;
}

} // namespace kubecoro::apiserver
