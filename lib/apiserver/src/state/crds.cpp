// Definitions of the cluster state: the names that they take, and the resources that they add and remove.
#include "objects/registry.hpp"
#include "state/resource_store.hpp"
#include "text/json_text.hpp"

#include <kubecoro/apiserver/detail/cluster_state_core.hpp>

#include <boost/json/value.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::apiserver {

/// The names of one definition.
struct crd_names
{
    /// Plural, singular and short names.
    std::vector<std::string> resources;
    /// Kind and list kind.
    std::vector<std::string> kinds;
};

/// The names that definitions have taken.
class names_in_use
{
public:
    void add(const crd_names& names);
    /// @param names  They were added.
    void remove(const crd_names& names);
    [[nodiscard]] bool has_resource(std::string_view name) const { return resources_.contains(name); }
    [[nodiscard]] bool has_kind(std::string_view name) const { return kinds_.contains(name); }

private:
    /// How many definitions have a name: two with the same one can come from a saved state.
    using counts = std::map<std::string, std::size_t, std::less<>>;
    counts resources_;
    counts kinds_;
};

namespace {

/// The names of a definition that is served.
crd_names names_of(const resource_info& info)
{
    crd_names out{{info.plural, info.singular}, {info.kind, info.list_kind}};
    out.resources.insert(out.resources.end(), info.short_names.begin(), info.short_names.end());
    return out;
}

/// The accepted names of a definition that is not.
crd_names accepted_names_of(const json::value& crd)
{
    crd_names out;
    const auto* accepted = find_at(crd, "status.acceptedNames");
    if (!accepted || !accepted->is_object()) return out;
    for (const char* member : {"plural", "singular"}) out.resources.emplace_back(text_at(*accepted, member));
    for (const char* member : {"kind", "listKind"}) out.kinds.emplace_back(text_at(*accepted, member));
    if (const auto* list = array_at(*accepted, "shortNames"))
        for (const auto& name : *list) out.resources.push_back(scalar_text(name));
    return out;
}

} // namespace

void names_in_use::add(const crd_names& names)
{
    for (const auto& name : names.resources) ++resources_[name];
    for (const auto& name : names.kinds) ++kinds_[name];
}

void names_in_use::remove(const crd_names& names)
{
    const auto take = [](counts& from, const std::string& name) {
        const auto it = from.find(name);
        if (it != from.end() && --it->second == 0) from.erase(it);
    };
    for (const auto& name : names.resources) take(resources_, name);
    for (const auto& name : names.kinds) take(kinds_, name);
}

