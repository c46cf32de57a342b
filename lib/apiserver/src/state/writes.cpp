// Creates and updates objects by the rules of kube-apiserver's registry.
#include "objects/finalizers.hpp"
#include "objects/status_errors.hpp"
#include "objects/stored_object.hpp"
#include "schema/defaults.hpp"
#include "schema/validation.hpp"
#include "state/admission.hpp"
#include "state/conversions.hpp"
#include "state/managed_fields.hpp"
#include "state/resource_store.hpp"
#include "state/service_allocator.hpp"
#include "state/write_rules.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/apiserver/detail/cluster_state_core.hpp>

#include <charconv>

namespace kubecoro::apiserver {

answer<stored> cluster_state_core::get(const object_address& at) const
{
    if (auto found = at.store->find(storage_key(at.ns, at.name))) return found;
    return errors::not_found(at.store->info, at.name);
}

std::optional<status_error> cluster_state_core::check_namespace(const object_address& at, std::string_view name) const
{
    if (!at.store->info.namespaced) return {};
    const auto namespaces = find("", "namespaces");
    const auto found = namespaces->find(storage_key("", at.ns));
    if (!found) return errors::not_found(namespaces->info, at.ns);
    if (!found->deleting) return {};
    const auto& info = at.store->info;
    auto e = errors::make(403, "Forbidden",
                          info.display_name() + " \"" + std::string(name) +
                              "\" is forbidden: unable to create new content in namespace " + at.ns +
                              " because it is being terminated");
    e.name = name;
    e.group = info.group;
    e.kind = info.plural;
    e.causes.push_back({"NamespaceTerminating", "namespace " + at.ns + " is being terminated", "metadata.namespace"});
    return e;
}

std::optional<status_error> cluster_state_core::check_definition(const resource_info& info, std::string_view name) const
{
    if (!info.custom) return {};
    const auto definitions = find("apiextensions.k8s.io", "customresourcedefinitions");
    const auto definition = definitions->find(storage_key("", info.display_name()));
    if (!definition || !definition->deleting) return {};
    return errors::forbidden(info, name, "create not allowed while custom resource definition is terminating");
}

namespace {

std::optional<status_error> check_object_namespace(const object_address& at, const json::value& body)
{
    if (!at.store->info.namespaced) return {}; // It may state one, which is dropped.
    const auto ns = text_at(body, "metadata.namespace");
    if (ns.empty() || ns == at.ns) return {};
    return errors::other_namespace();
}

void set_or_erase(json::object& target, std::string_view key, const json::value* value)
{
    if (value)
        target[key] = *value;
    else
        target.stable_erase(key);
}

std::optional<status_error> admit(const write_flags& flags, const json::value* before, json::value& after)
{
    return flags.admission ? flags.admission(before, after, true) : std::nullopt;
}

/// The metadata that a kube-apiserver gives an object after its admission.
constexpr std::string_view given_later[]{"uid",        "creationTimestamp", "deletionTimestamp",
                                         "generation", "resourceVersion",   "deletionGracePeriodSeconds"};

/// Undoes what an admission may not change. @return the refusal of another name or namespace.
std::optional<status_error> keep_identity(const resource_info& info, const json::value* before,
                                          const json::object& metadata, json::value& body)
{
    auto& now = object_member(body.get_object(), "metadata");
    const auto changed = [&](std::string_view member) {
        return detail::text_in(metadata, member) != detail::text_in(now, member);
    };
    if (changed("namespace")) return errors::other_namespace();
    std::vector<status_cause> causes;
    for (const std::string_view member : {"name", "uid"})
        if (before && changed(member))
            causes.push_back(errors::invalid_value("metadata." + std::string(member),
                                                   quote(detail::text_in(now, member)), "field is immutable"));
    if (!causes.empty()) return errors::invalid(info, detail::text_in(now, "name"), std::move(causes));
    for (const auto member : given_later) set_or_erase(now, member, metadata.if_contains(member));
    return {};
}

/** Lets the admission change an object, and completes what it has made. It does not see what a new object is given later.
    @param prunes  Whether unknown fields go. @param generated  The name that the server has made; empty: none. */
std::optional<status_error> mutate(const write_flags& flags, const resource_info& info, std::string_view version,
                                   const json::value* before, json::value& body, bool prunes,
                                   std::string_view generated = {})
{
    if (!flags.admission) return {};
    auto& own = object_member(body.get_object(), "metadata");
    const json::object metadata = own;
    if (!before)
        for (const auto member : given_later) own.stable_erase(member);
    if (!generated.empty()) own.stable_erase("name");
    if (auto e = flags.admission(before, body, false)) return e;
    if (auto e = keep_identity(info, before, metadata, body)) return e;
    if (auto& now = object_member(body.get_object(), "metadata");
        !generated.empty() && detail::text_in(now, "name").empty())
        now["name"] = generated;
    apply_defaults(info, body, !before, before || flags.keep_status);
    if (prunes) prune_by_schema(info, version, body);
    return add_schema_defaults(info, version, body);
}

/// Gives `next` the parts of `body` that a write of its status sets.
void take_status(const resource_info& info, const json::value& body, json::value& next)
{
    set_or_erase(next.get_object(), "status", find_at(body, "status"));
    auto& metadata = object_member(next.get_object(), "metadata");
    for (const std::string_view member : {"labels", "annotations", "ownerReferences", "finalizers"})
        if (status_sets(info, member)) set_or_erase(metadata, member, find_at(body, "metadata." + std::string(member)));
}

/// Makes `body` the whole object that a write of a subresource, or of the main resource, results in.
void take_part(const resource_info& info, std::string_view subresource, const json::value& before, json::value& body)
{
    if (subresource == "binding") return;
    if (subresource.empty() || subresource == "scale") {
        if (info.has_status) set_or_erase(body.get_object(), "status", find_at(before, "status"));
        // They change by the subresource finalize alone.
        if (info.behaves == builtin::namespace_)
            set_or_erase(object_member(body.get_object(), "spec"), "finalizers", find_at(before, "spec.finalizers"));
        return;
    }
    json::value next = before;
    if (subresource == "status") {
        take_status(info, body, next);
    } else if (subresource == "ephemeralcontainers") {
        set_or_erase(object_member(next.get_object(), "spec"), "ephemeralContainers",
                     find_at(body, "spec.ephemeralContainers"));
    } else if (subresource == "finalize") {
        set_or_erase(object_member(next.get_object(), "spec"), "finalizers", find_at(body, "spec.finalizers"));
        if (const auto* left = array_at(next, "spec.finalizers"); left && left->empty())
            next.at("spec").get_object().erase("finalizers");
    }
    body = std::move(next);
}

/// The parts of a pod that its other updates may not change.
bool may_change_all(std::string_view subresource)
{
    return subresource == "binding" || subresource == "ephemeralcontainers";
}

/// The rule of their own that writes of ephemeral containers have.
std::optional<status_error> check_ephemeral_containers(const resource_info& info, const json::value& before,
                                                       const json::value& after)
{
    std::vector<status_cause> causes;
    validate_ephemeral_containers(before, after, causes);
    if (causes.empty()) return {};
    return errors::invalid(info, text_at(after, "metadata.name"), std::move(causes));
}

/// Returns the resourceVersion that the body is based on; empty when it has none.
answer<std::optional<std::uint64_t>> based_on(const json::value& body)
{
    const auto text = text_at(body, "metadata.resourceVersion");
    if (text.empty() || text == "0") return std::optional<std::uint64_t>{};
    std::uint64_t version = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), version);
    if (ec != std::errc{} || end != text.data() + text.size())
        return errors::internal("strconv.ParseUint: parsing " + quote(text) + ": invalid syntax");
    return std::optional<std::uint64_t>{version};
}

