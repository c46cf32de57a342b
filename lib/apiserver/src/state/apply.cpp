// Server-side apply, by the rules of kube-apiserver.
#include "objects/status_errors.hpp"
#include "objects/stored_object.hpp"
#include "state/conversions.hpp"
#include "state/managed_fields.hpp"
#include "state/scale.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/detail/merge_problems.hpp>
#include <kubecoro/api/detail/typed_value.hpp>

#include <algorithm>

namespace kubecoro::apiserver {

field_writer writer_of(const object_address& at, const write_flags& flags, wall_time now)
{
    // Writes of a scale leave no time, as in a kube-apiserver.
    const auto time = at.subresource == "scale" ? std::string{} : format_time(now);
    return {flags.manager, at.store->info.api_version(at.version), at.subresource, time};
}

merge_type merge_type_of(const resource_info& info, std::string_view version)
{
    if (!info.custom)
        if (auto type = merge_type::of_kind(info.api_version(version), info.kind)) return *type;
    const auto* served = info.find_version(version);
    return served && served->schema->is_object() ? merge_type::of_custom(*served->schema) : merge_type::of_any_object();
}

json::value empty_object(const resource_info& info)
{
    json::value empty = json::object{{"metadata", json::object{}}};
    take_go_form(info, empty);
    return empty;
}

json::value object_before(const resource_info& info, const json::value& body)
{
    auto before = empty_object(info);
    const auto* status = find_at(body, "status");
    if (info.has_status && status && info.behaves != builtin::node) before.get_object()["status"] = *status;
    const auto* finalizers = info.behaves == builtin::namespace_ ? find_at(body, "spec.finalizers") : nullptr;
    if (finalizers) object_member(before.get_object(), "spec")["finalizers"] = *finalizers;
    return before;
}

json::value without_type(json::value body)
{
    for (const std::string_view key : {"kind", "apiVersion"}) body.get_object().stable_erase(key);
    return body;
}

namespace {

/// @param wanted  The merge_type_text() of the kind that is applied.
std::optional<status_error> check_config(const json::value& config, const merge_type& type, const std::string& wanted)
{
    const auto given = detail::merge_type_text(text_at(config, "apiVersion"), text_at(config, "kind"));
    if (given != wanted) return errors::bad_request("invalid object type: " + given);
    if (const auto* stated = find_at(config, "metadata.managedFields"); stated && !stated->is_null())
        return errors::bad_request("metadata.managedFields must be nil");
    auto problems = detail::merge_problems(config, type);
    if (!problems.empty()) return errors::internal(detail::typed_patch_problem(config, given, std::move(problems)));
    return {};
}

/// The name and uid of the merged object: a configuration of an object that exists need not repeat them.
std::optional<status_error> check_identity(const object_address& at, const std::string* current_uid,
                                           const json::value& merged)
{
    if (const auto name = text_at(merged, "metadata.name"); name != at.name) return errors::other_name(name, at.name);
    const auto uid = text_at(merged, "metadata.uid");
    if (!current_uid || uid.empty() || uid == *current_uid) return {};
    return errors::invalid(at.store->info, at.name,
                           {errors::invalid_value("metadata.uid", quote(uid), "field is immutable")});
}

/// Drops what a write of this resource or subresource does not change.
void keep_own_part(const object_address& at, json::value& config)
{
    auto& object = config.get_object();
    if (at.subresource == "status")
        erase_members(object, [](std::string_view key) { return key != "status" && key != "metadata"; });
    else if (at.store->info.has_status)
        object.stable_erase("status");
    if (at.subresource.empty()) return;
    // The name and the version that it is based on are checked.
    erase_members(object_member(object, "metadata"), [&](std::string_view key) {
        const bool set = at.subresource == "status" && status_sets(at.store->info, key);
        return !set && key != "name" && key != "namespace" && key != "uid" && key != "resourceVersion";
    });
}

/// kubectl's own record of what it has applied stays true, where it exists.
void sync_last_applied(json::value& body, json::value config)
{
    auto& metadata = object_member(body.get_object(), "metadata");
    auto* annotations = metadata.if_contains("annotations");
    auto* recorded =
        annotations && annotations->is_object() ? annotations->get_object().if_contains(last_applied) : nullptr;
    if (!recorded || !recorded->is_string() || recorded->get_string().empty()) return;
    if (auto* own = object_member(config.get_object(), "metadata").if_contains("annotations"); own && own->is_object())
        own->get_object().erase(last_applied);
    sort_deep(config);
    *recorded = std::string_view(to_text(config) + "\n");
}

} // namespace

answer<apply_result> cluster_state_core::apply(const object_address& at, json::value config, write_flags flags,
                                               wall_time now)
{
    const auto& info = at.store->info;
    const auto current = at.store->find(storage_key(at.ns, at.name));
    if (!current && !at.subresource.empty()) return errors::not_found(info, at.name);
    const auto type = merge_type_of(info, at.version);
    if (auto e = check_config(config, type, detail::merge_type_text(info.api_version(at.version), info.kind)))
        return *e;

    const auto empty = empty_object(info);
    auto live = empty;
    if (current) {
        auto read = version_converter(flags.conversions).read(info, *current, at.version);
        if (!read) return read.error();
        live = without_type(std::move(*read));
    }
    auto owners = managed_fields::read(live);
    if (!owners) return errors::internal("failed to decode managed fields of the object");
    object_member(live.get_object(), "metadata").stable_erase("managedFields");
    auto stated = without_type(config);
    keep_own_part(at, stated);
    if (!current) object_member(stated.get_object(), "metadata").stable_erase("resourceVersion");
    const auto writer = writer_of(at, flags, now);
    auto next = owners->apply(live, stated, empty, type, flags.force, writer);
    if (!next) return next.error();
    if (!*next) {
        // A kube-apiserver merges all that is stated, and then resets what the request may not change: the entry has a time.
        const auto whole = without_type(config);
        if (whole != stated && detail::merge_values(live, whole, type) != live) owners->note_time(writer);
    }
    auto body = *next ? std::move(**next) : std::move(live);
    if (auto e = check_identity(at, current ? &current->uid : nullptr, body)) return *e;
    if (flags.manager == "kubectl") sync_last_applied(body, std::move(config));

    auto written = current ? update_found(at, current, std::move(body), flags, now, &*owners)
                           : create_new(at, std::move(body), flags, now, &*owners);
    if (!written) return written.error();
    return apply_result{std::move(*written), !current};
}

namespace {

field_path path_of(std::string_view dotted)
{
    field_path out;
    while (!dotted.empty()) {
        const auto step = dotted.substr(0, dotted.find('.'));
        out.push_back(detail::name_element(step));
        dotted.remove_prefix(std::min(dotted.size(), step.size() + 1));
    }
    return out;
}

} // namespace

answer<cluster_state_core::stored> cluster_state_core::apply_scale(const object_address& at, json::value config,
                                                                   write_flags flags, wall_time now)
{
    const auto& info = at.store->info;
    const auto current = get(at);
    if (!current) return current.error();
    static const auto type = *merge_type::of_kind("autoscaling/v1", "Scale");
    if (auto e = check_config(config, type, detail::merge_type_text("autoscaling/v1", "Scale"))) return *e;

    auto body = to_json(**current);
    const auto owners = managed_fields::read(body);
    if (!owners) return errors::internal("failed to decode managed fields of the object");
    const auto replicas = path_of(info.scale_spec);
    auto of_scale = owners->of_scale(replicas);
    const auto live = without_type(scale_of(info, **current));
    const json::value empty = {{"metadata", json::object{}}, {"spec", json::object{}}, {"status", {{"replicas", 0}}}};
    auto writer = writer_of(at, flags, now);
    writer.api_version = "autoscaling/v1";
    auto next = of_scale.apply(live, without_type(std::move(config)), empty, type, flags.force, writer);
    if (!next) return next.error();
    if (*next)
        if (auto e = check_identity(at, nullptr, **next)) return *e;
    auto wanted = *next ? std::move(**next) : live;
    if (flags.scale_admission)
        if (auto e = flags.scale_admission(&live, wanted, false)) return *e;
    if (auto taken = take_scale(info, wanted, body); !taken) return taken.error();
    const auto own = in_own_version(at, **current);
    const auto applied = owners->with_scale(of_scale, replicas, info.api_version(own.version));
    return update_found(own, *current, std::move(body), flags, now, &applied);
}

} // namespace kubecoro::apiserver
