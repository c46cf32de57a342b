// Fields by paths, labels, annotations and finalizers.
#include "edit/edited_list.hpp"

namespace kubecoro {

namespace json = boost::json;

namespace {

constexpr std::string_view metadata = "metadata";

json::object* find_object(json::object& o, std::string_view name)
{
    auto* member = o.if_contains(name);
    return member ? member->if_object() : nullptr;
}

bool set_text(json::object& o, std::string_view section, std::string_view key, std::string_view value)
{
    auto& text = field(o, metadata, section, key);
    if (detail::is_text(text, value)) return false;
    text = value;
    return true;
}

bool remove_text(json::object& o, std::string_view section, std::string_view key)
{
    auto* parent = find_object(o, metadata);
    auto* texts = parent ? find_object(*parent, section) : nullptr;
    return texts && texts->erase(key) > 0;
}

} // namespace

json::object new_object(const resource_type& type, const object_key& key)
{
    json::object o;
    o["apiVersion"] = type.api_version();
    o["kind"] = type.kind;
    auto& meta = o[metadata].emplace_object();
    meta["name"] = key.name;
    if (type.namespaced && !key.ns.empty()) meta["namespace"] = key.ns;
    return o;
}

json::value& field(json::object& o, std::initializer_list<std::string_view> path)
{
    json::object* parent = &o;
    json::value* found = nullptr;
    for (const auto name : path) {
        if (found) parent = found->is_object() ? &found->get_object() : &found->emplace_object();
        found = &(*parent)[name];
    }
    return *found;
}

const json::value* find_field(const json::object& o, std::initializer_list<std::string_view> path) noexcept
{
    const json::object* parent = &o;
    const json::value* found = nullptr;
    for (const auto name : path) {
        found = parent ? parent->if_contains(name) : nullptr;
        if (!found) return nullptr;
        parent = found->if_object();
    }
    return found;
}

bool set_label(json::object& o, std::string_view key, std::string_view value)
{
    return set_text(o, "labels", key, value);
}

bool remove_label(json::object& o, std::string_view key) { return remove_text(o, "labels", key); }

bool set_annotation(json::object& o, std::string_view key, std::string_view value)
{
    return set_text(o, "annotations", key, value);
}

bool remove_annotation(json::object& o, std::string_view key) { return remove_text(o, "annotations", key); }

bool add_finalizer(json::object& o, std::string_view finalizer)
{
    auto& names = detail::list_at(o, {metadata, "finalizers"});
    if (std::any_of(names.begin(), names.end(), [&](const json::value& f) { return detail::is_text(f, finalizer); }))
        return false;
    names.emplace_back(finalizer);
    return true;
}

bool remove_finalizer(json::object& o, std::string_view finalizer)
{
    return detail::erase_items(o, {metadata, "finalizers"},
                               [&](const json::value& f) { return detail::is_text(f, finalizer); });
}

bool has_finalizer(const object& o, std::string_view finalizer) noexcept
{
    for (const auto name : o.metadata()["finalizers"].items())
        if (name.as_string() == finalizer) return true;
    return false;
}

} // namespace kubecoro