/// Whether a deleted object stays.
bool is_held(const resource_info& info, const json::value& body)
{
    const auto* of_namespace = info.behaves == builtin::namespace_ ? array_at(body, "spec.finalizers") : nullptr;
    return has_finalizers(body) || (of_namespace && !of_namespace->empty()) ||
           int_at(body, "metadata.deletionGracePeriodSeconds") > 0;
}

constexpr std::size_t longest_generated_prefix = 58;

/// The beginning of a generated name, in whole characters: names may hold more than ASCII.
std::string_view generated_prefix(std::string_view text)
{
    if (text.size() <= longest_generated_prefix) return text;
    std::size_t size = longest_generated_prefix;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
    return text.substr(0, size);
}

} // namespace

answer<stored> cluster_state_core::create(const object_address& at, json::value body, write_flags flags, wall_time now)
{
    return create_new(at, std::move(body), flags, now, nullptr);
}

std::string cluster_state_core::generated_name(const resource_store& store, std::string_view ns,
                                               std::string_view prefix)
{
    constexpr int most_attempts = 8;
    std::string name;
    for (int i = 0; i < most_attempts; ++i) {
        name = std::string(generated_prefix(prefix)) + generated_suffix();
        if (!store.find(storage_key(ns, name))) break;
    }
    return name;
}