namespace {

constexpr std::string_view cleanup = "customresourcecleanup.apiextensions.k8s.io";

json::value condition(std::string_view type, bool met, std::string_view reason, std::string_view message, wall_time now)
{
    return {{"type", type},
            {"status", met ? "True" : "False"},
            {"lastTransitionTime", format_time(now)},
            {"reason", reason},
            {"message", message}};
}

/// The names of a definition that are accepted, and why not all of them are.
struct naming
{
    json::object accepted;
    /// Empty when all names are accepted.
    std::string reason = {};
    std::string message = {};
};

naming settle_names(const json::value& crd, const names_in_use& used)
{
    naming out;
    const auto refuse = [&](std::string_view reason, std::string_view name) {
        out.reason = reason;
        out.message = quote(name) + " is already in use";
    };
    const auto* asked = object_at(crd, "spec.names");
    if (!asked) return out;
    if (const auto* before = object_at(crd, "status.acceptedNames")) out.accepted = *before;
    const auto settle = [&](std::string_view member, std::string_view reason) {
        const auto* name = asked->if_contains(member);
        if (!name || !name->is_string()) return;
        const std::string_view text = name->get_string();
        const bool is_kind = member == "kind" || member == "listKind";
        if (is_kind ? used.has_kind(text) : used.has_resource(text))
            refuse(reason, name->get_string());
        else
            out.accepted[member] = *name;
    };
    settle("plural", "PluralConflict");
    settle("singular", "SingularConflict");
    const auto* short_names = asked->if_contains("shortNames");
    const std::string* taken = nullptr;
    std::string first_taken;
    if (short_names && short_names->is_array())
        for (const auto& name : short_names->get_array())
            if (!taken && name.is_string() && used.has_resource(std::string_view(name.get_string()))) {
                first_taken = name.get_string();
                taken = &first_taken;
            }
    if (taken)
        refuse("ShortNamesConflict", *taken);
    else if (short_names)
        out.accepted["shortNames"] = *short_names;
    else
        out.accepted.erase("shortNames");
    settle("kind", "KindConflict");
    settle("listKind", "ListKindConflict");
    if (const auto* categories = asked->if_contains("categories"))
        out.accepted["categories"] = *categories;
    else
        out.accepted.erase("categories");
    return out;
}

void set_condition(json::object& status, json::value made)
{
    auto& conditions = status["conditions"];
    if (!conditions.is_array()) conditions = json::array{};
    for (auto& c : conditions.get_array()) {
        if (text_at(c, "type") != text_at(made, "type")) continue;
        if (text_at(c, "status") == text_at(made, "status"))
            made.get_object()["lastTransitionTime"] = text_at(c, "lastTransitionTime");
        c = std::move(made);
        return;
    }
    conditions.get_array().push_back(std::move(made));
}

/// Whether field selectors mean the same in each version.
bool selects_alike(const resource_info& a, const resource_info& b)
{
    return std::ranges::equal(a.versions, b.versions, [](const auto& one, const auto& other) {
        return one.name == other.name && one.selectable == other.selectable;
    });
}

/// Objects are read by the schema that they are stored by: defaults appear, and unknown fields go, when it changes.
void read_again(resource_store& store, const resource_info& former)
{
    const auto& info = store.info;
    const bool same_version = info.storage_version == former.storage_version;
    if (!same_version) store.forget_lines();
    // Objects that a webhook converts stay in the version in which they were stored.
    const bool moves = !same_version && !info.conversion;
    std::map<std::string_view, const object_schema*> changed;
    for (const auto& [name, schema] : info.schemas) {
        const auto* before = former.schema_of(name);
        if (schema && (moves || !before || before->text() != schema->text())) changed.emplace(name, &*schema);
    }
    if (changed.empty()) return;
    std::vector<stored> all;
    for (const auto& [key, object] : store.objects()) all.push_back(object);
    for (const auto& object : all) {
        const auto found = changed.find(own_version(info, *object));
        if (found == changed.end()) continue;
        const auto* schema = found->second;
        auto body = to_json(*object);
        schema->prune(body);
        schema->drop_nulls(body);
        // One that would grow beyond all bounds stays as it is.
        if (!schema->fill_defaults(body)) continue;
        sort_deep(body);
        store.put(make_stored(info, body, object->version));
    }
}

} // namespace

const crd_names& cluster_state_core::waiting_names(const stored& crd)
{
    auto& known = waiting_names_[crd->name];
    if (!known.names || known.version != crd->version) {
        known.names = std::make_shared<const crd_names>(accepted_names_of(to_json(*crd)));
        known.version = crd->version;
    }
    return *known.names;
}

names_in_use cluster_state_core::names_of_group(std::string_view group, std::string_view but)
{
    names_in_use used;
    for (auto it = stores_.lower_bound({std::string(group), {}}); it != stores_.end() && it->first.first == group; ++it)
        if (it->second->info.display_name() != but) used.add(names_of(it->second->info));
    // Definitions that still wait keep those of their names that were accepted.
    for (const auto& each : unestablished(group))
        if (each->name != but) used.add(waiting_names(each));
    return used;
}

void cluster_state_core::settle_crd(const stored& crd, wall_time now)
{
    const auto group = std::string_view(crd->name).substr(crd->name.find('.') + 1);
    settle_crd(crd, names_of_group(group, crd->name), now);
}

