// Owners of fields: how updates and applies change them.
#include "state/managed_fields.hpp"

#include "objects/status_errors.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/detail/merge_problems.hpp>
#include <kubecoro/api/detail/typed_value.hpp>

#include <algorithm>

namespace kubecoro::apiserver {

using detail::name_element;
using detail::path_text;

namespace {

constexpr std::size_t most_updates = 10;
constexpr std::string_view ancient = "ancient-changes";
constexpr std::string_view first_apply = "before-first-apply";
constexpr std::size_t max_depth = 256;
/// Maximum number of fields that one error lists.
constexpr std::size_t most_causes = 1000;
/// Bytes of their paths: a long name may stand above many of them.
constexpr std::size_t most_cause_bytes = std::size_t{1} << 20;

/// Fields without owners.
const field_set& unowned()
{
    static const field_set all = [] {
        field_set s;
        for (const auto* name : {"apiVersion", "kind", "metadata"}) s.insert({name_element(name)});
        for (const auto* name : {"name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName",
                                 "generation", "managedFields", "resourceVersion"})
            s.insert({name_element("metadata"), name_element(name)});
        return s;
    }();
    return all;
}

} // namespace

managed_fields::owner managed_fields::owner_of(const field_writer& writer, bool updates)
{
    return {writer.manager, updates, updates ? writer.api_version : std::string{}, writer.subresource};
}

void managed_fields::take_from_others(const field_set& fields, const owner& self)
{
    if (fields.empty()) return;
    for (auto& [who, held] : entries_)
        if (who != self) held.fields = held.fields.minus(fields);
}

managed_fields::conflict_list managed_fields::conflicts_with(const field_set& changed, const owner& self,
                                                             const field_set* forgiven) const
{
    conflict_list all;
    std::size_t bytes = 0;
    for (const auto& [who, held] : entries_) {
        if (who == self) continue;
        const auto common = held.fields.common(changed);
        (forgiven ? common.minus(*forgiven) : common).for_each([&](const field_path& path) {
            ++all.count;
            if (all.first.size() >= most_causes || bytes >= most_cause_bytes) return;
            for (const auto& element : path) bytes += element.size();
            all.first.push_back({who, held.api_version, path});
        });
    }
    return all;
}

void managed_fields::note_update(const json::value& before, const json::value& after, const merge_type& type,
                                 bool is_new, const field_writer& writer)
{
    if (entries_.empty() && !is_new) return;
    const auto changes = compare_fields(before, after, type);
    const auto taken = changes.added.united(changes.modified);
    const auto self = owner_of(writer, true);
    for (auto& [who, held] : entries_) held.fields = held.fields.minus(changes.removed);
    take_from_others(taken, self);
    if (const auto own = taken.minus(unowned()); !own.empty()) {
        auto& mine = entries_[self];
        mine.fields.add(own);
        mine.api_version = writer.api_version;
        mine.time = writer.time;
    }
    std::erase_if(entries_, [](const auto& each) { return each.second.fields.empty(); });
    cap_updates();
}

void managed_fields::cap_updates()
{
    std::vector<std::pair<std::string, owner>> updates;
    for (const auto& [who, held] : entries_)
        if (who.updates) updates.emplace_back(held.time, who);
    if (updates.size() <= most_updates) return;
    std::sort(updates.begin(), updates.end()); // texts of times compare as the times do
    std::map<std::string, owner> first_of_version;
    auto left = updates.size();
    for (const auto& [time, who] : updates) {
        if (left <= most_updates) break;
        const auto [first, is_first] = first_of_version.emplace(who.api_version, who);
        if (is_first) continue;
        const owner bucket{std::string(ancient), true, who.api_version, {}};
        if (!entries_.contains(bucket)) {
            auto node = entries_.extract(first->second);
            node.key() = bucket;
            entries_.insert(std::move(node));
        }
        if (who == bucket) continue;
        auto& merged = entries_[bucket];
        merged.fields.add(std::move(entries_[who].fields));
        merged.time = time; // the more recent one
        entries_.erase(who);
        --left;
    }
}

json::value managed_fields::prune(const json::value& merged, const merge_type& type, const field_set& last) const
{
    if (last.empty()) return merged;
    const auto dropped = with_named_steps(last, type);
    const auto pruned = without_fields(merged, dropped, type);
    field_set owned;
    for (const auto& [who, held] : entries_) owned.add(held.fields);
    const auto all = with_named_steps(fields_of(merged, type), type);
    const auto left = with_named_steps(fields_of(pruned, type), type);
    // Only fields of the last configuration that have no owner are removed.
    const auto gone = all.minus(left.united(with_named_steps(owned, type)));
    const auto kept = without_fields(merged, gone, type);
    const auto still_there = with_named_steps(fields_of(kept, type), type);
    return without_fields(merged, all.minus(still_there).common(dropped), type);
}

namespace {

/// The fields of kubectl's last client-side apply that still have its values.
std::optional<field_set> client_side_fields(const json::value& live, const merge_type& type,
                                            const std::string& api_version)
{
    const auto* annotations = object_at(live, "metadata.annotations");
    const auto* text = annotations ? annotations->if_contains(last_applied) : nullptr;
    if (!text || !text->is_string() || text->get_string().empty()) return {};
    auto applied = parse_json(text->get_string(), max_depth);
    if (!applied || !applied->is_object() || text_at(*applied, "apiVersion") != api_version) return {};
    for (const auto* key : {"kind", "apiVersion"}) applied->get_object().erase(key);
    if (!detail::merge_problems(*applied, type).empty()) return {};
    const auto changes = compare_fields(*applied, live, type);
    return fields_of(*applied, type).minus(changes.modified).minus(changes.added).minus(changes.removed);
}

} // namespace

answer<std::optional<json::value>> managed_fields::apply(const json::value& live, const json::value& config,
                                                         const json::value& empty, const merge_type& type, bool force,
                                                         const field_writer& writer)
{
    if (entries_.empty()) {
        auto before = writer;
        before.manager = first_apply;
        note_update(empty, live, type, true, before);
    }
    const auto self = owner_of(writer, false);
    const auto mine = entries_.find(self);
    const auto last = mine == entries_.end() ? field_set{} : mine->second.fields;
    const auto time = mine == entries_.end() ? std::string{} : mine->second.time;
    entries_[self] = {fields_of(config, type), writer.api_version, time};

    auto next = prune(merge_values(live, config, type), type, last);
    const auto changes = compare_fields(live, next, type);
    const auto taken = changes.added.united(changes.modified);
    auto conflicts = force ? conflict_list{} : conflicts_with(taken, self, nullptr);
    if (conflicts.count > 0 && writer.manager == "kubectl")
        if (const auto own = client_side_fields(live, type, writer.api_version))
            conflicts = conflicts_with(taken, self, &*own);
    if (conflicts.count > 0) return conflict_error(conflicts);
    take_from_others(taken, self);
    take_from_others(changes.removed, self);
    entries_[self].fields = entries_[self].fields.minus(unowned()); // pruning needed them
    std::erase_if(entries_, [](const auto& each) { return each.second.fields.empty(); });
    if (next == live) return std::optional<json::value>{};
    note_time(writer);
    return std::optional<json::value>{std::move(next)};
}

void managed_fields::note_time(const field_writer& writer)
{
    if (const auto mine = entries_.find(owner_of(writer, false)); mine != entries_.end())
        mine->second.time = writer.time;
}

namespace {

std::string shown(const std::string& manager, const std::string& subresource, bool updates,
                  const std::string& api_version)
{
    auto out = quote(manager);
    if (!subresource.empty()) out += " with subresource " + quote(subresource);
    return updates ? out + " using " + api_version : out;
}

} // namespace

status_error managed_fields::conflict_error(const conflict_list& conflicts)
{
    const auto who = [](const conflict& c) {
        return shown(c.held_by.manager, c.held_by.subresource, c.held_by.updates, c.api_version);
    };
    const auto count = conflicts.count;
    const auto& first = conflicts.first.front();
    std::string message = "Apply failed with " + std::to_string(count) + (count == 1 ? " conflict: " : " conflicts: ");
    if (count == 1) message += "conflict with " + who(first) + ": " + path_text(first.path);
    std::vector<status_cause> causes;
    const owner* listed = nullptr;
    for (const auto& c : conflicts.first) {
        const auto path = path_text(c.path);
        causes.push_back({"FieldManagerConflict", "conflict with " + who(c), path});
        if (count == 1) break;
        if (!listed || *listed != c.held_by)
            message += std::string(listed ? "\n" : "") + "conflicts with " + who(c) + ":";
        listed = &c.held_by;
        message += "\n- " + path;
    }
    auto e = errors::make(409, "Conflict", std::move(message));
    e.causes = std::move(causes);
    return e;
}

namespace {

constexpr std::string_view scale_version = "autoscaling/v1";

const field_path& replicas_of_scale()
{
    static const field_path path{name_element("spec"), name_element("replicas")};
    return path;
}

field_set only(const field_path& path)
{
    field_set one;
    one.insert(path);
    return one;
}

} // namespace

managed_fields managed_fields::of_scale(const field_path& replicas) const
{
    managed_fields out;
    for (const auto& [who, held] : entries_) {
        if (!held.fields.has(replicas)) continue;
        auto same = who;
        if (same.updates) same.api_version = scale_version;
        out.entries_[same] = {only(replicas_of_scale()), std::string(scale_version), held.time};
    }
    return out;
}

managed_fields managed_fields::with_scale(const managed_fields& scale, const field_path& replicas,
                                          const std::string& api_version) const
{
    auto out = *this;
    // As a kube-apiserver: one that applies less than before keeps the replicas, if it still applies anything.
    for (auto& [who, held] : out.entries_)
        if (who.updates || !scale.entries_.contains(who)) held.fields = held.fields.minus(only(replicas));
    for (const auto& [who, held] : scale.entries_) {
        if (!held.fields.has(replicas_of_scale())) continue;
        auto same = who;
        if (same.updates) same.api_version = api_version;
        auto& mine = out.entries_[same];
        mine.fields.insert(replicas);
        mine.api_version = api_version;
    }
    std::erase_if(out.entries_, [](const auto& each) { return each.second.fields.empty(); });
    return out;
}

bool managed_fields::same_owners(const managed_fields& other) const
{
    return std::equal(entries_.begin(), entries_.end(), other.entries_.begin(), other.entries_.end(),
                      [](const auto& a, const auto& b) {
                          return a.first == b.first && a.second.api_version == b.second.api_version &&
                                 a.second.fields == b.second.fields;
                      });
}

std::optional<managed_fields> managed_fields::read(const json::value& object)
{
    managed_fields out;
    const auto* list = array_at(object, "metadata.managedFields");
    if (!list) return out;
    for (const auto& each : *list) {
        const auto operation = text_at(each, "operation");
        const std::string api_version(text_at(each, "apiVersion"));
        if ((operation != "Apply" && operation != "Update") || api_version.empty()) return {};
        if (text_at(each, "fieldsType") != "FieldsV1") return {};
        const auto* fields = find_at(each, "fieldsV1");
        auto set = fields ? field_set::of_fields(*fields) : result<field_set>(field_set{});
        if (!set) return {};
        const bool updates = operation == "Update";
        const owner who{std::string(text_at(each, "manager")), updates, updates ? api_version : std::string{},
                        std::string(text_at(each, "subresource"))};
        out.entries_[who] = {std::move(*set), api_version, std::string(text_at(each, "time"))};
    }
    return out;
}

managed_fields managed_fields::before_update(const json::value& live, const json::value& stated, bool of_subresource)
{
    const auto* list = of_subresource ? nullptr : array_at(stated, "metadata.managedFields");
    const bool resets = list && (list->empty() || (list->size() == 1 && list->front() == json::value(json::object{})));
    if (resets) return {};
    if (list)
        if (auto read_ones = read(stated); read_ones && !read_ones->empty()) return std::move(*read_ones);
    return read(live).value_or(managed_fields{});
}

void managed_fields::write(json::value& object) const
{
    auto& metadata = object_member(object.get_object(), "metadata");
    metadata.stable_erase("managedFields");
    if (entries_.empty()) return;
    std::vector<entries::const_pointer> sorted;
    for (const auto& each : entries_) sorted.push_back(&each);
    const auto order = [](const auto* e) {
        return std::tie(e->first.updates, e->second.time, e->first.manager, e->second.api_version,
                        e->first.subresource);
    };
    std::sort(sorted.begin(), sorted.end(), [&](const auto* a, const auto* b) { return order(a) < order(b); });
    json::array list;
    for (const auto* each : sorted) {
        const auto& [who, held] = *each;
        json::object one;
        if (!who.manager.empty()) one.emplace("manager", std::string_view(who.manager));
        one.emplace("operation", who.updates ? "Update" : "Apply");
        one.emplace("apiVersion", std::string_view(held.api_version));
        if (!held.time.empty()) one.emplace("time", std::string_view(held.time));
        one.emplace("fieldsType", "FieldsV1");
        one.emplace("fieldsV1", held.fields.to_fields());
        if (!who.subresource.empty()) one.emplace("subresource", std::string_view(who.subresource));
        list.push_back(std::move(one));
    }
    metadata.emplace("managedFields", std::move(list));
}

} // namespace kubecoro::apiserver