answer<stored> cluster_state_core::create_new(const object_address& at, json::value body, const write_flags& flags,
                                              wall_time now, const managed_fields* applied)
{
    const auto store = at.store;
    const auto& info = store->info;
    auto& metadata = object_member(body.get_object(), "metadata");
    if (auto e = check_object_namespace(at, body)) return *e;
    if (info.namespaced)
        metadata["namespace"] = at.ns;
    else
        metadata.erase("namespace");
    std::string name(text_at(body, "metadata.name"));
    if (auto e = check_namespace(at, name)) return *e;
    if (auto e = check_definition(info, name)) return *e;
    const bool generates = !text_at(body, "metadata.generateName").empty();
    const bool is_made = name.empty() && generates;
    if (is_made) {
        name = generated_name(*store, at.ns, text_at(body, "metadata.generateName"));
        metadata["name"] = name;
    }
    const auto given_version = based_on(body);

    // Manifests exported from a cluster refer to each other by uid (owner references), so their uids are kept.
    const bool keep = flags.keep_status;
    if (!keep || text_at(body, "metadata.uid").empty()) metadata["uid"] = new_uid();
    if (!keep || text_at(body, "metadata.creationTimestamp").empty()) metadata["creationTimestamp"] = format_time(now);
    for (const std::string_view key : {"selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"})
        metadata.erase(key);
    if (info.generation != generation_rule::none && !(keep && int_at(body, "metadata.generation") > 0))
        metadata["generation"] = 1;
    auto owners = applied ? *applied : managed_fields::before_update({}, body, false);
    metadata.erase("managedFields");
    const bool owned = applied || flags.keep_status || has_typed_rest(info, at.version, {}, nullptr, body);
    apply_defaults(info, body, true, flags.keep_status);
    if (!applied) prune_by_schema(info, at.version, body);
    if (auto e = add_schema_defaults(info, at.version, body)) return *e;
    if (auto e = mutate(flags, info, at.version, nullptr, body, !applied, is_made ? name : std::string_view()))
        return *e;
    name = text_at(body, "metadata.name");
    normalise(info, body);
    // Fields that the server fills in have no owner: addresses and ports of services, priorities and tolerations of pods,
    // taints of nodes.
    json::value asked;
    if (auto* const services = allocator_of(*store)) {
        asked = body;
        if (auto e = services->assign(*store, nullptr, body, flags.keep_status, random_)) return *e;
    }
    const bool new_node = info.behaves == builtin::node && !flags.keep_status;
    if ((info.behaves == builtin::pod || new_node) && !applied && !flags.manager.empty()) asked = body;
    if (new_node) admit_node(body);
    if (info.behaves == builtin::pod)
        if (auto e = admit_pod(*priorities_, info, nullptr, body, flags.keep_status)) return *e;
    if (auto e = check_object(flags, info, at.version, nullptr, body))
        return *e; // before Go's types hide what is wrong
    if (!asked.is_null()) take_go_form(info, asked);
    take_go_form(info, body);
    if (info.behaves == builtin::priority_class)
        if (auto e = admit_priority_class(*priorities_, info, body)) return *e;
    if (auto e = admit(flags, nullptr, body)) return *e;
    // A version that is no number is passed over.
    if (given_version && *given_version)
        return errors::internal("resourceVersion should not be set on objects to be created");
    if (const auto existing = store->find(storage_key(at.ns, name)))
        return generates ? errors::no_unique_name(info, name) : errors::already_exists(info, name, existing->deleting);
    if (!owned)
        owners = {};
    else if (!applied && !flags.manager.empty())
        owners.note_update(object_before(info, body), asked.is_null() ? body : asked, merge_type_of(info, at.version),
                           true, writer_of(at, flags, now));
    if (applied) prune_by_schema(info, at.version, body);
    if (const auto done = version_converter(flags.conversions).settle_written(info, at.version, body); !done)
        return done.error();
    owners.write(body);
    if (stored_size(info, body) > max_stored_bytes) return too_large_to_store();
    if (flags.dry_run) return make_stored(info, body, 0);

    auto object = commit_settled(*store, nullptr, body);
    if (info.behaves == builtin::custom_resource_definition) settle_crd(object, now);
    if (info.behaves == builtin::namespace_) furnish_namespace(object->name, now);
    return object;
}