void cluster_state_core::settle_crd(const stored& crd, const names_in_use& used, wall_time now)
{
    const auto definitions = find("apiextensions.k8s.io", "customresourcedefinitions");
    auto body = to_json(*crd);
    const auto served = find(crd->name);
    const naming names = settle_names(body, used);
    const bool accepted = names.reason.empty();
    const std::string_view initial = "the initial names have been accepted";
    const auto before = body;
    auto& status = object_member(body.get_object(), "status");
    status["acceptedNames"] = names.accepted;
    set_condition(status, condition("NamesAccepted", accepted, accepted ? "NoConflicts" : names.reason,
                                    accepted ? "no conflicts found" : names.message, now));
    if (!served)
        set_condition(status, condition("Established", false, accepted ? "Installing" : "NotAccepted",
                                        accepted ? initial : "not all names are accepted", now));
    const auto settled = body == before ? crd : commit(*definitions, crd, body);
    if (served) {
        auto info = resource_of_crd(body);
        // Conflicting names keep their previous values.
        info.singular = accepted ? info.singular : served->info.singular;
        info.list_kind = accepted ? info.list_kind : served->info.list_kind;
        info.short_names = accepted ? info.short_names : served->info.short_names;
        info.selectable_revision = served->info.selectable_revision + !selects_alike(info, served->info);
        const auto former = std::exchange(served->info, std::move(info));
        served->rendered().clear(); // the columns of tables may be others
        read_again(*served, former);
        ++discovery_version_;
        return;
    }
    if (!accepted) return;
    body = to_json(*settled);
    set_condition(object_member(body.get_object(), "status"),
                  condition("Established", true, "InitialNamesAccepted", initial, now));
    commit(*definitions, settled, body);
    add_resource(resource_of_crd(body));
    waiting_names_.erase(crd->name);
}

std::vector<stored> cluster_state_core::unestablished(std::string_view group) const
{
    const auto definitions = find("apiextensions.k8s.io", "customresourcedefinitions");
    std::vector<stored> waiting;
    for (const auto& [key, crd] : definitions->objects()) {
        const std::string_view name = crd->name;
        if (!crd->deleting && name.substr(name.find('.') + 1) == group && !find(name)) waiting.push_back(crd);
    }
    return waiting;
}

void cluster_state_core::settle_group(std::string_view group, wall_time now)
{
    const auto waiting = unestablished(group);
    if (waiting.empty()) return;
    const auto definitions = find("apiextensions.k8s.io", "customresourcedefinitions");
    auto used = names_of_group(group, {});
    for (const auto& crd : waiting) {
        used.remove(waiting_names(crd));
        settle_crd(crd, used, now);
        if (const auto served = find(crd->name))
            used.add(names_of(served->info));
        else
            used.add(waiting_names(definitions->find(crd->key)));
    }
}

delete_result cluster_state_core::remove_crd(resource_store& store, const stored& current, wall_time now)
{
    if (current->deleting) return {current, false};
    auto body = to_json(*current);
    auto& metadata = object_member(body.get_object(), "metadata");
    metadata["deletionTimestamp"] = format_time(now);
    auto& finalizers = metadata["finalizers"];
    if (!finalizers.is_array()) finalizers = json::array{};
    finalizers.get_array().push_back(json::value(cleanup));
    auto& conditions = object_member(body.get_object(), "status")["conditions"];
    if (!conditions.is_array()) conditions = json::array{};
    conditions.get_array().push_back(
        condition("Terminating", true, "InstanceDeletionPending",
                  "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon", now));
    if (const auto instances = find(current->name); instances && instances->info.custom) {
        auto marked =
            commit_with_sweep(store, current, body, {.resource = {instances->info.group, instances->info.plural}});
        (void)work_on_sweeps(swept_at_once, now);
        return {marked, false};
    }
    auto marked = commit(store, current, body);
    finish_crd(marked->name, now);
    return {marked, false};
}

void cluster_state_core::finish_crd(std::string_view name, wall_time now)
{
    const auto definitions = find("apiextensions.k8s.io", "customresourcedefinitions");
    const auto crd = definitions->find(storage_key("", name));
    if (!crd || !crd->deleting) return;
    if (const auto instances = find(name); instances && !instances->objects().empty()) return;
    auto body = to_json(*crd);
    auto& metadata = object_member(body.get_object(), "metadata");
    auto* finalizers = metadata["finalizers"].if_array();
    if (!finalizers) return;
    const auto ours = std::find(finalizers->begin(), finalizers->end(), json::value(cleanup));
    if (ours == finalizers->end()) return;
    if (finalizers->size() == 1) {
        erase(*definitions, crd, now);
        return;
    }
    finalizers->erase(ours);
    commit(*definitions, crd, body);
}

} // namespace kubecoro::apiserver
