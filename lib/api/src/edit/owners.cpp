// Owner references.
#include "edit/edited_list.hpp"

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/base/printable.hpp>

namespace kubecoro {

namespace json = boost::json;

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
    auto& references = detail::list_at(o, {"metadata", "ownerReferences"});
    const auto same = [&owner](const json::value& r) { return refers_to(r, owner); };
    const auto known = std::find_if(references.begin(), references.end(), same);
    if (known == references.end())
        references.push_back(std::move(reference));
    else
        *known = std::move(reference);
}

} // namespace

void set_controller_reference(const object& owner, json::object& o, owner_reference_options options)
{
    check_owner(owner, o);
    if (const auto* list = find_field(o, "metadata", "ownerReferences"); list && list->is_array())
        for (const auto& r : list->get_array())
            if (is_controller(r) && !refers_to(r, owner))
                refuse(
                    owner, o,
                    described(detail::text_in(r.get_object(), "kind"), {{}, detail::text_in(r.get_object(), "name")}) +
                        " is its controller");
    put_reference(owner, o, reference_to(owner, true, options.block_owner_deletion.value_or(true)));
}

void set_owner_reference(const object& owner, json::object& o, owner_reference_options options)
{
    check_owner(owner, o);
    put_reference(owner, o, reference_to(owner, false, options.block_owner_deletion.value_or(false)));
}

bool remove_owner_reference(const object& owner, json::object& o)
{
    return detail::erase_items(o, {"metadata", "ownerReferences"},
                               [&](const json::value& r) { return refers_to(r, owner); });
}

bool is_controlled_by(const object& o, const object& owner) noexcept
{
    for (const auto r : o.owner_references().items())
        if (r["controller"].as_bool() && owner.has_uid(r["uid"].as_string())) return true;
    return false;
}

} // namespace kubecoro
