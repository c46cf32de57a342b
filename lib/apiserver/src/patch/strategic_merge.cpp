// Applies Kubernetes' strategic merge patch, with the merge keys of the built-in kinds.
#include "patch/patch.hpp"
#include "render/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace kubecoro::apiserver {
namespace {

struct merge_rule
{
    std::string_view list;
    std::string_view key;
};

/// The patchMergeKey tags of the API types, except `ports`: containerPort in containers, port in services.
constexpr std::array merge_rules{merge_rule{"containers", "name"},
                                 merge_rule{"initContainers", "name"},
                                 merge_rule{"ephemeralContainers", "name"},
                                 merge_rule{"env", "name"},
                                 merge_rule{"volumes", "name"},
                                 merge_rule{"volumeMounts", "mountPath"},
                                 merge_rule{"volumeDevices", "devicePath"},
                                 merge_rule{"imagePullSecrets", "name"},
                                 merge_rule{"secrets", "name"},
                                 merge_rule{"hostAliases", "ip"},
                                 merge_rule{"podIPs", "ip"},
                                 merge_rule{"hostIPs", "ip"},
                                 merge_rule{"topologySpreadConstraints", "topologyKey"},
                                 merge_rule{"conditions", "type"},
                                 merge_rule{"addresses", "type"},
                                 merge_rule{"resourceClaims", "name"},
                                 merge_rule{"ownerReferences", "uid"}};

std::string_view merge_key(std::string_view list, const json::array& patch)
{
    if (list == "ports") {
        const bool container =
            std::any_of(patch.begin(), patch.end(), [](const auto& item) { return find_at(item, "containerPort"); });
        return container ? "containerPort" : "port";
    }
    const auto it = std::find_if(merge_rules.begin(), merge_rules.end(), [&](const auto& r) { return r.list == list; });
    return it == merge_rules.end() ? std::string_view{} : it->key;
}

bool merges_as_set(std::string_view list) { return list == "finalizers"; }

/// Returns the key of a value in an ordered index, whose cost no choice of values can degrade.
std::string index_key(const json::value& v) { return to_text(v); }

std::set<std::string> index_of(const json::array& values)
{
    std::set<std::string> out;
    for (const auto& v : values) out.insert(index_key(v));
    return out;
}

/// Sorts the items named in the order list into its order; the other items keep their positions where possible.
void order_items(json::array& items, std::string_view key, const json::array& order)
{
    const auto id_of = [&](const json::value& item) { return key.empty() ? &item : find_at(item, key); };
    std::map<std::string, std::size_t> ranks;
    for (std::size_t i = 0; i < order.size(); ++i)
        if (const auto* id = id_of(order[i])) ranks.emplace(index_key(*id), i);
    std::vector<std::pair<std::size_t, json::value>> ranked;
    std::vector<std::pair<std::size_t, json::value>> others;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto* id = id_of(items[i]);
        const auto rank = id ? ranks.find(index_key(*id)) : ranks.end();
        if (rank == ranks.end())
            others.emplace_back(i, std::move(items[i]));
        else
            ranked.emplace_back(rank->second, std::move(items[i]));
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    json::array ordered;
    auto other = others.begin();
    for (auto& [r, item] : ranked) {
        while (other != others.end() && other->first <= ordered.size()) ordered.push_back(std::move((other++)->second));
        ordered.push_back(std::move(item));
    }
    while (other != others.end()) ordered.push_back(std::move((other++)->second));
    items = std::move(ordered);
}

void merge_object(json::object& target, const json::object& patch);

/// Removes the items that the patch marks with `$patch: delete`.
void delete_items(json::array& items, const json::array& patch, std::string_view key)
{
    std::set<std::string> doomed;
    for (const auto& item : patch)
        if (const auto* id = find_at(item, key); id && text_at(item, "$patch") == "delete")
            doomed.insert(index_key(*id));
    if (doomed.empty()) return;
    items.erase(std::remove_if(items.begin(), items.end(),
                               [&](const json::value& item) {
                                   const auto* id = find_at(item, key);
                                   return id && doomed.contains(index_key(*id));
                               }),
                items.end());
}

bool replaces(const json::array& patch)
{
    return std::any_of(patch.begin(), patch.end(), [](const auto& i) { return text_at(i, "$patch") == "replace"; });
}

void merge_keyed_list(json::array& items, const json::array& patch, std::string_view key)
{
    if (replaces(patch)) {
        json::array replaced;
        for (const auto& each : patch)
            if (text_at(each, "$patch").empty()) replaced.push_back(each);
        items = std::move(replaced);
        return;
    }
    delete_items(items, patch, key);
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < items.size(); ++i)
        if (const auto* id = find_at(items[i], key)) places.emplace(index_key(*id), i);
    for (const auto& item : patch) {
        const auto* id = find_at(item, key);
        if (!id || text_at(item, "$patch") == "delete") continue;
        const auto [place, fresh] = places.emplace(index_key(*id), items.size());
        if (fresh) items.emplace_back(json::object{});
        merge_object(items[place->second].get_object(), item.get_object());
    }
}