namespace {

/// Only a deletion marks an object as deleted.
std::optional<status_error> check_deletion_time(const resource_info& info, const stored_object& current,
                                                const json::value& body)
{
    std::vector<status_cause> causes;
    const auto stated = text_at(body, "metadata.deletionTimestamp");
    if (!current.deleting && !stated.empty())
        causes.push_back(errors::invalid_value("metadata.deletionTimestamp", quote(stated), "field is immutable"));
    constexpr std::string_view grace = "metadata.deletionGracePeriodSeconds";
    const auto* seconds = find_at(body, grace);
    if (seconds && !seconds->is_null()) {
        const auto before = to_json(current);
        const auto* own = find_at(before, grace);
        // A kube-apiserver names it twice.
        if (!own || *own != *seconds)
            causes.insert(causes.end(), 2,
                          errors::invalid_value(std::string(grace), to_text(*seconds), "field is immutable"));
    }
    if (causes.empty()) return {};
    return errors::invalid(info, current.name, std::move(causes));
}

} // namespace

answer<stored> cluster_state_core::update(const object_address& at, json::value body, write_flags flags, wall_time now)
{
    if (const auto current = at.store->find(storage_key(at.ns, at.name)))
        return update_found(at, current, std::move(body), flags, now, nullptr);
    if (!at.store->info.create_on_update || !at.subresource.empty()) return errors::not_found(at.store->info, at.name);
    auto& metadata = object_member(body.get_object(), "metadata");
    metadata["name"] = at.name;
    metadata.erase("resourceVersion");
    return create(at, std::move(body), flags, now);
}

