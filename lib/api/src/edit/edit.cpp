// Edits of objects in JSON: fields by paths, labels, annotations and finalizers; conditions of a status; owner references.
#include <kubecoro/api/edit.hpp>

#include "text/go_text.hpp"

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/base/printable.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <chrono>

namespace kubecoro {

namespace json = boost::json;

namespace {

bool is_text(const json::value& v, std::string_view text) noexcept { return v.is_string() && v.get_string() == text; }

/// The list at the end of a path, made if there is none.
json::array& list_at(json::object& o, std::initializer_list<std::string_view> path)
{
    auto& list = field(o, path);
    return list.is_array() ? list.get_array() : list.emplace_array();
}

/// Removes the items that match from the list at the end of a path. Returns whether there were any.
template<class Matches>
bool erase_items(json::object& o, std::initializer_list<std::string_view> path, const Matches& matches)
{
    if (find_field(o, path) == nullptr) return false;
    auto* list = field(o, path).if_array();
    if (!list) return false;
    const auto kept = std::remove_if(list->begin(), list->end(), matches);
    const bool had = kept != list->end();
    list->erase(kept, list->end());
    return had;
}

constexpr std::string_view metadata = "metadata";

json::object* find_object(json::object& o, std::string_view name)
{
    auto* member = o.if_contains(name);
    return member ? member->if_object() : nullptr;
}

bool set_text(json::object& o, std::string_view section, std::string_view key, std::string_view value)
{
    auto& text = field(o, metadata, section, key);
    if (is_text(text, value)) return false;
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
    auto& names = list_at(o, {metadata, "finalizers"});
    if (std::any_of(names.begin(), names.end(), [&](const json::value& f) { return is_text(f, finalizer); }))
        return false;
    names.emplace_back(finalizer);
    return true;
}

bool remove_finalizer(json::object& o, std::string_view finalizer)
{
    return erase_items(o, {metadata, "finalizers"}, [&](const json::value& f) { return is_text(f, finalizer); });
}

bool has_finalizer(const object& o, std::string_view finalizer) noexcept
{
    for (const auto name : o.metadata()["finalizers"].items())
        if (name.as_string() == finalizer) return true;
    return false;
}

namespace {

bool has_type(const json::value& c, std::string_view type)
{
    const auto* found = detail::member_in(c, "type");
    return found && is_text(*found, type);
}

/// Assigns if that changes the member. Returns whether it does.
bool assign(json::object& o, std::string_view name, json::value value)
{
    auto* member = o.if_contains(name);
    if (member && *member == value) return false;
    o[name] = std::move(value);
    return true;
}

/// The same for a text; a server drops an empty one from some kinds, so it is the same as none.
bool assign_text(json::object& o, std::string_view name, std::string_view text)
{
    return (!text.empty() || o.contains(name)) && assign(o, name, json::value(text));
}

std::string text_of(wall_time t)
{
    detail::time_texts texts;
    return std::string(texts.time(std::chrono::floor<std::chrono::seconds>(t).time_since_epoch().count()));
}

json::object& condition_of(json::object& o, std::string_view type)
{
    auto& conditions = list_at(o, {"status", "conditions"});
    for (auto& c : conditions)
        if (has_type(c, type)) return c.get_object();
    auto& fresh = conditions.emplace_back(json::object()).get_object();
    fresh["type"] = type;
    fresh["reason"] = "";
    fresh["message"] = "";
    return fresh;
}

} // namespace

bool set_condition(json::object& o, const status_condition& c, wall_time now)
{
    auto& condition = condition_of(o, c.type);
    bool changed = assign(condition, "status", json::value(std::string_view(c.status)));
    if (changed || !condition.contains("lastTransitionTime"))
        changed |= assign(condition, "lastTransitionTime", json::value(std::string_view(text_of(now))));
    changed |= assign_text(condition, "reason", c.reason);
    changed |= assign_text(condition, "message", c.message);
    if (c.observed_generation) changed |= assign(condition, "observedGeneration", *c.observed_generation);
    return changed;
}

bool remove_condition(json::object& o, std::string_view type)
{
    return erase_items(o, {"status", "conditions"}, [&](const json::value& c) { return has_type(c, type); });
}

value_view find_condition(const object& o, std::string_view type) noexcept
{
    for (const auto c : o["status"]["conditions"].items())
        if (c["type"].as_string() == type) return c;
    return {};
}

namespace {

std::string_view metadata_text(const json::object& o, std::string_view name) noexcept
{
    const auto* text = find_field(o, "metadata", name);
    return text && text->is_string() ? std::string_view(text->get_string()) : std::string_view();
}

std::string described(std::string_view kind, object_key_view key)
{
    return printable(kind) + " \"" + printable(to_string(key)) + "\"";
}

[[noreturn]] void refuse(const object& owner, const json::object& o, std::string why)
{
    const object_key_view key{metadata_text(o, "namespace"), metadata_text(o, "name")};
    throw error(failure(cond::invalid, described(owner.kind(), owner.key()) + " cannot own " +
                                           described(detail::text_in(o, "kind"), key) + ": " + std::move(why)));
}

/// The garbage collector takes an owner in another namespace for one that does not exist.
void check_owner(const object& owner, const json::object& o)
{
    if (owner.uid().empty() || owner.name().empty() || owner.kind().empty() || owner.api_version().empty())
        refuse(owner, o, "it has no uid, name, kind or apiVersion; use an object that the server returned");
    if (owner.ns().empty()) return;
    const auto ns = metadata_text(o, "namespace");
    if (ns.empty())
        refuse(owner, o, "an owner in a namespace cannot own an object in none; set its metadata.namespace before");
    if (ns != owner.ns()) refuse(owner, o, "they are in different namespaces");
}

/// By group, kind and name: the version may differ, and the uid of an owner that was made again does.
bool refers_to(const json::value& reference, const object& owner)
{
    const auto* r = reference.if_object();
    return r && detail::text_in(*r, "kind") == owner.kind() && detail::text_in(*r, "name") == owner.name() &&
           group_version::parse(detail::text_in(*r, "apiVersion")).group ==
               group_version::parse(owner.api_version()).group;
}

bool is_controller(const json::value& reference) { return detail::is_true_in(reference, "controller"); }

json::object reference_to(const object& owner, bool controller, bool block)
{
    json::object r;
    r["apiVersion"] = owner.api_version();
    r["kind"] = owner.kind();
    r["name"] = owner.name();
    r["uid"] = owner.uid();
    if (controller) r["controller"] = true;
    if (block) r["blockOwnerDeletion"] = true;
    return r;
}

void put_reference(const object& owner, json::object& o, json::object reference)
{
    auto& references = list_at(o, {"metadata", "ownerReferences"});
    const auto same = [&owner](const json::value& r) { return refers_to(r, owner); };
    const auto known = std::find_if(references.begin(), references.end(), same);
    if (known == references.end())
        references.push_back(std::move(reference));
    else
        *known = std::move(reference);
}

} // namespace

void set_controller_reference(const object& owner, json::object& o, bool blocks_deletion)
{
    check_owner(owner, o);
    if (const auto* list = find_field(o, "metadata", "ownerReferences"); list && list->is_array())
        for (const auto& r : list->get_array())
            if (is_controller(r) && !refers_to(r, owner))
                refuse(
                    owner, o,
                    described(detail::text_in(r.get_object(), "kind"), {{}, detail::text_in(r.get_object(), "name")}) +
                        " is its controller");
    put_reference(owner, o, reference_to(owner, true, blocks_deletion));
}

void set_owner_reference(const object& owner, json::object& o, bool blocks_deletion)
{
    check_owner(owner, o);
    put_reference(owner, o, reference_to(owner, false, blocks_deletion));
}

bool remove_owner_reference(const object& owner, json::object& o)
{
    return erase_items(o, {"metadata", "ownerReferences"}, [&](const json::value& r) { return refers_to(r, owner); });
}

bool is_controlled_by(const object& o, const object& owner) noexcept
{
    for (const auto r : o.owner_references().items())
        if (r["controller"].as_bool() && owner.has_uid(r["uid"].as_string())) return true;
    return false;
}

} // namespace kubecoro