void merge_list(json::object& target, std::string_view name, const json::array& patch)
{
    const auto key = merge_key(name, patch);
    auto& member = target[name];
    if (!member.is_array() || (key.empty() && !merges_as_set(name))) {
        // Lists without a key are replaced; a new keyed list is merged, which strips its directives.
        member = json::array{};
        if (key.empty()) {
            member = patch;
            return;
        }
    }
    auto& items = member.get_array();
    if (!key.empty()) {
        merge_keyed_list(items, patch, key);
        return;
    }
    auto known = index_of(items);
    for (const auto& item : patch)
        if (known.insert(index_key(item)).second) items.push_back(item);
}

constexpr std::string_view order_prefix = "$setElementOrder/";
constexpr std::string_view delete_prefix = "$deleteFromPrimitiveList/";

void apply_directives(json::object& target, const json::object& patch)
{
    for (const auto& [key_text, value] : patch) {
        const std::string_view key = key_text;
        if (!value.is_array()) continue;
        if (key == "$retainKeys") {
            const auto kept = index_of(value.get_array());
            erase_members(target, [&](std::string_view name) { return !kept.contains(quoted(name)); });
        } else if (key.starts_with(delete_prefix)) {
            auto* list = target.if_contains(key.substr(delete_prefix.size()));
            if (!list || !list->is_array()) continue;
            auto& items = list->get_array();
            const auto doomed = index_of(value.get_array());
            items.erase(std::remove_if(items.begin(), items.end(),
                                       [&](const json::value& item) { return doomed.contains(index_key(item)); }),
                        items.end());
        }
    }
}

void apply_order(json::object& target, const json::object& patch)
{
    for (const auto& [key_text, value] : patch) {
        const std::string_view key = key_text;
        if (!key.starts_with(order_prefix) || !value.is_array()) continue;
        const auto list_name = key.substr(order_prefix.size());
        auto* list = target.if_contains(list_name);
        if (list && list->is_array())
            order_items(list->get_array(), merge_key(list_name, value.get_array()), value.get_array());
    }
}

void merge_object(json::object& target, const json::object& patch)
{
    if (const auto* directive = patch.if_contains("$patch"); directive && directive->is_string()) {
        const std::string_view what = directive->get_string();
        if (what == "delete" || what == "replace") target.clear();
        if (what == "delete") return;
    }
    apply_directives(target, patch);
    erase_members(target, [&](std::string_view key) {
        const auto* change = key.starts_with('$') ? nullptr : patch.if_contains(key);
        return change && change->is_null();
    });
    for (const auto& [key_text, value] : patch) {
        const std::string_view key = key_text;
        if (key.starts_with('$') || value.is_null()) continue;
        if (value.is_object()) {
            auto& member = target[key];
            if (!member.is_object()) member = json::object{};
            merge_object(member.get_object(), value.get_object());
        } else if (value.is_array()) {
            merge_list(target, key, value.get_array());
        } else {
            target[key] = value;
        }
    }
    apply_order(target, patch);
}

} // namespace

void apply_strategic_merge(json::value& doc, const json::value& patch)
{
    if (!doc.is_object()) doc = json::object{};
    if (patch.is_object()) merge_object(doc.get_object(), patch.get_object());
}

} // namespace kubecoro::apiserver