answer<stored> cluster_state_core::update_found(const object_address& at, const stored& current, json::value body,
                                                const write_flags& flags, wall_time now, const managed_fields* applied)
{
    const auto store = at.store;
    const auto& info = store->info;
    if (auto e = check_object_namespace(at, body)) return *e;
    const auto based = based_on(body);
    if (!based) return based.error();
    if (!*based && !info.unconditional_update)
        return errors::invalid(
            info.plural, info.group, at.name,
            {errors::invalid_value("metadata.resourceVersion", "0", "must be specified for an update")});
    if (const auto uid = text_at(body, "metadata.uid"); !uid.empty() && uid != current->uid) {
        auto e = errors::conflict(info, at.name);
        e.message =
            "Operation cannot be fulfilled on " + info.display_name() + " \"" + at.name +
            "\": StorageError: invalid object, Code: 4, Key: /registry/" + info.plural + current->key +
            ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: " + std::string(uid) +
            ", UID in object meta: " + current->uid;
        return e;
    }
    if (*based && **based != current->version) return errors::conflict(info, at.name);
    if (auto e = check_deletion_time(info, *current, body)) return *e;

    const version_converter versions(flags.conversions);
    auto read = versions.read(info, *current, at.version);
    if (!read) return read.error();
    auto before = without_type(std::move(*read));
    const auto owners_before = managed_fields::read(before).value_or(managed_fields{});
    auto owners = applied ? *applied : managed_fields::before_update(before, body, !at.subresource.empty());
    for (auto* each : {&before, &body}) object_member(each->get_object(), "metadata").stable_erase("managedFields");
    const bool owned = applied || has_typed_rest(info, at.version, at.subresource, &before, body);
    take_part(info, at.subresource, before, body);
    const bool defines = info.behaves == builtin::custom_resource_definition && at.subresource.empty();
    if (defines) note_storage_version(body.get_object());
    body = without_type(std::move(body));
    auto& metadata = object_member(body.get_object(), "metadata");
    for (const std::string_view key : {"name", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp",
                                       "deletionTimestamp", "deletionGracePeriodSeconds"})
        set_or_erase(metadata, key, before.at("metadata").get_object().if_contains(key));
    apply_defaults(info, body, false, true);
    if (info.behaves == builtin::pod && at.subresource.empty())
        if (auto e = admit_pod(*priorities_, info, &before, body, false)) return *e;
    if (!applied) prune_by_schema(info, at.version, body);
    if (auto e = add_schema_defaults(info, at.version, body)) return *e;
    if (auto e = mutate(flags, info, at.version, &before, body, !applied)) return *e;
    json::value asked;
    if (auto* const services = allocator_of(*store)) {
        asked = body;
        settle(info, asked);
        if (auto e = services->assign(*store, &before, body, false, random_)) return *e;
    }
    // Compared in the stored form: an empty list that the body states is no change.
    settle(info, body);
    if (auto e = check_object(flags, info, at.version, may_change_all(at.subresource) ? nullptr : &before, body))
        return *e;
    if (at.subresource == "ephemeralcontainers")
        if (auto e = check_ephemeral_containers(info, before, body)) return *e;
    if (info.behaves == builtin::priority_class)
        if (auto e = admit_priority_class(*priorities_, info, body)) return *e;
    if (auto e = admit(flags, &before, body)) return *e;
    if (at.subresource != "status" && raises_generation(info.generation, before, body))
        body.at("metadata").get_object()["generation"] = int_at(before, "metadata.generation") + 1;
    // The server's own changes of the status have no owner.
    if (defines) set_or_erase(before.get_object(), "status", find_at(body, "status"));
    if (!owned)
        owners = {};
    else if (!applied && !flags.manager.empty())
        owners.note_update(before, asked.is_null() ? body : asked, merge_type_of(info, at.version), false,
                           writer_of(at, flags, now));
    // An applied object keeps what the schema does not have until it is stored, and so differs from the stored one each time.
    const bool differs =
        (applied && body != before) || (flags.conversions && own_version(info, *current) != info.storage_version);
    if (applied) prune_by_schema(info, at.version, body);
    if (at.version != info.storage_version) {
        if (const auto done = versions.settle_written(info, at.version, body); !done) return done.error();
        before = without_type(to_json(*current));
        object_member(before.get_object(), "metadata").stable_erase("managedFields");
    }
    // Owners that differ in their times only are the same: such a write changes nothing.
    if (!differs && body == before && owners.same_owners(owners_before)) return current;
    owners.write(body);
    if (stored_size(info, body) > max_stored_bytes) return too_large_to_store();
    if (flags.dry_run) return make_stored(info, body, current->version);

    if (current->deleting && !is_held(info, body)) {
        // The answer is the requested object; the event carries the last stored state.
        auto requested = make_stored(info, body, current->version);
        erase(*store, current, now);
        return requested;
    }
    auto object = commit_settled(*store, current, body);
    if (info.behaves == builtin::custom_resource_definition) settle_crd(object, now);
    if (current->deleting && info.behaves == builtin::namespace_) finish_namespace(object->name, now);
    return object;
}

} // namespace kubecoro::apiserver
